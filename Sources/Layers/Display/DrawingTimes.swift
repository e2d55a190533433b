package import LinuxSystem

/// When a worker's drawing was requested, begun, ended and shown. Any thread may fill it in and read it.
package final class DrawingTimes: Sendable {
  package struct Times: Sendable {
    /// When a worker began; nil if none did.
    package var begun: MonotonicTime?
    package var ended: MonotonicTime?
    /// When the layer took the picture; nil for a drawing that was superseded or has failed.
    package var shown: MonotonicTime?
  }

  package let requested: MonotonicTime
  private let clock: SystemClock
  private let times = Lock(Times())

  init(clock: SystemClock) {
    self.clock = clock
    requested = clock.now
  }

  package var now: Times { times.withLock { $0 } }

  func begin() {
    let time = clock.now
    times.withLock { $0.begun = time }
  }

  func end() {
    let time = clock.now
    times.withLock { $0.ended = time }
  }

  func show() {
    let time = clock.now
    times.withLock { $0.shown = time }
  }
}
