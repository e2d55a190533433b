internal import LinuxSystem
public import RunLoops
internal import Glibc

/// The limits of all transfers of a loop together.
public struct TransferConfiguration: Sendable {
  /// The way to servers.
  public enum Proxy: Hashable, Sendable {
    /// The one that the environment names: `http_proxy`, `https_proxy` and `no_proxy`.
    case environment
    case none
    case address(String)
  }

  /// The most transfers that are under way at a time.
  public var limit = 64
  /// The same for one scheme, host and port.
  public var limitPerHost = 6
  /// The most connections that are kept for further requests.
  public var idleConnections = 32
  public var proxy = Proxy.environment
  /// Whole seconds since 1970, for dates that servers state.
  public var wallClock: @Sendable () -> Int64 = { Int64(time(nil)) }
  /// The seed of the random part of pauses; nil for one of its own. Many devices that lost a server at once must not come back at once.
  public var seed: UInt64?

  public init() {}
}

/// Carries transfers over HTTP on one thread, however many there are. Any thread may use it, and none waits for it.
///
/// ```swift
/// let transfers = try TransferLoop()
/// transfers.start(TransferRequest(try WebAddress("http://example.org/photo.jpg")), .onMain { transfer, event in
///   if case .finished(let result) = event { show(result) }
/// })
/// ```
///
/// The thread sleeps while nothing comes: connections that are idle or hang cost no wake-ups until their limit of time. All transfers
/// are ended with `TransferError.cancelled` when this object is closed or deallocated.
public final class TransferLoop: Sendable {
  /// Receives the news of a transfer: `.onLoop` on the thread of the transfers, which must not be held up, `.onMain` on the main
  /// thread, to which it is posted.
  public typealias Handler = LoopCallback<Transfer, TransferEvent>

  enum Command: Sendable {
    case start(Transfer, TransferRequest, Handler, BeginningHandler?)
    case cancel(UInt64)
    case move(UInt64, order: Int)
    case close
  }

  /// The loop on which the transfers are carried.
  public let loop: FrameLoop
  let wallClock: @Sendable () -> Int64
  private let inbox: TransferInbox
  private let thread: LoopThread

  /// Starts the thread.
  ///
  /// - Throws: `TransferError.noMemory` if the system has no thread or no descriptor left.
  public init(_ configuration: TransferConfiguration = TransferConfiguration()) throws(TransferError) {
    do throws(SystemError) { thread = try LoopThread(name: "transfers") } catch { throw .noMemory }
    loop = thread.loop
    wallClock = configuration.wallClock
    inbox = TransferInbox(loop: thread.loop)
    let engine = try TransferEngine(configuration, loop: thread.loop)
    // The thread lives until the engine has ended all transfers.
    inbox.open { [thread] commands, source in
      for command in commands { engine.handle(command) }
      if engine.isClosed {
        source.invalidate()
        thread.stop()
      } else {
        engine.startWaiting()
      }
    }
  }

  deinit { close() }

  /// Starts a transfer as soon as the limits allow it.
  ///
  /// - Parameters:
  ///   - handler: is called with `finished` exactly once, at last. If the loop is closed, `.onLoop` is called on this thread at once.
  /// - Returns: the transfer, which goes on if nobody holds it.
  @discardableResult
  public func start(_ request: TransferRequest, _ handler: Handler) -> Transfer { start(request, handler, beginnings: nil) }

  func start(_ request: TransferRequest, _ handler: Handler, beginnings: BeginningHandler?) -> Transfer {
    let transfer = Transfer(number: inbox.nextNumber(), request.address, inbox)
    if !inbox.post(.start(transfer, request, handler, beginnings)) {
      TransferEngine.deliver(.finished(.failure(.cancelled)), of: transfer, to: handler)
    }
    return transfer
  }

  /// Ends all transfers, and the thread. Later ones are refused. Returns at once.
  public func close() { inbox.post(.close) }

  /// Waits until the closed loop's thread has ended; for tests.
  package func waitUntilEnded() { thread.waitUntilEnded() }
}

/// Gets the bytes so far of an answer, on the transfers' thread.
struct BeginningHandler: Sendable {
  /// The bytes at which it is called first. Later calls follow whenever they have doubled.
  let first: Int
  let body: @Sendable ([UInt8]) -> Void
}

/// A transfer that waits, is under way, or has ended. Any thread may use it.
public final class Transfer: Sendable, Hashable {
  public let address: WebAddress
  let number: UInt64
  private let inbox: TransferInbox

  init(number: UInt64, _ address: WebAddress, _ inbox: TransferInbox) {
    (self.number, self.address, self.inbox) = (number, address, inbox)
  }

  /// Ends the transfer with `TransferError.cancelled`, unless it has ended. The handler hears of it as of every end.
  public func cancel() { inbox.post(.cancel(number)) }

  /// Moves a transfer that waits; see `TransferRequest.order`. One that is under way stays so.
  public func move(to order: Int) { inbox.post(.move(number, order: order)) }

  public static func == (left: Transfer, right: Transfer) -> Bool { left === right }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The commands for the transfers' thread. Each one that was taken in before the end is handled there; later ones are refused.
final class TransferInbox: Sendable {
  private struct State {
    var commands: [TransferLoop.Command] = []
    var lastNumber: UInt64 = 0
    /// Nil once the inbox is closed.
    var source: FrameLoop.Source?
  }

  private let state = Lock(State())
  private let loop: FrameLoop

  init(loop: FrameLoop) { self.loop = loop }

  func nextNumber() -> UInt64 {
    state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
  }

  /// Has all commands handled on the loop's thread.
  func open(_ handle: @escaping @Sendable ([TransferLoop.Command], FrameLoop.Source) -> Void) {
    let source = FrameLoop.Source(.onLoop { [self] source in handle(take(), source) })
    state.withLock { $0.source = source }
    loop.add(source, to: .default)
  }

  /// - Returns: false if the inbox was closed.
  @discardableResult
  func post(_ command: TransferLoop.Command) -> Bool {
    let source: FrameLoop.Source? = state.withLock { state in
      guard let source = state.source else { return nil }
      state.commands.append(command)
      if case .close = command {
        // The loop keeps it until it has handled the last command.
        state.source = nil
      }
      return source
    }
    guard let source else { return false }
    source.signal()
    loop.wakeUp()
    return true
  }

  private func take() -> [TransferLoop.Command] {
    state.withLock { state in
      defer { state.commands = [] }
      return state.commands
    }
  }
}
