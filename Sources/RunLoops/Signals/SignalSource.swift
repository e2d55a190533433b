import CLinux
import Glibc
public import LinuxSystem

/// Calls a handler on a loop's thread when the process gets a Unix signal, instead of what the signal does otherwise.
///
/// The kernel puts equal signals together that come before they are handled. Of several sources for a signal one gets it,
/// whichever comes first. Make a source on the loop's thread, which then has the signals blocked: so have threads and processes
/// that it starts later. Like other items it lasts until it is invalidated, also when nobody but the loop has it.
public final class SignalSource: Sendable {
  public typealias Handler = @Sendable (Int32) -> Void

  let source: FrameLoop.DescriptorSource
  private let signals: [Int32]

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
    try CaughtSignals.add(signals)
    let descriptor: SignalDescriptor
    do throws(SystemError) {
      descriptor = try SignalDescriptor(CaughtSignals.set(of: signals))
    } catch {
      CaughtSignals.remove(signals)
      throw error
    }
    self.signals = signals
    source = FrameLoop.DescriptorSource(
      descriptor: descriptor.number, events: .readable, onMain: onMain,
      handler: { _, _ in while let signal = descriptor.next() { handler(signal) } })
  }

  public var isValid: Bool { source.isValid }

  /// Ends the source, and gives those of its signals that no other source has their former effect. Call it on the thread that
  /// made the source.
  public func invalidate() {
    guard source.isValid else { return }
    source.invalidate()
    CaughtSignals.remove(signals)
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
