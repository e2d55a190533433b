public import LinuxSystem

extension FrameLoop {
  /// A frame arena that a loop drains: what autorelease pools are to Apple's run loops.
  ///
  /// Every run of the loop has a level of its own, which begins before all its other observers are told of the run's entry,
  /// is drained before the loop waits, after all others, and ends with the run. So what is taken in a callback, a layout or a
  /// drawing may be used until the end of the turn, and what the turn around a nested run took stays.
  ///
  /// A run that finds no time to wait drains all the same; see `Observer.evenWhenBusy`.
  public final class FrameMemory {
    /// The order of the observer that begins a level.
    public static let pushOrder = -2_147_483_647
    /// The order of the observer that drains it.
    public static let drainOrder = 2_147_483_647

    /// The memory; to be used on the loop's thread only.
    public let arena: FrameArena
    private let observers: [Observer]

    /// Safe: the loop calls its observers on its own thread, and the arena belongs to that.
    private struct OnLoop: @unchecked Sendable {
      let arena: FrameArena
    }

    public init(arena: FrameArena = FrameArena()) {
      self.arena = arena
      let owned = OnLoop(arena: arena)
      observers = [
        Observer(.entry, order: Self.pushOrder) { _, _ in owned.arena.push() },
        Observer([.beforeWaiting, .exit], order: Self.drainOrder, evenWhenBusy: true) { _, activity in
          if activity == .exit { owned.arena.pop() } else { owned.arena.drain() }
        },
      ]
    }

    /// Lets `loop` drain the memory in `mode`; `.common` for all common modes.
    public func add(to loop: FrameLoop, mode: Mode) {
      for observer in observers { loop.add(observer, to: mode) }
    }

    /// The loop drains it no more.
    public func invalidate() {
      for observer in observers { observer.invalidate() }
    }
  }
}
