public import LinuxSystem

/// A turn of a loop that took too long, or a time in which a loop's thread kept a processor busy: what is known of it.
public struct HangReport: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable {
    /// A turn of the loop took at least `HangDetector.Limits.reportsFrom`.
    case hang
    /// The loop's thread used a processor nearly all the time for long; see `LoadDetector`.
    case load
  }

  /// Something that the application knows, such as the number of dirty layers.
  public struct Fact: Hashable, Sendable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The state of the loop's thread in most of the time.
  public enum State: String, Hashable, Sendable {
    /// It used a processor.
    case computing
    /// It waited, for a lock, a file or another process.
    case blocked
    /// It was ready, and other programs had the processors.
    case starved
  }

  /// A frame of the dominant stack.
  public struct Frame: Hashable, Sendable {
    /// The address in the process's memory.
    public var address: UInt64
    /// The file that it belongs to; empty if it is unknown.
    public var file = ""
    /// The address in the file, for `addr2line -e FILE OFFSET`.
    public var offset: UInt64 = 0
    /// The function, as a programmer writes it; nil if the file does not name it.
    public var function: String?
    /// The share of the time in which this frame and all outside it were on the stack, from 0 to 1.
    public var share: Double

    public init(address: UInt64, share: Double) {
      self.address = address
      self.share = share
    }
  }

  public var kind: Kind
  /// The program's name, the process's number, the loop's thread, and its name for people.
  public var program = ""
  public var process: Int32 = 0
  public var thread: Int32 = 0
  public var loop = ""
  /// The beginning in seconds since 1970, by the clock on the wall.
  public var date: Double = 0
  /// The beginning.
  public var start: MonotonicTime
  /// How long it lasted, or has lasted so far; without the time in which the program could not have gone on.
  public var duration: Nanoseconds
  /// The time that does not count; see `HangDetector`.
  public var excused = Nanoseconds.zero
  /// False for a hang that lasts.
  public var isOver = false
  /// How many equal ones this report stands for, itself included, and the longest of them.
  public var count = 1
  public var longest: Nanoseconds
  /// Equal ones that were not reported since the report before.
  public var leftOut = 0
  /// The share of one processor that the thread used since the turn became slow, from 0 to 1. The time of a stop, a suspension or a
  /// debugger does not count.
  public var processorShare: Double
  /// The share of the same time in which the thread was ready and had no processor, from 0 to 1; 0 where the kernel does not say.
  public var starvedShare: Double = 0
  /// The kernel's function in which the thread waited most of the time; nil if it did not wait, or the kernel does not say.
  public var waitChannel: String?
  /// The mode of the loop's run; nil if it did not run.
  public var mode: String?
  /// The part of the turn in which it hung.
  public var phase: LoopPhase
  /// The number of samples of the stack.
  public var samples = 0
  /// The share of the time that the dominant stack took, in its part that at least half of the time was spent in.
  public var share: Double = 0
  /// False if the outermost frames are missing.
  public var isWhole = true
  /// The longest time for which a sample stopped the thread.
  public var longestStop = Nanoseconds.zero
  public var facts: [Fact] = []
  /// The dominant stack, from the innermost frame outwards.
  public var frames: [Frame] = []

  public init(
    kind: Kind, start: MonotonicTime, duration: Nanoseconds, processorShare: Double, phase: LoopPhase
  ) {
    self.kind = kind
    self.start = start
    self.duration = duration
    longest = duration
    self.processorShare = processorShare
    self.phase = phase
  }

  /// The share of the same time in which the thread waited for something else, from 0 to 1.
  public var blockedShare: Double { max(0, 1 - processorShare - starvedShare) }

  /// The state with the largest share.
  public var state: State {
    if processorShare >= max(blockedShare, starvedShare) { return .computing }
    return blockedShare >= starvedShare ? .blocked : .starved
  }

  /// The frame to look at first: the innermost one of the program itself in which half of the time was spent, else the innermost
  /// that has a name. Nil without a stack.
  public var culprit: Frame? {
    let named = frames.filter { $0.function != nil && $0.share >= 0.5 && !$0.isGlue }
    return named.first { $0.file.split(separator: "/").last.map(String.init) == program }
      ?? named.first { !$0.isOfSystem } ?? named.first ?? frames.first
  }

  /// Takes over what another report of an equal hang adds.
  mutating func add(_ other: HangReport) {
    let (count, longest) = (count, longest)
    if other.start != start {
      self = other
      self.count += count
    } else {
      self = other
      self.count = max(count, other.count)
    }
    self.longest = max(longest, other.longest)
  }
}

extension HangReport.Frame {
  /// True for the C library and the kernel's part of a process.
  fileprivate var isOfSystem: Bool {
    let name = file.split(separator: "/").last ?? ""
    return ["libc.so", "libc-", "libpthread", "libm.so", "ld-linux", "linux-vdso"].contains { name.hasPrefix($0) }
  }

  /// True for a function that the Swift compiler made to call another one.
  var isGlue: Bool {
    guard let function else { return false }
    return ["reabstraction thunk", "partial apply forwarder", "protocol witness", "dispatch thunk"]
      .contains { function.hasPrefix($0) }
  }

  /// The function, without what people do not write in a name, or the place in the file.
  public var name: String {
    if let function {
      return function.replacing(/\(([^() ]+) in _[0-9A-F]{32}\)/) { $0.1 }.replacing(/\bSwift\./, with: "")
    }
    let name = file.split(separator: "/").last.map(String.init) ?? "?"
    return "\(name) + 0x\(String(offset, radix: 16))"
  }
}

/// The part of a turn of a loop, as an observer sees it.
public enum LoopPhase: UInt8, Hashable, Sendable, CaseIterable {
  /// The loop has not run yet.
  case notRunning
  /// A run has begun: `entry` observers.
  case entry
  /// Blocks and signalled sources, after `beforeTimers` and `beforeSources`; also what a pass serves that does not sleep.
  case sources
  /// `beforeWaiting` observers: layout, drawing, the commit of layers, rendering.
  case beforeWaiting
  /// Timers, a descriptor or the main queue, which woke the loop, after `afterWaiting`.
  case woken
  /// `exit` observers.
  case exit
  /// A callback went on after a run that was nested in it.
  case afterNestedRun

  /// The phase for people.
  public var text: String {
    switch self {
    case .notRunning: "before the loop ran"
    case .entry: "in entry observers"
    case .sources: "in sources and blocks"
    case .beforeWaiting: "in beforeWaiting observers"
    case .woken: "in what woke the loop"
    case .exit: "in exit observers"
    case .afterNestedRun: "after a nested run"
    }
  }
}
