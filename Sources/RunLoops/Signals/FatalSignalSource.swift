import CFatalSignals
import Glibc
public import LinuxSystem
import Synchronization

/// Why fatal signals cannot be handled.
public enum FatalSignalError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The process has a source already: there can be one.
  case alreadyHandled
  /// No handler can be installed for the signal, or the number is no signal.
  case notHandleable(signal: Int32)
  /// No signal was named.
  case noSignals
  case system(SystemError)

  public var description: String {
    switch self {
    case .alreadyHandled: "fatal signals are handled by another source: invalidate it first"
    case .notHandleable(let signal): "signal \(signal) cannot be handled: leave it out"
    case .noSignals: "no fatal signal was named: name one at least"
    case .system(let error): "fatal signals: \(error)"
    }
  }
}

/// Gives a dying process a last moment. When a thread other than the loop's faults, that thread is held and the loop turns
/// on, for at most a given time, to show a message; then the process dies of the signal as it would have.
///
/// ```swift
/// let source = try FatalSignalSource(.onMain { fault in screen.show("\(fault.signalName) in \(fault.threadName)") })
/// FrameLoop.main.add(source, to: .common)
/// ```
///
/// A process whose loop thread itself faults dies at once. In both cases a helper process, started beforehand, writes a
/// report: the signal, the thread and its call stack as return addresses, each with file and offset. A second fault during
/// the last moment changes nothing: the process dies of the first. Exit status and core dump are those of the fault, and
/// handlers that were installed earlier are called last.
///
/// The faulting thread keeps its locks, perhaps that of `malloc`: code that needs one of them waits until the time is over.
/// A thread whose stack is exhausted dies at once, unless it has an alternate signal stack.
///
/// A process has one source. Make it early: the helper process begins as a copy of this one.
public final class FatalSignalSource: FrameLoop.Item {
  /// The fault that ends the process.
  public struct Fault: Hashable, Sendable {
    public let signal: Int32
    /// The kernel's `si_code`; 0 or less when somebody sent the signal.
    public let code: Int32
    /// The address that could not be read, written or executed; 0 where the signal has none.
    public let address: UInt
    /// The thread's number, as `top -H` shows it, and its name.
    public let thread: Int32
    public let threadName: String

    /// "SIGSEGV".
    public var signalName: String { cfatal_signal_name(signal).map { "SIG" + String(cString: $0) } ?? "signal \(signal)" }
  }

  /// The place to which the helper process writes its report. The dying process waits for it, for two seconds at most.
  public enum Report: Hashable, Sendable {
    /// There is no helper process.
    case none
    case standardError
    /// Appended to a file, which is created if missing.
    case file(String)
  }

  /// The signals of a process's own faults: bad accesses, traps, undefined instructions, `abort()`.
  public static let faults: [Int32] = [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS]

  private let wake: OwnedDescriptor
  private let done: OwnedDescriptor
  /// Number −1 without a helper process.
  private let reporter: OwnedDescriptor
  private let reporterProcess: pid_t
  /// True if this source's handlers are installed. A source whose initializer failed must not remove another one's.
  private let isInstalled = Atomic<Bool>(false)
  let source: FrameLoop.DescriptorSource

  /// Handles signals from now on, for the calling thread's loop.
  ///
  /// - Parameters:
  ///   - signals: at least one.
  ///   - patience: for how long the loop turns on at most, from 1 ms to 10 s.
  ///   - callback: called on the loop's thread when another thread has faulted.
  public init(
    signals: [Int32] = FatalSignalSource.faults, patience: Nanoseconds = .milliseconds(500), report: Report = .standardError,
    _ callback: LoopCallback<Fault, Void>
  ) throws(FatalSignalError) {
    if signals.isEmpty { throw .noSignals }
    do throws(SystemError) {
      wake = try .event()
      done = try .event()
      let started = try Self.startReporter(report)
      reporter = OwnedDescriptor(owning: started.channel)
      reporterProcess = started.process
    } catch {
      throw .system(error)
    }
    let body = callback.body
    source = FrameLoop.DescriptorSource(
      descriptor: wake.number,
      LoopCallback(
        body: { source, _ in
          // Once: the process ends before a second fault could be handled.
          source.invalidate()
          var fault = cfatal_fault()
          if cfatal_current(&fault) { body(Fault(fault), ()) }
        }, isOnMain: callback.isOnMain))
    let milliseconds = Int32(clamping: min(max(patience.count / 1_000_000, 1), 10_000))
    var refused: Int32 = 0
    let status = cfatal_install(
      signals, Int32(clamping: signals.count), wake.number, done.number, reporter.number, milliseconds, &refused)
    guard status == 0 else {
      let error = SystemError.last(call: "sigaction")
      Self.endReporter(reporterProcess)
      switch error.errno {
      case EBUSY: throw .alreadyHandled
      case EINVAL: throw .notHandleable(signal: refused)
      default: throw .system(error)
      }
    }
    isInstalled.store(true, ordering: .releasing)
  }

  deinit { invalidate() }

  /// Ends the last moment: the process dies now. Call it in the handler or later, once the message can be seen.
  public func finish() {
    var one: UInt64 = 1
    _ = write(done.number, &one, 8)
  }

  public var anyItem: FrameLoop.AnyItem { source.anyItem }

  /// Restores the earlier signal handlers, as the source's end does.
  public func invalidate() {
    guard isInstalled.exchange(false, ordering: .acquiringAndReleasing) else { return }
    source.invalidate()
    cfatal_remove()
    Self.endReporter(reporterProcess)
  }

  private static func startReporter(_ report: Report) throws(SystemError) -> (channel: Int32, process: pid_t) {
    var process: pid_t = 0
    let channel: Int32
    switch report {
    case .none: return (-1, 0)
    case .standardError: channel = cfatal_start_reporter(nil, &process)
    case .file(let path): channel = cfatal_start_reporter(path, &process)
    }
    guard channel >= 0 else { throw .last(call: "fork") }
    return (channel, process)
  }

  private static func endReporter(_ process: pid_t) {
    guard process > 0 else { return }
    kill(process, SIGKILL)
    while waitpid(process, nil, 0) < 0, errno == EINTR {}
  }
}

extension FatalSignalSource.Fault {
  init(_ fault: cfatal_fault) {
    signal = fault.signal
    code = fault.code
    address = UInt(fault.address)
    thread = fault.thread
    threadName = withUnsafeBytes(of: fault.thread_name) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
