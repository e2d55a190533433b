public import LinuxSystem
public import RunLoops

/// Plays an event script on a loop: each event comes at its time by the clock, as a device's would.
///
/// ```swift
/// let player = InputPlayer(try InputScript(text)) { engine.inputRouter.receive($0) }
/// player.add(to: .main, mode: .common)
/// player.start(at: loop.clock.now)
/// ```
///
/// Events come in the order of their lines. One that is due before the line above it comes with that line, and keeps its own time.
@MainActor
public final class InputPlayer: FrameLoop.ItemOwner {
  /// The index of the next event of the script.
  public private(set) var position = 0
  /// Called after the last event.
  public var onEnd: (@MainActor () -> Void)?

  private let script: InputScript
  private let clock: SystemClock
  private let handler: @MainActor (InputEvent) -> Void
  private let alarm: FrameLoop.Alarm
  private var start: MonotonicTime?

  /// - Parameters:
  ///   - clock: that of the loop to which the player is added.
  ///   - handler: called with each event on the loop of the main thread, to which the player is added.
  public init(
    _ script: InputScript, clock: SystemClock = .monotonic, handler: @escaping @MainActor (InputEvent) -> Void
  ) {
    (self.script, self.clock, self.handler) = (script, clock, handler)
    let relay = Relay()
    alarm = FrameLoop.Alarm(.onMain { relay.owner?.play() })
    relay.owner = self
  }

  private final class Relay {
    weak var owner: InputPlayer?
  }

  public var loopItem: any FrameLoop.Item { alarm }

  /// Plays the script from its beginning, whose time 0 is this one.
  public func start(at time: MonotonicTime) {
    (start, position) = (time, 0)
    play()
  }

  /// True from the start until the last event was played, or the player was stopped.
  public var isPlaying: Bool { start != nil }

  /// Plays what is due, now instead of when the loop comes to it. For `InputRouter.readWaiting`.
  public func playDue() { play() }

  /// Plays nothing more.
  public func stop() {
    start = nil
    alarm.fireTime = nil
  }

  private func play() {
    while let start, position < script.events.count {
      var event = script.events[position]
      event.time = start + (event.time - .zero)
      guard event.time <= clock.now else {
        alarm.fireTime = event.time
        return
      }
      position += 1
      handler(event)
    }
    guard exchange(&start, with: nil) != nil else { return }
    onEnd?()
  }
}
