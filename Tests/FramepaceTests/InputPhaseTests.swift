import Framepace
import FramepaceTesting
import XCTest

/// The phase `input` of frames, on manual time: what responders and gestures take, and nothing else.
@preconcurrency @MainActor final class InputPhaseTests: XCTestCase {
  /// A layer that takes time when it is touched, and changes.
  private final class Slow: Responder {
    let work: @MainActor (Layer) -> Void
    init(_ work: @escaping @MainActor (Layer) -> Void) { self.work = work }
    override func touchBegan(_ touch: Touch) { if let layer { work(layer) } }
  }

  private static func stage(_ touched: @escaping @MainActor (ManualStage<VirtualDisplay>, Layer) -> Void) throws
    -> ManualStage<VirtualDisplay>
  {
    let stage = try ManualStage(width: 48, height: 32, rate: .hertz60)
    stage.root.responder = Slow { [unowned stage] in touched(stage, $0) }
    stage.run(for: .milliseconds(100))
    return stage
  }

  private static func touch(_ stage: ManualStage<VirtualDisplay>) {
    let (router, time) = (stage.engine.inputRouter, stage.clock.now)
    let device = InputDevice(id: InputDevice.ID(rawValue: 1), name: "", abilities: .touch)
    router.receive(InputEvent(time: time, device: device.id, action: .added(device)))
    router.receive(InputEvent(time: time, device: device.id, action: .touch(finger: 0, .down(Point(0.5, 0.5)))))
  }

  private static func change(_ layer: Layer) {
    Transaction.withoutActions { layer.backgroundColor = layer.backgroundColor == .white ? .black : .white }
  }

  /// A responder, a gesture's action and a timer of the same turn: the first two are input.
  func testRespondersAndGesturesAreInput() throws {
    let stage = try Self.stage { stage, layer in
      stage.clock.advance(by: .milliseconds(3))
      Self.change(layer)
    }
    defer { stage.engine.invalidate() }
    let press = GestureRecognizer(LongPressMachine(minimumDuration: .zero))
    press.addAction { [unowned stage] _ in stage.clock.advance(by: .milliseconds(2)) }
    stage.root.addGestureRecognizer(press)
    let timer = FrameLoop.Timer(
      fireTime: stage.clock.now + .milliseconds(50),
      .onMain { [unowned stage] _ in
        Self.touch(stage)
        stage.clock.advance(by: .milliseconds(1))
      })
    stage.loop.add(timer, to: .common)
    stage.run(for: .milliseconds(100))
    let frame = try XCTUnwrap(stage.frames.last { $0.input != nil })
    XCTAssertEqual(frame.phases[.input], .milliseconds(5))
    XCTAssertEqual(frame.phases[.callbacks], .milliseconds(1))
    // The next frame has none of it.
    Self.change(stage.root)
    stage.run(for: .milliseconds(100))
    XCTAssertEqual(stage.frames.last?.phases[.input], .zero)
  }

  /// A responder that commits has its time before that in the commit, and what it does afterwards in no phase, as that of callbacks.
  func testAResponderThatCommits() throws {
    let stage = try Self.stage { stage, layer in
      stage.clock.advance(by: .milliseconds(3))
      Self.change(layer)
      Transaction.flush()
      stage.clock.advance(by: .milliseconds(7))
      Self.change(layer)
    }
    defer { stage.engine.invalidate() }
    Self.touch(stage)
    stage.run(for: .milliseconds(100))
    let inputs = stage.frames.suffix(2).map { $0.phases[.input] }
    XCTAssertEqual(inputs, [.milliseconds(3), .zero])
    XCTAssertEqual(stage.frames.last?.phases[.callbacks], .zero)
  }

  /// A run that a responder nests has turns of its own: nothing of the responder's is theirs, and no time counts twice.
  func testAResponderThatRunsTheLoop() throws {
    let stage = try Self.stage { stage, layer in
      stage.clock.advance(by: .milliseconds(3))
      let timer = FrameLoop.Timer(
        fireTime: stage.clock.now + .milliseconds(20),
        .onMain { _ in
          Self.change(layer)
          stage.clock.advance(by: .milliseconds(1))
        })
      stage.loop.add(timer, to: .common)
      stage.loop.run(mode: .default, until: stage.clock.now + .milliseconds(60))
      stage.clock.advance(by: .milliseconds(2))
    }
    defer { stage.engine.invalidate() }
    let count = stage.frames.count
    Self.touch(stage)
    stage.run(for: .milliseconds(200))
    let frame = try XCTUnwrap(stage.frames.dropFirst(count).first)
    XCTAssertEqual(frame.phases[.input], .zero)
    XCTAssertEqual(frame.phases[.callbacks], .milliseconds(1))
    Self.change(stage.root)
    stage.run(for: .milliseconds(100))
    XCTAssertEqual(stage.frames.last?.phases[.input], .zero)
    XCTAssertTrue(stage.frames.allSatisfy { $0.phases[.callbacks] >= .zero })
  }
}
