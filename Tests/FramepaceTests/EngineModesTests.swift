import Framepace
import FramepaceTesting
import XCTest

@preconcurrency @MainActor final class EngineModesTests: XCTestCase {
  /// While a finger is tracked, frames go on and what is in the default mode alone waits.
  func testFramesGoOnWhileAnotherModeIsPushed() throws {
    let stage = try ManualStage(width: 8, height: 8, rate: .hertz60)
    stage.root.backgroundColor = .white
    stage.root.add(BasicAnimation(.opacity, from: 0, to: 1, duration: .seconds(1)))
    let start = stage.clock.now
    var calls: [MonotonicTime] = []
    let background = FrameLoop.Timer(
      fireTime: start + .milliseconds(10), interval: .milliseconds(10),
      .onMain { [clock = stage.clock] _ in calls.append(clock.now) })
    stage.loop.add(background, to: .default)

    var tracking: FrameLoop.ModeStack.Entry?
    let steps: [(Nanoseconds, @MainActor (Engine) -> Void)] = [
      (.milliseconds(105), { tracking = $0.modes.push(.tracking) }),
      (.milliseconds(205), { _ in tracking?.pop() }),
      (.milliseconds(305), { $0.finish() }),
    ]
    for (time, step) in steps {
      let timer = FrameLoop.Timer(
        fireTime: start + time, .onMain { [engine = stage.engine] _ in step(engine) })
      stage.loop.add(timer, to: .common)
    }
    stage.engine.run()

    let spans: [Range<Nanoseconds>] = [
      .zero ..< .milliseconds(105), .milliseconds(105) ..< .milliseconds(205), .milliseconds(205) ..< .milliseconds(305),
    ]
    let frames = stage.frames.map { $0.presented - start }
    // Six frames in a tenth of a second at 60 Hz, wherever the mode changes.
    XCTAssertEqual(spans.map { span in frames.filter(span.contains).count }, [6, 6, 6])
    // At the pop one call stands for all that were missed.
    XCTAssertEqual(spans.map { span in calls.filter { span.contains($0 - start) }.count }, [10, 0, 11])
    background.invalidate()
  }
}
