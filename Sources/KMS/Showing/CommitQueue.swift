import LinuxSystem
import Presentation

/// The commits of one screen: which one the kernel has, which frames wait behind it, and when its event is overdue. A pure
/// value: events go in, and the answer is the presenter's next action.
///
/// One commit pends at a time, a frame or a change of the cursor alone. Where the kernel refuses a commit because something
/// else is in the way, the queue waits for the next vblank: then a frame is committed again, and a cursor may be.
///
/// A commit whose event does not come within `limit` is given up: some drivers lose one, above all around a suspend. The
/// next frame sets the mode anew. One alarm serves all commits, so that a frame costs a comparison, and a screen at rest
/// nothing.
struct CommitQueue {
  enum Content: Equatable {
    /// The frame in the buffer of this index.
    case frame(Int)
    /// A change of the cursor without a frame.
    case cursor
  }

  /// A commit to hand to the kernel.
  struct Commit: Equatable {
    let content: Content
    var way: CommitWay
    /// The commit's flip event has this token.
    var token: UInt32
    /// The time when it was first committed: its time runs from then on.
    let start: MonotonicTime
    /// The time when it was last committed.
    var submitted: MonotonicTime

    /// True if its event says something about later flips. A mode-set's does not.
    var isFlip: Bool { way != .modeSet }
  }

  enum State: Equatable {
    case idle
    /// The kernel has the commit.
    case pending(Commit)
    /// The kernel could not take the commit: the next vblank is waited for.
    case retrying(Commit)
    /// Nothing is taken any more.
    case stopped
  }

  enum Event: Equatable {
    /// A painted buffer is presented.
    case present(Int)
    /// The cursor has changed, and no frame has taken the change along.
    case cursorChanged
    /// The kernel has taken the commit.
    ///
    /// - Parameters:
    ///   - isAsynchronous: whether it does not wait for the vblank.
    ///   - isTold: whether a flip event follows.
    case taken(isAsynchronous: Bool, isTold: Bool)
    /// The kernel cannot take the commit before the next vblank.
    case busy
    /// The kernel has refused the commit.
    case refused
    case flipEvent(token: UInt32)
    /// The vblank that `awaitVBlank` requested has come.
    case vblank
    /// The alarm has fired. - Parameter hasUnread: whether the card has events that were not read yet.
    case alarm(hasUnread: Bool)
    /// The screen is found off, as after another program has switched it off.
    case foundOff
    case stop
  }

  enum Action: Equatable {
    case none
    /// Commit, and answer with `taken`, `busy` or `refused`.
    case commit(Commit)
    /// Send `vblank` with the first vblank after this time.
    case awaitVBlank(after: MonotonicTime)
    /// The frame is on the screen, not earlier than at this time. The next frame's commit goes first: its vblank is near.
    case presented(notBefore: MonotonicTime, next: Commit?)
    /// Let the alarm fire then.
    case look(at: MonotonicTime)
    /// The commit's event is lost. - Parameter isLast: whether too many were lost in a row to go on.
    case giveUp(isLast: Bool)
  }

  /// The longest time for an event. A flip takes an interval or two; drivers give up their own waits after some tenths of a
  /// second.
  static let limit = Nanoseconds.seconds(1)
  /// The time for unread events to be read: after a pause of the whole program the awaited one may be among them.
  static let grace = Nanoseconds.milliseconds(10)
  /// The number of commits in a row that may be lost.
  static let mostLost = 3

  private(set) var state = State.idle
  private(set) var isModeSet = false
  /// The number of commits that were given up because their event did not come.
  private(set) var lost: UInt64 = 0
  /// The time of the last commit.
  private(set) var lastCommit = MonotonicTime.zero
  private var frames: FlipState
  private var lostInARow = 0
  private var lastToken: UInt32 = 0
  /// True if flip events carry a vblank's stamp and sequence. Otherwise a commit is seen at the vblank after its event.
  private let flipsAreStamped: Bool

  init(bufferCount: Int, flipsAreStamped: Bool) {
    frames = FlipState(count: bufferCount)
    self.flipsAreStamped = flipsAreStamped
  }

  var isStopped: Bool { state == .stopped }

  /// The index of the buffer that is seen.
  var shownBuffer: Int? { frames.shown }
  /// A buffer that may be painted; nil while there is none.
  var freeBuffer: Int? { isStopped ? nil : frames.free }

  /// The time at which the pending commit's event is overdue; nil while none pends.
  var deadline: MonotonicTime? {
    switch state {
    case .pending(let commit): commit.start + Self.limit
    case .retrying(let commit) where commit.content != .cursor: commit.start + Self.limit
    case .retrying, .idle, .stopped: nil
    }
  }

  /// True if a change of the cursor can be committed by itself now.
  var canCommitCursor: Bool { isModeSet && state == .idle && frames.pending == nil }

  /// The screen shows the first buffer: the mode was set while the display was made.
  mutating func beginShowing() {
    isModeSet = true
    _ = frames.submit(0)
    _ = frames.complete()
  }

  mutating func handle(_ event: Event, at now: MonotonicTime) -> Action {
    switch (event, state) {
    case (_, .stopped): return .none
    case (.stop, _):
      forget()
      state = .stopped
    case (.present(let buffer), _):
      if frames.submit(buffer), state == .idle { return begin(.frame(buffer), at: now) }
    case (.cursorChanged, .idle) where canCommitCursor:
      return begin(.cursor, at: now)
    case (.taken(let isAsynchronous, let isTold), .pending(var commit)):
      if commit.way == .modeSet { isModeSet = true }
      if isAsynchronous {
        commit.way = .asynchronousFlip
        state = .pending(commit)
      }
      if !isTold { return .awaitVBlank(after: commit.submitted) }
    case (.busy, .pending(let commit)):
      state = .retrying(commit)
      return .awaitVBlank(after: commit.submitted)
    case (.refused, .pending(let commit)):
      // A refused cursor keeps no frame away: the frame's turn comes at the end of this one.
      if commit.content == .cursor {
        state = .idle
      } else {
        forget()
        isModeSet = false
      }
    case (.flipEvent(let token), .pending(let commit)) where token == commit.token:
      return flipsAreStamped ? complete(commit, at: now) : .awaitVBlank(after: commit.submitted)
    case (.vblank, .pending(let commit)):
      return complete(commit, at: now)
    case (.vblank, .retrying(let commit)):
      state = .idle
      if commit.content == .cursor { return beginNextFrame(at: now).map(Action.commit) ?? .none }
      return begin(commit.content, since: commit.start, at: now)
    case (.alarm(let hasUnread), _):
      return look(hasUnread: hasUnread, at: now)
    case (.foundOff, _):
      isModeSet = false
    case (.cursorChanged, _), (.taken, _), (.busy, _), (.refused, _), (.flipEvent, _), (.vblank, _): break
    }
    return .none
  }

  private mutating func begin(_ content: Content, since start: MonotonicTime? = nil, at now: MonotonicTime) -> Action {
    lastToken &+= 1
    lastCommit = now
    let commit = Commit(
      content: content, way: isModeSet ? .flip : .modeSet, token: lastToken, start: start ?? now, submitted: now)
    state = .pending(commit)
    return .commit(commit)
  }

  private mutating func beginNextFrame(at now: MonotonicTime) -> Commit? {
    guard let buffer = frames.pending, case .commit(let commit) = begin(.frame(buffer), at: now) else { return nil }
    return commit
  }

  /// The pending commit is on the screen.
  private mutating func complete(_ commit: Commit, at now: MonotonicTime) -> Action {
    state = .idle
    if commit.isFlip { lostInARow = 0 }
    guard case .frame = commit.content else { return beginNextFrame(at: now).map(Action.commit) ?? .none }
    _ = frames.complete()
    // The event of an asynchronous flip is stamped with the vblank before it.
    return .presented(
      notBefore: commit.way == .asynchronousFlip ? commit.submitted : .zero, next: beginNextFrame(at: now))
  }

  private mutating func look(hasUnread: Bool, at now: MonotonicTime) -> Action {
    guard let deadline else { return .none }
    if now < deadline { return .look(at: deadline) }
    if hasUnread { return .look(at: now + Self.grace) }
    lost += 1
    lostInARow += 1
    isModeSet = false
    forget()
    return .giveUp(isLast: lostInARow >= Self.mostLost)
  }

  /// Nothing is waited for any more; frames that were presented are not shown.
  private mutating func forget() {
    frames.cancel()
    state = .idle
  }
}
