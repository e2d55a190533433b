import CLinux
import Glibc
public import LinuxSystem

/// Calls a handler on a loop's thread when the process gets a Unix signal, instead of what the signal does otherwise.
///
/// The kernel puts equal signals together that come before they are handled. Of several sources for a signal one gets it,
/// whichever comes first. Make a source on the loop's thread, which then has the signals blocked: so have threads and processes
/// that it starts later. Like other items it lasts until it is invalidated, also when nobody but the loop has it.
public final class SignalSource: FrameLoop.Item {
  let source: FrameLoop.DescriptorSource
  private let signals: [Int32]

  /// - Parameters:
  ///   - signals: such as `SIGINT`; not `SIGKILL` or `SIGSTOP`, which cannot be caught.
  ///   - callback: called once per signal, with its number.
  public init(signals: [Int32], _ callback: LoopCallback<Int32, Void>) throws(SystemError) {
    try CaughtSignals.add(signals)
    let descriptor: SignalDescriptor
    do throws(SystemError) {
      descriptor = try SignalDescriptor(CaughtSignals.set(of: signals))
    } catch {
      CaughtSignals.remove(signals)
      throw error
    }
    self.signals = signals
    let body = callback.body
    source = FrameLoop.DescriptorSource(
      descriptor: descriptor.number,
      LoopCallback(
        body: { _, _ in while let signal = descriptor.next() { body(signal, ()) } }, isOnMain: callback.isOnMain))
  }

  public var isValid: Bool { source.isValid }
  public var anyItem: FrameLoop.AnyItem { source.anyItem }

  /// Ends the source, and gives those of its signals that no other source has their former effect. Call it on the thread that
  /// made the source.
  public func invalidate() {
    guard source.isValid else { return }
    source.invalidate()
    CaughtSignals.remove(signals)
  }
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
