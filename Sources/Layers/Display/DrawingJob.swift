import LinuxSystem
import Raster

/// A picture that the main thread requested and a worker draws. It can be cancelled.
final class DrawingJob: Sendable {
  enum State: Sendable {
    case waiting(any PictureMaker)
    /// With a coarse picture that nobody has shown yet.
    case drawing(MadePicture?)
    case finished(MadePicture)
    case failed(any Error)
    /// With the picture, or the coarse one, that was not shown yet.
    case cancelled(MadePicture?)
  }

  let target: DrawingTarget
  /// Nil where nobody measures.
  let times: DrawingTimes?
  private let countdown: DrawingCountdown
  private let storedState: Lock<State>

  init(_ maker: any PictureMaker, target: DrawingTarget, countdown: DrawingCountdown, times: DrawingTimes?) {
    self.target = target
    self.times = times
    self.countdown = countdown
    storedState = Lock(.waiting(maker))
    countdown.enter()
  }

  var state: State { storedState.withLock { $0 } }

  /// True while no worker has taken it.
  var isWaiting: Bool {
    storedState.withLock { if case .waiting = $0 { true } else { false } }
  }

  var isCancelled: Bool {
    storedState.withLock { if case .cancelled = $0 { true } else { false } }
  }

  /// Cancels the picture, also if it is finished but not shown yet. Any thread may call it, at any time.
  func cancel() {
    let old = storedState.withLock { state in
      let old = state
      switch old {
      case .waiting: state = .cancelled(nil)
      case .drawing(let coarse): state = .cancelled(coarse)
      case .finished(let picture): state = .cancelled(picture)
      case .failed, .cancelled: break
      }
      return old
    }
    switch old {
    case .waiting: countdown.leave(hasResult: false)
    // The group is reported, so that the main thread has a worker release the coarse picture.
    case .drawing(let coarse): countdown.leave(hasResult: coarse != nil)
    case .finished, .failed, .cancelled: break
    }
  }

  /// Draws the picture unless it is cancelled. The job checks this before and after, and the drawing itself meanwhile.
  func run() {
    let maker = storedState.withLock { state -> (any PictureMaker)? in
      guard case .waiting(let maker) = state else { return nil }
      state = .drawing(nil)
      return maker
    }
    guard let maker else { return }
    times?.begin()
    do {
      settle(.finished(try maker.makePicture(for: target, isCancelled: { self.isCancelled }, showCoarse: showCoarse)))
    } catch {
      settle(.failed(error))
    }
  }

  /// Has the main thread show a picture until the whole one is there. One that it has not shown yet gives way.
  private func showCoarse(_ picture: MadePicture) {
    if replaceDrawing(by: .drawing(picture)) { countdown.reportCoarse() }
  }

  /// The coarse picture that is to be shown, once.
  func takeCoarse() -> MadePicture? {
    storedState.withLock { state in
      guard case .drawing(let picture?) = state else { return nil }
      state = .drawing(nil)
      return picture
    }
  }

  private func settle(_ result: State) {
    times?.end()
    if replaceDrawing(by: result) { countdown.leave(hasResult: true) }
  }

  /// Returns false if the picture is cancelled. A coarse one that was not shown is released here, outside of the lock.
  private func replaceDrawing(by new: State) -> Bool {
    let old = storedState.withLock { state -> State? in
      guard case .drawing = state else { return nil }
      defer { state = new }
      return state
    }
    return old != nil
  }
}

/// A group of pictures that appear together: those of one commit and one priority.
@MainActor
final class DrawingGroup {
  struct Member {
    weak var taker: (any PictureTaker)?
    let job: DrawingJob
  }

  /// The number of the group within its context.
  let number: UInt64
  let priority: DrawingPriority
  let countdown: DrawingCountdown
  private(set) var members: [Member] = []

  init(number: UInt64, priority: DrawingPriority, inbox: DrawingInbox) {
    self.number = number
    self.priority = priority
    countdown = DrawingCountdown { inbox.post(number) }
  }

  func add(
    _ maker: any PictureMaker, for taker: any PictureTaker, target: DrawingTarget, times: DrawingTimes?
  ) -> DrawingJob {
    let job = DrawingJob(maker, target: target, countdown: countdown, times: times)
    members.append(Member(taker: taker, job: job))
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

  /// - Parameter whenReady: is called once, on any thread, unless all pictures were cancelled; and before for each coarse one.
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

  func reportCoarse() { whenReady() }

  /// True if no picture is pending.
  var isSettled: Bool { state.withLock { $0.pending == 0 } }

  /// True if all pictures were cancelled.
  var isAbandoned: Bool { state.withLock { $0.pending == 0 && !$0.hasResult } }

  /// Waits until no picture is pending and this was reported.
  ///
  /// - Parameter end: when the wait ends at the latest, by the machine's clock.
  /// - Returns: true if none is pending.
  @discardableResult
  func wait(until end: MonotonicTime? = nil) -> Bool {
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

/// Collects the groups that workers have finished, and the word that a surface was committed.
final class DrawingInbox: Sendable {
  private struct State {
    var ready: [UInt64] = []
    var hasSurfaces = false
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
      // The first of the news wakes the loop, which then takes the others too.
      return state.ready.count == 1 && !state.hasSurfaces ? state.wake : nil
    }
    wake?()
  }

  func postSurface() {
    let wake = state.withLock { state in
      let isFirst = state.ready.isEmpty && !state.hasSurfaces
      state.hasSurfaces = true
      return isFirst ? state.wake : nil
    }
    wake?()
  }

  /// - Parameter surfaces: false to leave the word of surfaces for the next call, for which the loop was woken already.
  func take(surfaces: Bool) -> (groups: [UInt64], hasSurfaces: Bool) {
    state.withLock { state in
      let news = (state.ready, surfaces && state.hasSurfaces)
      state.ready = []
      if surfaces { state.hasSurfaces = false }
      return news
    }
  }
}
