import RunLoops

/// A random play for a run loop: a script, and items with the operations of their calls.
struct Program: Sendable {
  struct Item: Sendable {
    enum Kind: Sendable {
      case source(order: Int)
      case descriptor
      /// A timer that is due when the play begins, or never.
      case timer(isDue: Bool, repeats: Bool)
      case observer(FrameLoop.Activity, order: Int, repeats: Bool)
    }

    let name: String
    let kind: Kind
    /// The operations of the first call, the second, and so on. Later calls do nothing.
    var calls: [[Operation]] = [[], [], []]
  }

  indirect enum Operation: Sendable {
    case add(String, to: String)
    case remove(String, from: String)
    case invalidate(String)
    case signal(String)
    case post(String)
    /// Makes a timer due.
    case fire(String)
    /// Moves a timer to a time that never comes.
    case park(String)
    case block(String, in: [String], [Operation])
    case run(String, RunLength, returnAfterSourceHandled: Bool)
    case stop
    case wakeUp
    case addCommonMode(String)
    /// Writes whether an item is in a mode, and whether it is valid.
    case look(String, String)
  }

  enum RunLength: Sendable {
    case poll
    /// Runs up to a limit of a few milliseconds.
    case brief
    /// Runs until the loop would sleep and nothing could wake it.
    case untilIdle
  }

  static let modes = ["default", "a", "b"]

  /// True if every mode has a timer that is never due. CoreFoundation is woken once more by the last timer of a mode, so
  /// only with these may timers be due. Without them no timer is ever due, and modes may become empty.
  var hasAnchors: Bool
  var items: [Item]
  var script: [Operation]
}

extension Program {
  /// The number of operations, nested ones included.
  var size: Int {
    var size = 0
    _ = keeping { _ in
      size += 1
      return true
    }
    return size
  }

  /// The program with the wanted operations only, by their numbers in the order of the text.
  func keeping(_ isWanted: (Int) -> Bool) -> Program {
    var number = -1
    func filter(_ operations: [Operation]) -> [Operation] {
      operations.compactMap { operation in
        number += 1
        let isKept = isWanted(number)
        if case .block(let name, let modes, let body) = operation {
          let rest = filter(body)
          return isKept ? .block(name, in: modes, rest) : nil
        }
        return isKept ? operation : nil
      }
    }
    var program = self
    for index in items.indices { program.items[index].calls = items[index].calls.map(filter) }
    program.script = filter(script)
    return program
  }
}
