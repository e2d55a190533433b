extension FrameLoop {
  /// The name of a set of items. A run serves the items of its mode, and no others.
  ///
  /// Any text makes a mode: `let modal: FrameLoop.Mode = "modal"`. A loop keeps each of its modes, with two descriptors, as
  /// long as it lives: make a mode for a kind of activity, not one for each activity.
  public struct Mode: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let name: String

    public init(_ name: String) {
      self.name = name
    }

    public init(stringLiteral name: String) {
      self.name = name
    }

    public var description: String { name }

    /// The mode for normal work.
    public static let `default`: Mode = "default"
    /// The mode while the user drags or scrolls. It is a common mode only after `addCommonMode(.tracking)`; an `Engine` does
    /// that.
    public static let tracking: Mode = "tracking"
    /// All common modes together, for `add`, `remove`, `contains` and `perform`. A loop cannot run in it.
    public static let common: Mode = "common"
  }

  /// The reason why a run ended.
  public enum RunResult: Hashable, Sendable {
    /// The mode has nothing left to wait for.
    case finished
    /// `stop()` was called.
    case stopped
    /// The limit passed.
    case timedOut
    /// A source, a descriptor or the main queue was served, in a run with `returnAfterSourceHandled`.
    case handledSource
  }

  /// The points of a run at which observers are called. The numbers are CoreFoundation's.
  // Inlinable: an observer compares them at each call.
  public struct Activity: OptionSet, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt32
    @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A run begins; once per run, nested ones included.
    @inlinable public static var entry: Activity { Activity(rawValue: 1 << 0) }
    /// A pass begins.
    @inlinable public static var beforeTimers: Activity { Activity(rawValue: 1 << 1) }
    /// Right after `beforeTimers`.
    @inlinable public static var beforeSources: Activity { Activity(rawValue: 1 << 2) }
    /// All due work is done, and the loop is about to sleep. Not called in a pass that handled a signalled source or
    /// polled the main queue with success, nor in a run whose limit has passed.
    @inlinable public static var beforeWaiting: Activity { Activity(rawValue: 1 << 5) }
    /// The loop woke, and has not yet handled the port that woke it.
    @inlinable public static var afterWaiting: Activity { Activity(rawValue: 1 << 6) }
    /// A run ends; once per run, nested ones included.
    @inlinable public static var exit: Activity { Activity(rawValue: 1 << 7) }
    @inlinable public static var all: Activity { Activity(rawValue: 0x0FFF_FFFF) }

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
