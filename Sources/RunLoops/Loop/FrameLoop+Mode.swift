extension FrameLoop {
  /// A name for what a loop listens to while it runs: only the items of the mode that it runs in are served.
  ///
  /// Any text makes a mode: `let modal: FrameLoop.Mode = "modal"`. A loop keeps each of its modes, with two descriptors, as long as
  /// it lives: have a mode for a kind of thing that goes on, not one for each.
  public struct Mode: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let name: String

    public init(_ name: String) {
      self.name = name
    }

    public init(stringLiteral name: String) {
      self.name = name
    }

    public var description: String { name }

    /// What a loop runs in when nothing else is going on.
    public static let `default`: Mode = "default"
    /// While the user drags or scrolls; one of the common modes only once `addCommonMode` has made it one.
    public static let tracking: Mode = "tracking"
    /// Stands for all common modes together, in `add`, `remove`, `contains` and `perform`. A loop cannot run in it.
    public static let common: Mode = "common"
  }

  /// Why a run ended.
  public enum RunResult: Hashable, Sendable {
    /// The mode has nothing left to wait for.
    case finished
    /// `stop()` was called.
    case stopped
    /// The limit passed.
    case timedOut
    /// A source, a descriptor or the main queue was served, in a run that was to return then.
    case handledSource
  }

  /// The points of a run that observers are called at. The numbers are CoreFoundation's.
  public struct Activity: OptionSet, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A run begins; once per run, nested ones included.
    public static let entry = Activity(rawValue: 1 << 0)
    /// A pass begins.
    public static let beforeTimers = Activity(rawValue: 1 << 1)
    /// Right after `beforeTimers`.
    public static let beforeSources = Activity(rawValue: 1 << 2)
    /// Everything that was due is done, and the loop is about to sleep. Not called in a pass that handled a signalled
    /// source or the main queue first, nor in a run whose limit is past.
    public static let beforeWaiting = Activity(rawValue: 1 << 5)
    /// The loop woke, and what woke it is not handled yet.
    public static let afterWaiting = Activity(rawValue: 1 << 6)
    /// A run ends; once per run, nested ones included.
    public static let exit = Activity(rawValue: 1 << 7)
    public static let all = Activity(rawValue: 0x0FFF_FFFF)

    /// The names of the activities: "beforeWaiting, exit".
    public var description: String {
      if self == .all { return "all" }
      let names: [(Activity, String)] = [
        (.entry, "entry"), (.beforeTimers, "beforeTimers"), (.beforeSources, "beforeSources"),
        (.beforeWaiting, "beforeWaiting"), (.afterWaiting, "afterWaiting"), (.exit, "exit"),
      ]
      return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
  }
}
