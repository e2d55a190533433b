import Framepace
import FramepaceTesting
import LinuxSystem

/// Measures the way of events from a device to layers, on a manual clock.
@MainActor
enum InputBenchmarks {
  static let all = Benchmark(name: "input") {
    let stage = try Stage()
    defer { stage.manual.engine.invalidate() }
    var pan = PanMachine()
    var step = 0
    return [
      Harness.time("a movement: read, found and queued", repeats: 10_000) {
        stage.move()
        // A turn has some sixteen of each of ten fingers.
        if stage.count % 160 == 0 { stage.deliver() }
      },
      Harness.time("a turn with 16 movements of 10 fingers", repeats: 200) { stage.turn() },
      Harness.allocations("allocations in that", warmUp: 200) { stage.turn() },
      Harness.time("a step of a pan", repeats: 100_000) {
        step += 1
        pan.handle(
          Contact(
            id: Contact.ID(rawValue: 1), phase: step == 1 ? .began : .moved,
            time: MonotonicTime(nanoseconds: Int64(step) * 1_000_000),
            location: Point(Double(step % 700), 0)))
      },
    ]
  }

  /// A layer on which ten fingers lie, with a responder that does nothing and a pan that is recognized.
  @MainActor
  private final class Stage {
    let manual: ManualStage<VirtualDisplay>
    private(set) var count = 0
    private var changes = 0
    private let device = InputDevice(id: InputDevice.ID(rawValue: 1), name: "screen", abilities: .touch)

    init() throws {
      manual = try ManualStage(width: 64, height: 64, rate: .hertz60)
      manual.recordsFrames = false
      manual.root.addGestureRecognizer(PanGestureRecognizer(PanMachine()) { [unowned self] _ in changes += 1 })
      send(.added(device))
      for finger in 0..<10 { send(.touch(finger: finger, .down(Point(0.1, 0.1)))) }
      turn()
      turn()
      guard changes > 0 else { throw BenchmarkError("the pan of ten fingers is to be recognized") }
    }

    private func send(_ action: InputEvent.Action) {
      manual.engine.inputRouter.receive(InputEvent(time: manual.clock.now, device: device.id, action: action))
    }

    func move() {
      count += 1
      send(.touch(finger: count % 10, .moved(Point(0.1 + 0.8 * Double(count % 97) / 97, 0.5))))
    }

    func deliver() { manual.turn() }

    func turn() {
      for _ in 0..<16 {
        for _ in 0..<10 { move() }
        manual.clock.advance(by: .milliseconds(1))
      }
      deliver()
    }
  }
}
