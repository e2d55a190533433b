import CLinux
import Glibc
public import LinuxSystem

/// Calls a callback on a loop's thread when the process gets a Unix signal, in place of the signal's usual effect.
///
///     let interrupt = try SignalSource(signals: [SIGINT, SIGTERM], .onMain { _ in engine.finish() })
///     FrameLoop.main.add(interrupt, to: .common)
///
/// The kernel merges equal signals that wait to be handled. If several sources have one signal, only one of them gets it. Make
/// a source on the loop's thread: that thread then blocks the signals, and so do threads and processes that it starts later.
/// The loop keeps the source until it is invalidated.
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

  /// Ends the source, and restores the former effect of signals that no other source has. Call it on the thread that made the
  /// source.
  public func invalidate() {
    guard source.isValid else { return }
    source.invalidate()
    CaughtSignals.remove(signals)
  }
}

/// The descriptor that signals are read from. It lives as long as the callback that reads it.
private final class SignalDescriptor: Sendable {
  private let descriptor: OwnedDescriptor

  init(_ signals: sigset_t) throws(SystemError) {
    var signals = signals
    let number = signalfd(-1, &signals, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
    guard number >= 0 else { throw .last(call: "signalfd") }
    descriptor = OwnedDescriptor(owning: number)
  }

  var number: Int32 { descriptor.number }

  /// Reads the next waiting signal; nil without one.
  func next() -> Int32? {
    var information = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    guard read(descriptor.number, &information, size) == size else { return nil }
    return Int32(information.ssi_signo)
  }
}
