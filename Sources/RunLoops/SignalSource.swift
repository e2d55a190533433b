import CLinux
import Glibc
public import LinuxSystem

/// Calls a handler on a loop's thread when the process gets a Unix signal, instead of what the signal does otherwise.
///
/// The kernel puts equal signals together that come before they are handled. Make one source per signal, and on the loop's
/// thread, which then has the signals blocked: so have threads and processes that it starts later.
public final class SignalSource: Sendable {
  public typealias Handler = @Sendable (Int32) -> Void

  let source: FrameLoop.DescriptorSource
  /// What the signals did before, in order to put it back.
  private let dispositions: Dispositions

  /// - Parameters:
  ///   - signals: such as `SIGINT`; not `SIGKILL` or `SIGSTOP`, which cannot be caught.
  ///   - handler: is called on the thread of the loop that the source is added to, once per signal, with its number.
  public convenience init(signals: [Int32], handler: @escaping @Sendable (Int32) -> Void) throws(SystemError) {
    try self.init(signals, false, handler)
  }

  /// For the main thread's loops only: adding it to another loop is a programmer's error.
  public convenience init(signals: [Int32], onMain handler: @escaping @MainActor (Int32) -> Void) throws(SystemError) {
    // Safe: the item can only be added to a loop of the main thread, which every run of that loop checks that it is on.
    try self.init(signals, true, unsafeBitCast(handler, to: Handler.self))
  }

  private init(_ signals: [Int32], _ onMain: Bool, _ handler: @escaping Handler) throws(SystemError) {
    dispositions = try Dispositions(catching: signals)
    let descriptor: SignalDescriptor
    do throws(SystemError) {
      descriptor = try SignalDescriptor(dispositions.signals)
    } catch {
      dispositions.restore()
      throw error
    }
    source = FrameLoop.DescriptorSource(
      descriptor: descriptor.number, events: .readable, onMain: onMain,
      handler: { _, _ in while let signal = descriptor.next() { handler(signal) } })
  }

  public var isValid: Bool { source.isValid }

  /// Ends the source, and gives the signals their former effect. Call it on the thread that made the source.
  public func invalidate() {
    guard source.isValid else { return }
    source.invalidate()
    dispositions.restore()
  }
}

extension FrameLoop {
  /// Adds a signal source to a mode, or with `.common` to all common modes.
  public func add(_ source: SignalSource, to mode: Mode) { add(source.source, to: mode) }
  /// Removes a signal source from a mode, or with `.common` from all common modes. Signals that come then wait.
  public func remove(_ source: SignalSource, from mode: Mode) { remove(source.source, from: mode) }
  /// Whether a signal source is in a mode; with `.common`: whether it is one of the common items.
  public func contains(_ source: SignalSource, in mode: Mode) -> Bool { contains(source.source, in: mode) }
}

/// The descriptor that signals are read from; lives as long as the handler that reads it.
private final class SignalDescriptor: Sendable {
  private let descriptor: OwnedDescriptor

  init(_ signals: sigset_t) throws(SystemError) {
    var signals = signals
    let number = signalfd(-1, &signals, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
    guard number >= 0 else { throw .last(call: "signalfd") }
    descriptor = OwnedDescriptor(owning: number)
  }

  var number: Int32 { descriptor.number }

  /// The next signal that waits.
  func next() -> Int32? {
    var information = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    guard read(descriptor.number, &information, size) == size else { return nil }
    return Int32(information.ssi_signo)
  }
}

/// Signals that are held back for a descriptor, and what they did before.
private struct Dispositions: Sendable {
  let signals: sigset_t
  private var former: [(signal: Int32, action: sigaction)] = []
  /// What the thread had blocked before.
  private var blocked = sigset_t()

  init(catching numbers: [Int32]) throws(SystemError) {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in numbers {
      guard sigaddset(&signals, number) == 0 else { throw .last(call: "sigaddset", subject: "signal \(number)") }
    }
    self.signals = signals
    pthread_sigmask(SIG_BLOCK, &signals, &blocked)

    // A signal to the process goes to any thread that has not blocked it, such as one that ran before.
    var action = sigaction()
    action.sa_flags = SA_SIGINFO | SA_RESTART
    action.__sigaction_handler.sa_sigaction = { number, _, context in passOn(number, context) }
    for number in numbers {
      var old = sigaction()
      guard sigaction(number, &action, &old) == 0 else {
        let error = SystemError.last(call: "sigaction", subject: "signal \(number)")
        restore()
        throw error
      }
      former.append((number, old))
    }
  }

  /// The reverse, and the reverse order: a signal that was named twice gets back what it did first.
  func restore() {
    for (number, action) in former.reversed() {
      var action = action
      sigaction(number, &action, nil)
    }
    var unblocked = signals
    for number in 1...64 where sigismember([blocked], Int32(number)) == 1 { sigdelset(&unblocked, Int32(number)) }
    pthread_sigmask(SIG_UNBLOCK, &unblocked, nil)
  }
}

/// Runs in a thread that was hit by a signal that is meant for the descriptor: the thread blocks the signal from now on, and
/// the process gets it again, until every thread blocks it. Calls only what a signal handler may.
private func passOn(_ number: Int32, _ context: UnsafeMutableRawPointer?) {
  if let context { sigaddset(&context.assumingMemoryBound(to: ucontext_t.self).pointee.uc_sigmask, number) }
  kill(getpid(), number)
}
