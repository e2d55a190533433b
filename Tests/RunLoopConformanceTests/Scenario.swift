import LinuxSystem
import LoopTestSupport
import RunLoops

/// A short play for a run loop, which is played with CFRunLoop and with ours: what is written down has to be the same, unless
/// the scenario says how and why the two differ.
struct Scenario: Sendable {
  enum Place: Sendable {
    case freshThread
    /// Where the main queue is served.
    case mainThread
  }

  /// The statements of the semantics that it shows, by the numbers of the documentation of `RunLoops`.
  let statements: [Int]
  let meaning: String
  /// What is written down, separated by spaces.
  let coreFoundation: String
  let ours: String
  /// Why the two differ; nil if they do not.
  let deviation: String?
  let place: Place
  let script: Stage.Body

  init(
    _ statements: [Int], _ meaning: String, on place: Place = .freshThread, gives words: String,
    _ script: @escaping Stage.Body
  ) {
    self.statements = statements
    self.meaning = meaning
    coreFoundation = words
    ours = words
    deviation = nil
    self.place = place
    self.script = script
  }

  /// A documented deviation.
  init(
    _ statements: [Int], _ meaning: String, on place: Place = .freshThread, coreFoundation: String, ours: String,
    because deviation: String, _ script: @escaping Stage.Body
  ) {
    self.statements = statements
    self.meaning = meaning
    self.coreFoundation = coreFoundation
    self.ours = ours
    self.deviation = deviation
    self.place = place
    self.script = script
  }

  static let all: [Scenario] =
    runs + results + passes + observers + moreObservers + sources + descriptors + timers + movedTimers + blocks + wakeUps
    + commonModes + threads + mainQueue
}

/// Plays a script on a loop's own thread.
enum Play {
  /// - Returns: the words, nil if it did not end.
  static func onFreshThread(_ kind: LoopKind, slowness: Double = 1, _ script: @escaping Stage.Body) -> [String]? {
    let words = Words()
    let played = Lock<Stage?>(nil)
    let thread = HelperThread {
      let stage = Stage(kind, words: words, slowness: slowness)
      played.withLock { $0 = stage }
      script(stage)
      stage.end()
    }
    guard thread.join(seconds: 10) else { return nil }
    played.withLock { $0 }?.clear()
    return words.visible
  }

  /// On the process's main thread, which has to be the calling one.
  static func onMainThread(_ kind: LoopKind, slowness: Double = 1, _ script: @escaping Stage.Body) -> [String] {
    let stage = Stage(kind, slowness: slowness)
    script(stage)
    stage.invalidateAll()
    let words = stage.words.visible
    // What is left of the main queue would come in the next play.
    for _ in 0..<3 { _ = stage.loop.run(in: "default", for: 0, returnAfterSourceHandled: false) }
    stage.end()
    stage.clear()
    return words
  }
}
