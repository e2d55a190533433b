import Geometry
import LinuxSystem
import RenderTree
import XCTest

@testable import Layers

@preconcurrency @MainActor final class AnimationGroupTests: XCTestCase {
  func testOnlyTheGroupReports() {
    let stage = Stage()
    stage.turn()
    let log = Log()
    var fade = BasicAnimation(.opacity, from: 0, to: 1)
    fade.didStart = { log.append("child") }
    fade.completion = { _ in log.append("child") }
    for (name, children) in [("full", [fade]), ("empty", [])] {
      var group = AnimationGroup(children)
      group.duration = .milliseconds(100)
      group.didStart = { log.append("start \(name)") }
      group.completion = { log.append("end \(name) \($0)") }
      stage.root.add(group, forKey: name)
    }
    stage.turn()
    XCTAssertEqual(log.entries, ["start full", "start empty"])
    XCTAssertEqual(stage.tree(after: 50).records[0].opacity, 0.5)
    stage.turn(after: 100)
    XCTAssertEqual(log.entries.suffix(2), ["end full true", "end empty true"])
    XCTAssertEqual(log.entries.count, 4)
  }

  func testTimingOfTheGroupHoldsForAll() {
    let stage = Stage()
    stage.turn()
    var inner = AnimationGroup([BasicAnimation(.opacity, from: 0, to: 1)])
    inner.speed = 2
    inner.repeatCount = 2
    var outer = AnimationGroup([inner, BasicAnimation(.positionX, by: 100)])
    outer.duration = .milliseconds(100)
    outer.autoreverses = true
    outer.timingFunction = .easeIn
    outer.fillMode = .forwards
    Transaction.withoutActions { stage.root.position = .zero }
    stage.root.add(outer)
    stage.turn()
    for (time, part) in [(30, 0.3), (170, 0.3), (90, 0.9)] as [(Int64, Double)] {
      let shown = stage.root.presentation(at: milliseconds(time))
      let way = TimingFunction.easeIn.progress(at: part)
      XCTAssertEqual(shown.position.x, 100 * way, accuracy: 1e-5)
      XCTAssertEqual(shown.opacity, (way * 2).truncatingRemainder(dividingBy: 1), accuracy: 1e-6)
    }
    XCTAssertEqual(stage.root.presentation(at: milliseconds(5000)).position.x, 0)
  }
}
