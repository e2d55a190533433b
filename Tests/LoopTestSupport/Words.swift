import LinuxSystem
package import RunLoops

/// A record of events as words in order. Any thread may add a word.
package final class Words: Sendable, CustomStringConvertible {
  private let words = Lock<[String]>([])

  package init() {}

  package func add(_ word: String) { words.withLock { $0.append(word) } }
  package func removeAll() { words.withLock { $0.removeAll() } }
  package func drop(_ word: String) { words.withLock { words in words.removeAll { $0 == word } } }
  package func sort(from index: Int) { words.withLock { $0[index...].sort() } }

  package var all: [String] { words.withLock { $0 } }
  /// The words that do not begin with a dot.
  package var visible: [String] { all.filter { !$0.hasPrefix(".") } }
  package var description: String { all.joined(separator: " ") }
  package func count(_ word: String) -> Int { all.count { $0 == word } }
}

/// Writes a word when it is released.
package final class Witness: Sendable {
  private let words: Words
  package init(_ words: Words) { self.words = words }
  deinit { words.add("released") }
}

extension FrameLoop.Activity {
  package var word: String {
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
