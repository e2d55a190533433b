internal import CCurl
internal import LinuxSystem
internal import RunLoops

/// All transfers of a loop, on its thread.
///
/// Safe to share although unchecked: everything is used on the loop's thread alone, by the inbox's source, the alarm, and libcurl, which
/// the loop's sources call.
final class TransferEngine: @unchecked Sendable {
  private enum State {
    case waiting
    case running(TransferAttempt)
    /// Before another attempt.
    case pausing
  }

  private struct Entry {
    let transfer: Transfer
    let request: TransferRequest
    let handler: TransferLoop.Handler
    let beginnings: BeginningHandler?
    var order: Int
    var machine: RetryMachine
    var state: State
  }

  private(set) var isClosed = false
  private let configuration: TransferConfiguration
  private let loop: FrameLoop
  private var queue: TransferQueue
  private var deadlines = Deadlines()
  private var generator: SplitMix64
  private var entries: [UInt64: Entry] = [:]
  private var numbers: [UnsafeMutableRawPointer: UInt64] = [:]
  private var multi: CurlMulti?
  private var alarm: FrameLoop.Alarm?

  init(_ configuration: TransferConfiguration, loop: FrameLoop) throws(TransferError) {
    (self.configuration, self.loop) = (configuration, loop)
    queue = TransferQueue(limit: configuration.limit, limitPerHost: configuration.limitPerHost)
    generator = SplitMix64(seed: configuration.seed ?? UInt64.random(in: 0 ... .max))
    multi = try CurlMulti(loop: loop, idleConnections: configuration.idleConnections) { [unowned self] easy, code in
      hasEnded(easy, code)
    }
    let alarm = FrameLoop.Alarm(.onLoop { [weak self] in self?.deadlineHasCome() })
    loop.add(alarm, to: .default)
    self.alarm = alarm
  }

  deinit { alarm?.invalidate() }

  func handle(_ command: TransferLoop.Command) {
    switch command {
    case .start(let transfer, let request, let handler, let beginnings):
      let entry = Entry(
        transfer: transfer, request: request, handler: handler, beginnings: beginnings, order: request.order,
        machine: RetryMachine(policy: request.retries), state: .waiting)
      entries[transfer.number] = entry
      queue.insert(transfer.number, host: request.address.origin, order: request.order)
    case .cancel(let number): finish(number, .failure(.cancelled))
    case .move(let number, let order):
      entries[number]?.order = order
      queue.move(number, to: order)
    case .close: close()
    }
  }

  /// Begins what the limits allow.
  func startWaiting() {
    while let number = queue.next() { begin(number) }
    setAlarm()
  }

  /// Ends all transfers, in the order in which they came.
  private func close() {
    for number in entries.keys.sorted() { finish(number, .failure(.cancelled)) }
    isClosed = true
    multi?.close()
    multi = nil
    alarm?.invalidate()
  }

  private func begin(_ number: UInt64) {
    guard let entry = entries[number] else { return queue.remove(number) }
    // One that was used before may read freed memory up to libcurl 8.0, where an answer begins with a folded line (curl #11101).
    guard let easy = curl_easy_init() else { return finish(number, .failure(.noMemory)) }
    do throws(TransferError) {
      let attempt = try TransferAttempt(
        entry.request, firstBeginning: entry.beginnings?.first, easy: easy, proxy: configuration.proxy, clock: loop.clock
      ) { [unowned self] in took($0, of: number) }
      entries[number]?.state = .running(attempt)
      numbers[easy] = number
      guard multi?.add(easy) == true else { throw .noMemory }
      deadlines.set(number, to: attempt.deadline.time.nanoseconds)
    } catch {
      if numbers[easy] == nil { curl_easy_cleanup(easy) }
      finish(number, .failure(error))
    }
  }

  private func took(_ news: TransferAttempt.News, of number: UInt64) {
    guard let entry = entries[number], case .running(let attempt) = entry.state else { return }
    switch news {
    case .progress(let received, let total):
      Self.deliver(.progress(received: received, total: total), of: entry.transfer, to: entry.handler)
    case .beginning(let bytes): entry.beginnings?.body(bytes)
    case .connected:
      // Set anew, as the one for the connection would wake the loop in vain.
      deadlines.remove(number)
      deadlines.set(number, to: attempt.deadline.time.nanoseconds)
      setAlarm()
    }
  }

  private func hasEnded(_ easy: UnsafeMutableRawPointer, _ code: CURLcode) {
    guard let number = numbers[easy], let entry = entries[number], case .running(let attempt) = entry.state else { return }
    end(number, attempt.outcome(code, attempts: entry.machine.attempt, now: configuration.wallClock()))
    startWaiting()
  }

  private func deadlineHasCome() {
    let now = loop.clock.now
    while let number = deadlines.takeDue(at: now.nanoseconds) {
      guard let entry = entries[number] else { continue }
      switch entry.state {
      case .waiting: break
      case .pausing:
        entries[number]?.state = .waiting
        queue.insert(number, host: entry.request.address.origin, order: entry.order)
      case .running(let attempt):
        // Bytes that have come meanwhile have moved it.
        let deadline = attempt.deadline
        if deadline.time > now {
          deadlines.set(number, to: deadline.time.nanoseconds)
        } else {
          end(number, .failure(.timedOut(entry.request.address, deadline.phase, limit: deadline.limit)))
        }
      }
    }
    startWaiting()
  }

  private func setAlarm() {
    let next = deadlines.nextLook().map(MonotonicTime.init(nanoseconds:))
    if alarm?.fireTime != next { alarm?.fireTime = next }
  }

  /// Ends an attempt; another one may follow.
  private func end(_ number: UInt64, _ result: Result<TransferAnswer, TransferError>) {
    guard let entry = entries[number], case .failure(let error) = result,
      case .retry(let pause)? = entries[number]?.machine.failed(error, using: &generator)
    else { return finish(number, result) }
    takeOut(number)
    entries[number]?.state = .pausing
    deadlines.set(number, to: (loop.clock.now + pause).nanoseconds)
    Self.deliver(.retrying(after: pause, because: error), of: entry.transfer, to: entry.handler)
  }

  private func finish(_ number: UInt64, _ result: Result<TransferAnswer, TransferError>) {
    guard entries[number] != nil else { return }
    takeOut(number)
    guard let entry = entries.removeValue(forKey: number) else { return }
    Self.deliver(.finished(result), of: entry.transfer, to: entry.handler)
  }

  /// Takes a transfer out of everything but the entries.
  private func takeOut(_ number: UInt64) {
    deadlines.remove(number)
    queue.remove(number)
    guard case .running(let attempt)? = entries[number]?.state else { return }
    entries[number]?.state = .waiting
    multi?.remove(attempt.easy)
    numbers[attempt.easy] = nil
    curl_easy_cleanup(attempt.easy)
  }

  static func deliver(_ event: TransferEvent, of transfer: Transfer, to handler: TransferLoop.Handler) {
    guard handler.isOnMain else { return handler.body(transfer, event) }
    // Refused only when the process ends.
    try? FrameLoop.main.performLater { handler.body(transfer, event) }
  }
}
