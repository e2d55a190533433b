import Glibc
import LinuxSystem
import LoopTestSupport

@testable import RunLoops

/// A loop on manual time, whose activities are written down.
struct Scenario {
  let words = Words()
  let clock: ManualClock
  let loop: FrameLoop

  init(observing activities: FrameLoop.Activity = [], mode: FrameLoop.Mode = .default) {
    clock = ManualClock()
    loop = FrameLoop(clock: .manual(clock))
    if !activities.isEmpty { observe(activities, mode: mode) }
  }

  func observe(_ activities: FrameLoop.Activity, mode: FrameLoop.Mode = .default) {
    let words = words
    loop.add(FrameLoop.Observer(activities, order: .min, .onLoop { _, activity in words.add(activity.word) }), to: mode)
  }

  /// A timer that writes a word, and does more.
  @discardableResult
  func timer(
    _ word: String, at milliseconds: Int64, every interval: Int64 = 0, mode: FrameLoop.Mode = .default,
    _ body: @escaping @Sendable (FrameLoop.Timer) -> Void = { _ in }
  ) -> FrameLoop.Timer {
    let timer = FrameLoop.Timer(
      fireTime: .milliseconds(milliseconds), interval: .milliseconds(interval),
      .onLoop { [words] timer in
        words.add(word)
        body(timer)
      })
    loop.add(timer, to: mode)
    return timer
  }

  /// A source that writes a word, and does more.
  @discardableResult
  func source(
    _ word: String, order: Int = 0, mode: FrameLoop.Mode = .default,
    _ body: @escaping @Sendable (FrameLoop.Source) -> Void = { _ in }
  ) -> FrameLoop.Source {
    let source = FrameLoop.Source(
      order: order,
      .onLoop { [words] source in
        words.add(word)
        body(source)
      })
    loop.add(source, to: mode)
    return source
  }

  /// A descriptor source that writes a word, and does more.
  @discardableResult
  func descriptor(
    _ word: String, _ number: Int32, for events: FrameLoop.DescriptorSource.Events = .readable,
    _ body: @escaping @Sendable (FrameLoop.DescriptorSource, FrameLoop.DescriptorSource.Events) -> Void = { _, _ in }
  ) -> FrameLoop.DescriptorSource {
    let source = FrameLoop.DescriptorSource(
      descriptor: number, events: events,
      .onLoop { [words] source, found in
        words.add(word)
        body(source, found)
      })
    loop.add(source, to: .default)
    return source
  }

  /// The same for an event, which the source holds.
  @discardableResult
  func descriptor(
    _ word: String, _ event: Event,
    _ body: @escaping @Sendable (FrameLoop.DescriptorSource, FrameLoop.DescriptorSource.Events) -> Void = { _, _ in }
  ) -> FrameLoop.DescriptorSource {
    descriptor(word, event.number) { source, found in withExtendedLifetime(event) { body(source, found) } }
  }

  /// Runs until `milliseconds` after the clock's start, and writes the result.
  @discardableResult
  func run(_ mode: FrameLoop.Mode = .default, until milliseconds: Int64, returnAfterSourceHandled: Bool = false)
    -> FrameLoop.RunResult
  {
    let result = loop.run(
      mode: mode, until: .milliseconds(milliseconds), returnAfterSourceHandled: returnAfterSourceHandled)
    words.add("→\(result)")
    return result
  }
}

extension MonotonicTime {
  static func milliseconds(_ count: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: count * 1_000_000) }
}

/// A value that callbacks of one thread share.
final class Box<Value: Sendable>: Sendable {
  private let state: Lock<Value>
  init(_ value: Value) { state = Lock(value) }
  var value: Value {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
  func withValue(_ change: @Sendable (inout Value) -> Void) { state.withLock { change(&$0) } }
}

/// Runs a body on a new thread and waits for the thread's end.
func onNewThread(_ body: @escaping @Sendable () -> Void) {
  startThread(body).join()
}

/// Starts a thread that never runs its loop. It ends when the latch is opened; join it then.
func startIdleThread() -> (thread: SystemThread, loop: FrameLoop, end: Latch) {
  let (loop, end) = (Box<FrameLoop?>(nil), Latch())
  let thread = startThread {
    loop.value = .current
    end.wait()
  }
  spin { loop.value != nil }
  guard let loop = loop.value else { fatalError("the thread has a loop") }
  return (thread, loop, end)
}

/// Starts a thread, which has the signals that its starter has. Join it.
func startThread(_ body: @escaping @Sendable () -> Void) -> SystemThread {
  do { return try SystemThread(name: "test", blocksSignals: false, body) } catch { fatalError("\(error)") }
}
