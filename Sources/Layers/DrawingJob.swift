import LinuxSystem
import Raster

/// One picture on its way: asked for by the main thread, drawn by a worker, cancelled by whoever no longer wants it.
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

  /// Any thread, at any time. A picture that is finished and not shown yet is given up too.
  func cancel() {
    let wasPending = state.withLock { state in
      defer { state = .cancelled }
      return if case .pending = state { true } else { false }
    }
    if wasPending { countdown.leave(hasResult: false) }
  }

  /// Draws, unless cancelled: looked at before, by the drawing itself meanwhile, and after.
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

/// The pictures that are to appear together.
@MainActor
final class DrawingGroup {
  struct Member {
    weak var layer: Layer?
    let job: DrawingJob
  }

  /// Tells groups of one context apart.
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

  /// No more will be added.
  func close() { countdown.leave(hasResult: false) }
}

/// Counts the pictures of a group that are still pending, and says when there are none.
final class DrawingCountdown: Sendable {
  private struct State {
    /// One for each pending picture, and one while more may come.
    var pending = 1
    var hasResult = false
    /// Whether all is done, word of it given included.
    var isOver = false
    var waiter: Latch?
  }

  private let state = Lock(State())
  private let whenReady: @Sendable () -> Void

  /// - Parameter whenReady: called once, on any thread, unless there is nothing to show because all were cancelled.
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

  /// Whether all were cancelled.
  var isAbandoned: Bool { state.withLock { $0.pending == 0 && !$0.hasResult } }

  /// Returns when none is pending and word has been given.
  func wait() {
    let latch = state.withLock { state -> Latch? in
      if state.isOver { return nil }
      let latch = state.waiter ?? Latch()
      state.waiter = latch
      return latch
    }
    latch?.wait()
  }
}

/// Where workers leave word of groups that are ready.
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
      // The first word wakes; whoever comes for it finds the rest.
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
