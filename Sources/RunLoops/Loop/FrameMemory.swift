public import LinuxSystem

extension FrameLoop {
  /// A frame arena that a loop drains: what autorelease pools are to Apple's run loops.
  ///
  /// Every run of the loop has a level of its own, which begins before all its other observers are told of the run's entry,
  /// is drained before the loop waits, after all others, and ends with the run. So what is taken in a callback, a layout or a
  /// drawing may be used until the end of the turn, and what the turn around a nested run took stays. A run that is joined in
  /// the middle, since the memory is added in it or its mode becomes common, has a level from the end of that turn on.
  ///
  /// A run that finds no time to wait drains all the same; see `Observer.evenWhenBusy`.
  public final class FrameMemory {
    /// The memory; to be used on the loop's thread only.
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

    /// The loop drains it no more: at once, or if it is called within runs of the loop, when the outermost that it was drained in
    /// is over.
    public func invalidate() {
      levels.whenNoneIsLeft { [observers] in
        for observer in observers { observer.invalidate() }
      }
    }
  }

  /// The levels of the arena, and the runs that they belong to: nested runs need not all have one.
  ///
  /// Safe to share although unchecked: the loop calls its observers on its own thread, and the memory belongs to that.
  private final class Levels: @unchecked Sendable {
    private let arena: FrameArena
    /// How deep in others the runs are that have a level; the innermost last.
    private var depths: [Int] = []
    private var atEnd: (() -> Void)?

    init(_ arena: FrameArena) {
      self.arena = arena
      depths.reserveCapacity(8)
    }

    private var depth: Int { ThreadRecord.current.runDepth }

    func begin() {
      depths.append(depth)
      arena.push()
    }

    func drain() {
      // What is there belongs to a run outside, or to whoever has not begun one.
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
