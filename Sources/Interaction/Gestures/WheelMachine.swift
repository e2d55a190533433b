public import Geometry
public import Input
public import LinuxSystem

/// Turns of a wheel, and movements on a touchpad that scroll: the gesture begins with the first one, changes with the others, and ends when fingers
/// are lifted or a wheel rests.
///
/// They are no contacts: the machine is given the events instead.
public struct WheelMachine: Sendable {
  /// How many points a click of a wheel scrolls: 64, as Android's `ViewConfiguration.getScaledVerticalScrollFactor()`.
  public let clickLength: Double
  /// How long a wheel rests until the gesture ends, as wheels tell no end: 0.5 s, as Chromium's
  /// (<https://chromium.googlesource.com/chromium/src/+/refs/heads/main/content/browser/renderer_host/input/mouse_wheel_phase_handler.h>).
  public let pause: Nanoseconds

  private struct Scroll: BitwiseCopyable {
    var translation: Point
    var latest: MonotonicTime
  }

  private var phase = ContinuousPhase<Void, Scroll>.possible(())
  private var motion = VelocityEstimator()

  public init(clickLength: Double = 64, pause: Nanoseconds = .milliseconds(500)) {
    (self.clickLength, self.pause) = (clickLength, pause)
  }

  /// The state after everything that was handled; `possible` at first.
  public var state: GestureState { phase.state }

  /// How far was scrolled since the gesture began, in points; positive down and to the right in the document. Kept after the end.
  public var translation: Point { phase.during?.translation ?? .zero }

  /// The velocity of fingers on a touchpad in points per second, at the last event; zero for a wheel, which throws nothing.
  public var velocity: Point { phase.during.map { motion.velocity(at: $0.latest) } ?? .zero }

  /// The time at which `pass(_:)` is to be called unless events come before it.
  public var deadline: MonotonicTime? {
    switch phase {
    case .began(let scroll), .changed(let scroll): scroll.latest + pause
    case .possible, .ended, .cancelled, .failed: nil
    }
  }

  /// Takes an event. One at the deadline or after it ends the gesture, and is not part of it. Ways that are not numbers are ignored.
  public mutating func handle(_ scroll: InputEvent.Scroll, at time: MonotonicTime) {
    pass(time)
    guard !state.isFinal else { return }
    switch scroll {
    case .wheel(let clicks):
      motion.reset()
      go(clicks * clickLength, at: time)
    case .continuous(let way):
      motion.reset()
      go(way, at: time)
    case .fingers(let way):
      if go(way, at: time) { motion.add(translation, at: time) }
    case .fingersEnded:
      guard var scroll = phase.during else { return }
      scroll.latest = time
      phase.update(scroll)
      phase.end()
    }
  }

  @discardableResult
  private mutating func go(_ way: Point, at time: MonotonicTime) -> Bool {
    let translation = translation + way
    guard translation.isUsable else { return false }
    let scroll = Scroll(translation: translation, latest: time)
    if case .possible = phase { phase.begin(scroll) } else { phase.change(scroll) }
    return true
  }

  /// Tells that it is this time now, without anything new. Does nothing before the deadline.
  public mutating func pass(_ time: MonotonicTime) {
    if let deadline, time >= deadline { phase.end() }
  }

  /// Something else takes the gesture.
  public mutating func cancel() { phase.cancel() }

  /// Begins anew, with the settings that it has.
  public mutating func reset() {
    phase = .possible(())
    motion.reset()
  }
}
