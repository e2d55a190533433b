import Glibc
import LinuxSystem

@testable import RunLoops

/// What happened, as words in order. Any thread may add one.
final class Words: Sendable, CustomStringConvertible {
  private let words = Lock<[String]>([])

  func add(_ word: String) { words.withLock { $0.append(word) } }
  func removeAll() { words.withLock { $0.removeAll() } }
  var all: [String] { words.withLock { $0 } }
  var description: String { all.joined(separator: " ") }
  func count(_ word: String) -> Int { all.count { $0 == word } }
}

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
    loop.add(FrameLoop.Observer(activities, order: .min) { _, activity in words.add(activity.word) }, to: mode)
  }

  /// A timer that writes a word, and does more.
  @discardableResult
  func timer(
    _ word: String, at milliseconds: Int64, every interval: Int64 = 0, mode: FrameLoop.Mode = .default,
    _ body: @escaping @Sendable (FrameLoop.Timer) -> Void = { _ in }
  ) -> FrameLoop.Timer {
    let timer = FrameLoop.Timer(fireTime: .milliseconds(milliseconds), interval: .milliseconds(interval)) { [words] timer in
      words.add(word)
      body(timer)
    }
    loop.add(timer, to: mode)
    return timer
  }

  /// A source that writes a word, and does more.
  @discardableResult
  func source(
    _ word: String, order: Int = 0, mode: FrameLoop.Mode = .default,
    _ body: @escaping @Sendable (FrameLoop.Source) -> Void = { _ in }
  ) -> FrameLoop.Source {
    let source = FrameLoop.Source(order: order) { [words] source in
      words.add(word)
      body(source)
    }
    loop.add(source, to: mode)
    return source
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

extension FrameLoop.Activity {
  var word: String {
    switch self {
    case .entry: "entry"
    case .beforeTimers: "timers"
    case .beforeSources: "sources"
    case .beforeWaiting: "sleep"
    case .afterWaiting: "wake"
    case .exit: "exit"
    default: "activity \(rawValue)"
    }
  }
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

/// Starts a thread, which has the signals that its starter has. Join it.
func startThread(_ body: @escaping @Sendable () -> Void) -> SystemThread {
  do { return try SystemThread(name: "test", blocksSignals: false, body) } catch { fatalError("\(error)") }
}
