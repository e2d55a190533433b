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
}
