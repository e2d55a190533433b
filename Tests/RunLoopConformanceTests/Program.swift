import RunLoops

/// A random play for a run loop: items with what their calls do, and a script.
struct Program: Sendable {
  struct Item: Sendable {
    enum Kind: Sendable {
      case source(order: Int)
      case descriptor
      /// Due when the play begins, or never.
      case timer(isDue: Bool, repeats: Bool)
      case observer(FrameLoop.Activity, order: Int, repeats: Bool)
    }

    let name: String
    let kind: Kind
    /// What the first call does, the second, and so on; further ones do nothing.
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
    /// Moves a timer to a time that does not come.
    case park(String)
    case block(String, in: [String], [Operation])
    case run(String, RunLength, returnAfterSourceHandled: Bool)
    case stop
    case wakeUp
    case addCommonMode(String)
    /// Writes down whether an item is in a mode, and valid.
    case look(String, String)
  }

  enum RunLength: Sendable {
    case poll
    /// To its limit, which is a few milliseconds off.
    case brief
    /// Until it would sleep and nothing could wake it.
    case untilIdle
  }

  static let modes = ["default", "a", "b"]

  /// Timers can be due only in modes that hold another one which never is: CoreFoundation is woken once more by the last
  /// timer of a mode. Without these timers no timer is ever due, and modes may become empty.
  var hasAnchors: Bool
  var items: [Item]
  var script: [Operation]
}

extension Program {
  /// How many operations there are, those inside others included.
  var size: Int {
    var size = 0
    _ = keeping { _ in
      size += 1
      return true
    }
    return size
  }

  /// The program with only those of its operations that are wanted, by their numbers in the order in which they stand.
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
