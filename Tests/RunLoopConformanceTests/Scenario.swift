import LinuxSystem
import LoopTestSupport
import RunLoops

/// A short play for a run loop, played with CFRunLoop and with `FrameLoop`. Both must write the same words, unless the
/// scenario states the difference and its reason. What random programs play needs no scenario.
struct Scenario: Sendable {
  enum Place: Sendable {
    case freshThread
    /// The main thread, which serves the main queue.
    case mainThread
  }

  /// The statements that it shows, by their numbers in the documentation of `RunLoops`.
  let statements: [Int]
  let meaning: String
  /// The expected words, separated by spaces.
  let coreFoundation: String
  let ours: String
  /// The reason for a difference; nil if there is none.
  let deviation: String?
  let place: Place
  let script: Stage.Body

  init(
    _ statements: [Int], _ meaning: String, on place: Place = .freshThread, gives words: String,
    _ script: @escaping Stage.Body
  ) {
    self.init(statements, meaning, on: place, coreFoundation: words, ours: words, because: nil, script)
  }

  /// A scenario with a documented deviation.
  init(
    _ statements: [Int], _ meaning: String, on place: Place = .freshThread, coreFoundation: String, ours: String,
    because deviation: String?, _ script: @escaping Stage.Body
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
    runs + passes + observers + sources + descriptors + timers + movedTimers + blocks + wakeUps + commonModes + threads
    + mainQueue
}

/// Plays a script on a loop's own thread.
enum Play {
  /// - Returns: the words; nil if the script did not end.
  static func onFreshThread(_ kind: LoopKind, slowness: Double = 1, _ script: @escaping Stage.Body) -> [String]? {
    let words = Words()
    let played = Lock<Stage?>(nil)
    let thread = HelperThread {
      let stage = Stage(kind, words: words, slowness: slowness)
      played.withLock { $0 = stage }
      script(stage)
      stage.end()
    }
    guard thread.join(seconds: 60) else { return nil }
    played.withLock { $0 }?.clear()
    return words.visible
  }

  /// Plays a script on the process's main thread, which must be the calling one.
  static func onMainThread(_ kind: LoopKind, slowness: Double = 1, _ script: @escaping Stage.Body) -> [String] {
    let stage = Stage(kind, slowness: slowness)
    script(stage)
    stage.invalidateAll()
    let words = stage.words.visible
    // Blocks left on the main queue would run in the next play.
    for _ in 0..<3 { _ = stage.loop.run(in: "default", for: 0, returnAfterSourceHandled: false) }
    stage.end()
    stage.clear()
    return words
  }
}
