import LinuxSystem
import LoopTestSupport
import Testing

@testable import RunLoops

/// The end of a loop's thread releases closures, whose captures may do anything in their `deinit`. After it the loop is dead:
/// it takes nothing any more.
@Suite struct ThreadEndTests {
  private final class AtEnd: Sendable {
    private let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    deinit { body() }
  }

  private final class WeakLoop: Sendable {
    private struct State { weak var loop: FrameLoop? }
    private let state = Lock(State())
    var loop: FrameLoop? {
      get { state.withLock { $0.loop } }
      set { state.withLock { $0.loop = newValue } }
    }
  }

  /// The ways in which a closure can wait for a loop.
  enum Waiting: CaseIterable, Sendable {
    case block, performer, delayedPerformer, timer

    func hold(_ object: any Sendable, on loop: FrameLoop) {
      let keep: @Sendable () -> Void = { withExtendedLifetime(object) {} }
      switch self {
      case .block: loop.perform(in: ["never"], keep)
      case .performer: try? loop.performLater(keep)
      case .delayedPerformer: try? loop.perform(after: .seconds(3_600), keep)
      case .timer: loop.add(FrameLoop.Timer(fireTime: .distantFuture, .onLoop { _ in keep() }), to: .default)
      }
    }
  }

  /// A loop that was made for such a question would never be released: three descriptors a thread.
  @Test(arguments: Waiting.allCases) func whatTheEndReleasesMayUseTheLoopAndAskForIt(_ waiting: Waiting) {
    let asked = WeakLoop()
    let isDone = Box(false)
    let thread = startThread {
      let loop = FrameLoop.current
      waiting.hold(
        AtEnd {
          loop.perform {}
          loop.add(FrameLoop.Timer(fireTime: .zero, .onLoop { _ in }), to: "new")
          asked.loop = .current
          isDone.value = true
        }, on: loop)
    }
    // A thread that waits for its own lock cannot be joined.
    spin { isDone.value }
    thread.join()
    #expect(asked.loop == nil)
  }

  /// Every loop of the thread, its own and one more.
  @Test func aDeadLoopTakesNothingAndIsReleased() {
    let loops = Box<[FrameLoop]>([])
    let witness = (WeakLoop(), WeakLoop())
    onNewThread {
      loops.value = [.current, FrameLoop(clock: .manual(ManualClock()))]
      for loop in loops.value { loop.perform(in: ["never"]) { withExtendedLifetime(loop) {} } }
    }
    (witness.0.loop, witness.1.loop) = (loops.value[0], loops.value[1])
    for loop in loops.value {
      loop.perform { withExtendedLifetime(loop) {} }
      let timer = FrameLoop.Timer(fireTime: .zero, .onLoop { _ in withExtendedLifetime(loop) {} })
      for mode: FrameLoop.Mode in [.default, .common, "new"] {
        loop.add(timer, to: mode)
        #expect(!loop.contains(timer, in: mode))
      }
      // It is as good as new.
      let other = FrameLoop(clock: .manual(ManualClock()))
      other.add(timer, to: .default)
      #expect(other.contains(timer, in: .default))
    }
    loops.value = []
    #expect(witness.0.loop == nil && witness.1.loop == nil)
  }
}
