import LinuxSystem
import Raster

/// A picture that the main thread requested and a worker draws. It can be cancelled.
final class DrawingJob: Sendable {
  enum Outcome: Sendable {
    case pending
    case finished(Image)
    case failed(BitmapError)
    case cancelled
  }

  let target: DrawingTarget
  private let drawing: any Drawing
  private let countdown: DrawingCountdown
  private let state = Lock(Outcome.pending)

  init(_ drawing: any Drawing, target: DrawingTarget, countdown: DrawingCountdown) {
    self.drawing = drawing
    self.target = target
    self.countdown = countdown
    countdown.enter()
  }

  var outcome: Outcome { state.withLock { $0 } }

  var isCancelled: Bool {
    if case .cancelled = outcome { return true }
    return false
  }

  /// Cancels the picture, also if it is finished but not shown yet. Any thread may call it, at any time.
  func cancel() {
    let wasPending = state.withLock { state in
      defer { state = .cancelled }
      return if case .pending = state { true } else { false }
    }
    if wasPending { countdown.leave(hasResult: false) }
  }

  /// Draws the picture unless it is cancelled. The job checks this before and after, and the drawing itself meanwhile.
  func run() {
    guard !isCancelled else { return }
    do {
      let image = try target.image(isCancelled: { self.isCancelled }, drawnBy: drawing.draw(in:))
      settle(.finished(image))
    } catch {
      settle(.failed(error))
    }
  }

  private func settle(_ outcome: Outcome) {
    let wasPending = state.withLock { state in
      guard case .pending = state else { return false }
      state = outcome
      return true
    }
    if wasPending { countdown.leave(hasResult: true) }
  }
}

/// A group of pictures that appear together.
@MainActor
final class DrawingGroup {
  struct Member {
    weak var layer: Layer?
    let job: DrawingJob
  }

  /// The number of the group within its context.
  let number: UInt64
  let countdown: DrawingCountdown
  private(set) var members: [Member] = []

  init(number: UInt64, inbox: DrawingInbox) {
    self.number = number
    countdown = DrawingCountdown { inbox.post(number) }
  }

  func add(_ drawing: any Drawing, for layer: Layer, target: DrawingTarget) -> DrawingJob {
    let job = DrawingJob(drawing, target: target, countdown: countdown)
    members.append(Member(layer: layer, job: job))
    return job
  }

  /// Called when no more pictures will be added.
  func close() { countdown.leave(hasResult: false) }
}

/// Counts the pending pictures of a group and reports when none are left.
final class DrawingCountdown: Sendable {
  private struct State {
    /// The number of pending pictures, plus one while more may be added.
    var pending = 1
    var hasResult = false
    /// True once no picture is pending and this was reported.
    var isOver = false
    var waiter: Latch?
  }

  private let state = Lock(State())
  private let whenReady: @Sendable () -> Void

  /// - Parameter whenReady: is called once, on any thread, unless all pictures were cancelled.
  init(whenReady: @escaping @Sendable () -> Void) {
    self.whenReady = whenReady
  }

  func enter() { state.withLock { $0.pending += 1 } }

  func leave(hasResult: Bool) {
    let (isLast, isReady) = state.withLock { state in
      state.pending -= 1
      state.hasResult = state.hasResult || hasResult
      return (state.pending == 0, state.hasResult)
    }
    guard isLast else { return }
    if isReady { whenReady() }
    let waiter = state.withLock { state in
      state.isOver = true
      return state.waiter
    }
    waiter?.open()
  }

  /// True if all pictures were cancelled.
  var isAbandoned: Bool { state.withLock { $0.pending == 0 && !$0.hasResult } }

  /// Waits until no picture is pending and this was reported, but not beyond a time of the machine's clock.
  ///
  /// - Returns: true if none is pending.
  func wait(until end: MonotonicTime?) -> Bool {
    let latch = state.withLock { state -> Latch? in
      if state.isOver { return nil }
      let latch = state.waiter ?? Latch()
      state.waiter = latch
      return latch
    }
    guard let latch else { return true }
    if let end { return latch.wait(for: end - SystemClock.monotonic.now) }
    latch.wait()
    return true
  }
}

/// Collects the groups that workers have finished.
final class DrawingInbox: Sendable {
  private struct State {
    var ready: [UInt64] = []
    var wake: (@Sendable () -> Void)?
  }

  private let state = Lock(State())

  var wake: (@Sendable () -> Void)? {
    get { state.withLock { $0.wake } }
    set { state.withLock { $0.wake = newValue } }
  }

  func post(_ group: UInt64) {
    let wake = state.withLock { state -> (@Sendable () -> Void)? in
      state.ready.append(group)
      // The first finished group wakes the loop, which then takes the others too.
      return state.ready.count == 1 ? state.wake : nil
    }
    wake?()
  }

  func take() -> [UInt64] {
    state.withLock { state in
      guard !state.ready.isEmpty else { return [] }
      defer { state.ready.removeAll() }
      return state.ready
    }
  }
}
