import Glibc
public import LinuxSystem
public import Metering
public import RunLoops

/// Serves a program's metrics to Prometheus over HTTP, at the path `/metrics`.
///
/// ```swift
/// let server = try MetricsServer(address: MetricsAddress(port: 9464), loop: engine.loop) {
///   [meter.takeMetrics(of: "lobby", at: engine.loop.clock.now)]
/// } page: { frames in
///   var page = MetricsPage(frames: frames)
///   if let process = try? ProcessFigures.read() { page.add(process) }
///   return page
/// }
/// ```
///
/// A thread of its own talks to clients and prints the page; the main thread's loop is only asked for the figures, once for all
/// requests that wait. While nobody asks, nothing wakes. There is no encryption and no password: on another address than this machine's
/// own, everybody who reaches the port may read.
///
/// At most 16 connections are open at once; one more takes the place of the oldest that has not finished its request. A request may have 8 KiB.
/// To send its request, to take the answer, and to close, a client has 5 s each, and the loop has 5 s to answer: then the answer is the status
/// 503.
public final class MetricsServer: Sendable {
  /// The address that it listens on, with the port that it was given.
  public let address: MetricsAddress
  private let thread: LoopThread
  private let responder: Responder

  /// Begins to serve. The server ends when it is deallocated, or with `invalidate()`.
  ///
  /// - Parameters:
  ///   - loop: a loop of the main thread.
  ///   - figures: takes the figures, on the main thread, in a turn of the loop. It should take microseconds.
  ///   - page: makes the page of them, on the server's thread.
  public init<Figures: Sendable>(
    address: MetricsAddress, loop: FrameLoop, figures: @escaping @MainActor () -> Figures,
    page: @escaping @Sendable (Figures) -> MetricsPage
  ) throws(MetricsServerError) {
    do throws(SystemError) {
      let socket = try address.bound()
      self.address = try address.withPort(of: socket)
      let listener = try ListeningSocket(listeningOn: socket, subject: address.description)
      let thread = try LoopThread(name: "metrics")
      self.thread = thread
      responder = Responder(
        listener: listener, loop: thread.loop, allowsNames: !address.isLoopback,
        ask: { [server = thread.loop] answer in
          try loop.performLater(onMain: {
            let taken = figures()
            // The server may have ended meanwhile.
            try? server.performLater { answer(page(taken).text) }
          })
        })
    } catch {
      throw MetricsServerError(error, address: address)
    }
    responder.begin()
  }

  deinit { invalidate() }

  /// Ends the server and all connections. From any thread.
  public func invalidate() {
    // If the thread has been stopped, it has nothing any more.
    try? thread.loop.performAndWait { [responder] in responder.assumeIsolated { $0.end() } }
    thread.stop()
  }
}

/// The reason why metrics cannot be served.
public enum MetricsServerError: Error, Sendable, CustomStringConvertible {
  /// Another program listens there.
  case addressInUse(MetricsAddress)
  /// No network interface of this machine has the address.
  case noSuchAddress(MetricsAddress)
  /// The port is below 1024, which the system keeps for its own services.
  case notPermitted(MetricsAddress)
  case system(SystemError)

  init(_ error: SystemError, address: MetricsAddress) {
    switch error.errno {
    case EADDRINUSE: self = .addressInUse(address)
    case EADDRNOTAVAIL, EAFNOSUPPORT: self = .noSuchAddress(address)
    case EACCES: self = .notPermitted(address)
    default: self = .system(error)
    }
  }

  public var description: String {
    switch self {
    case .addressInUse(let address):
      "another program listens on \(address): use another port, or 0 for one that is free"
    case .noSuchAddress(let address): "no network interface of this machine has the address of \(address)"
    case .notPermitted(let address): "the port of \(address) is kept for the system: use one from 1024 on"
    case .system(let error): "\(error)"
    }
  }
}
