import LinuxSystem
public import RunLoops

extension FrameLoop {
  /// A frame arena that a loop drains at the end of each turn, like the autorelease pools of Apple's run loops.
  ///
  ///     let memory = FrameLoop.FrameMemory()
  ///     memory.add(to: .main, mode: .common)
  ///     let points = memory.arena.take(Point.self, count: 100)  // valid until the end of the turn
  ///
  /// Every run of the loop has its own level of the arena. The level begins at the run's entry, before all other observers. It
  /// is drained before the loop waits, after all other observers, and ends with the run. A nested run does not drain the memory
  /// of the turn around it. If the memory is added during a run, that run's level begins with its next turn.
  ///
  /// The memory is also drained in a run that never waits; see `FrameLoop.Observer.evenWhenBusy`.
  public final class FrameMemory {
    /// The memory. Use it on the loop's thread only.
    public let arena: FrameArena
    private let levels: Levels
    private let observers: [Observer]

    public init(arena: FrameArena = FrameArena()) {
      self.arena = arena
      let levels = Levels(arena)
      self.levels = levels
      observers = [
        Observer(.entry, order: ObserverOrder.poolPush, .onLoop { _, _ in levels.begin() }),
        Observer(
          [.beforeWaiting, .exit], order: ObserverOrder.poolDrain, evenWhenBusy: true,
          .onLoop { _, activity in
            if activity == .exit { levels.end() } else { levels.drain() }
          }),
      ]
    }

    /// Lets `loop` drain the memory in `mode`; `.common` for all common modes.
    public func add(to loop: FrameLoop, mode: Mode) {
      for observer in observers { loop.add(observer, to: mode) }
    }

    /// Ends the draining: at once or, within runs of the loop, at the end of the outermost run with a level.
    public func invalidate() {
      levels.whenNoneIsLeft { [observers] in
        for observer in observers { observer.invalidate() }
      }
    }
  }

  /// The levels of the arena, and their runs. Not every nested run has one.
  ///
  /// Safe to share although unchecked: the loop calls its observers on its own thread, and the memory belongs to that.
  private final class Levels: @unchecked Sendable {
    private let arena: FrameArena
    /// The depths of the runs with a level; the innermost is the last.
    private var depths: [Int] = []
    private var atEnd: (() -> Void)?

    init(_ arena: FrameArena) {
      self.arena = arena
      depths.reserveCapacity(8)
    }

    private var depth: Int { FrameLoop.runDepth }

    func begin() {
      depths.append(depth)
      arena.push()
    }

    func drain() {
      // Without a level of its own, the present memory belongs to an outer run, or to code outside all runs.
      if depths.last == depth { arena.drain() } else { begin() }
    }

    func end() {
      guard depths.last == depth else { return }
      depths.removeLast()
      arena.pop()
      if depths.isEmpty { exchange(&atEnd, with: nil)?() }
    }

    func whenNoneIsLeft(_ body: @escaping () -> Void) {
      if depths.isEmpty { body() } else { atEnd = body }
    }
  }
}
