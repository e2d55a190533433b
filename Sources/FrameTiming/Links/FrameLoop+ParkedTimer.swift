import LinuxSystem
package import RunLoops

extension FrameLoop.Timer {
  /// A timer that never fires by itself: each time that is set as its `nextFireTime` gives one fire, after which it waits
  /// for the next. (One that fired without an interval would be spent, and a new one for each vblank allocates.)
  @MainActor
  package static func parked(handler: @escaping @MainActor () -> Void) -> FrameLoop.Timer {
    FrameLoop.Timer(
      fireTime: .distantFuture, interval: Nanoseconds(.max),
      .onMain { timer in
        timer.nextFireTime = .distantFuture
        handler()
      })
  }
}
