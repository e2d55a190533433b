import Glibc
import LinuxSystem
import Testing

@testable import KMS

/// A screen's commits, event by event.
@Suite struct CommitQueueTests {
  private static let start = MonotonicTime(nanoseconds: 1_000_000_000)
  private let start = Self.start

  /// A queue whose first frame, in buffer 0, is on the screen.
  private func showing(buffers: Int = 2, flipsAreStamped: Bool = true) -> CommitQueue {
    var queue = CommitQueue(bufferCount: buffers, flipsAreStamped: flipsAreStamped)
    queue.beginShowing()
    return queue
  }

  private let taken = CommitQueue.Event.taken(isAsynchronous: false, isTold: true)

  @Test func theFirstFrameSetsTheMode() throws {
    var queue = CommitQueue(bufferCount: 2, flipsAreStamped: true)
    let first = try #require(queue.handle(.present(0), at: start).commit)
    #expect(first.way == .modeSet)
    #expect(queue.handle(taken, at: start) == .none)
    #expect(queue.isModeSet)
    #expect(queue.handle(.flipEvent(token: first.token), at: start) == .presented(notBefore: .zero, next: nil))
    #expect(queue.handle(.present(1), at: start).commit?.way == .flip)
  }

  /// Mode-sets by the legacy calls send no event, and drivers without vblank send theirs at once.
  @Test func aCommitThatIsNotToldIsSeenAtTheNextVBlank() throws {
    var queue = showing(flipsAreStamped: false)
    let commit = try #require(queue.handle(.present(1), at: start).commit)
    #expect(queue.handle(taken, at: start) == .none)
    #expect(queue.handle(.flipEvent(token: commit.token), at: start) == .awaitVBlank(after: start))
    #expect(queue.handle(.vblank, at: start) == .presented(notBefore: .zero, next: nil))
    _ = queue.handle(.foundOff, at: start)
    #expect(queue.handle(.present(0), at: start).commit?.way == .modeSet)
    #expect(
      queue.handle(.taken(isAsynchronous: false, isTold: false), at: start) == .awaitVBlank(after: start))
  }

  @Test func aFrameWaitsForTheOneThatPends() throws {
    var queue = showing(buffers: 3)
    let first = try #require(queue.handle(.present(1), at: start).commit)
    _ = queue.handle(taken, at: start)
    #expect(queue.handle(.present(2), at: start) == .none)
    #expect(queue.freeBuffer == nil)
    guard case .presented(_, let next?) = queue.handle(.flipEvent(token: first.token), at: start) else {
      return #expect(Bool(false), "the frame that waits is not committed")
    }
    #expect(next.content == .frame(2))
  }

  @Test func aFrameWaitsForACursorAndNotTheReverse() throws {
    var queue = showing()
    let cursor = try #require(queue.handle(.cursorChanged, at: start).commit)
    #expect(cursor.content == .cursor)
    _ = queue.handle(taken, at: start)
    #expect(queue.handle(.present(1), at: start) == .none)
    let frame = try #require(queue.handle(.flipEvent(token: cursor.token), at: start).commit)
    #expect(frame.content == .frame(1))
    _ = queue.handle(taken, at: start)
    #expect(queue.handle(.cursorChanged, at: start) == .none)
  }

  /// A frame is committed again, with its time running from the first commit. A cursor that is busy only waits: the turn's
  /// end commits it again.
  @Test func whatIsBusyWaitsForAVBlank() throws {
    var queue = showing()
    let first = try #require(queue.handle(.present(1), at: start).commit)
    #expect(queue.handle(.busy, at: start) == .awaitVBlank(after: start))
    #expect(queue.deadline == start + CommitQueue.limit)
    #expect(queue.handle(.flipEvent(token: first.token), at: start) == .none, "the event of a commit that failed")
    let later = start + .milliseconds(16)
    let second = try #require(queue.handle(.vblank, at: later).commit)
    #expect(second.token != first.token && second.start == start && second.submitted == later)
    _ = queue.handle(taken, at: later)
    _ = queue.handle(.flipEvent(token: second.token), at: later)

    _ = queue.handle(.cursorChanged, at: later)
    #expect(queue.handle(.busy, at: later) == .awaitVBlank(after: later))
    #expect(queue.deadline == nil)
    #expect(queue.handle(.present(0), at: later) == .none)
    #expect(queue.handle(.vblank, at: later).commit?.content == .frame(0))
  }

  @Test func aRefusedFrameTakesTheWaitingOneAlong() throws {
    var queue = showing(buffers: 3)
    _ = queue.handle(.present(1), at: start)
    _ = queue.handle(.refused, at: start)
    #expect(queue.state == .idle && !queue.isModeSet && queue.freeBuffer == 1)
    // A refused cursor is nothing to a frame.
    queue = showing()
    _ = queue.handle(.cursorChanged, at: start)
    _ = queue.handle(.refused, at: start)
    #expect(queue.state == .idle && queue.isModeSet)
  }

  @Test func anAsynchronousFlipIsNotSeenBeforeItsCommit() throws {
    var queue = showing()
    let commit = try #require(queue.handle(.present(1), at: start).commit)
    _ = queue.handle(.taken(isAsynchronous: true, isTold: true), at: start)
    #expect(queue.handle(.flipEvent(token: commit.token), at: start) == .presented(notBefore: start, next: nil))
  }

  @Test func whatIsStoppedTakesNothing() {
    var queue = showing()
    _ = queue.handle(.present(1), at: start)
    _ = queue.handle(.stop, at: start)
    #expect(queue.freeBuffer == nil && queue.deadline == nil)
    #expect(queue.handle(.vblank, at: start) == .none)
  }

  // MARK: Time limits

  @Test func aLostEventIsGivenUpAndThreeInARowAreTheEnd() throws {
    var queue = showing()
    var now = start
    for round in 1...3 {
      // The buffer that is not shown.
      _ = queue.handle(.present(round == 1 ? 1 : try #require(queue.freeBuffer)), at: now)
      // A busy driver is no sign of life.
      _ = queue.handle(.busy, at: now)
      let flip = try #require(queue.handle(.vblank, at: now).commit)
      _ = queue.handle(taken, at: now)
      let due = now + CommitQueue.limit
      #expect(queue.deadline == due)
      // The unread events may be those of other displays.
      #expect(queue.handle(.alarm(hasUnread: true), at: due) == .look(at: due + CommitQueue.grace))
      #expect(queue.handle(.alarm(hasUnread: false), at: due) == .giveUp(isLast: round == 3))
      #expect(queue.lost == UInt64(round) && queue.state == .idle)
      // A mode-set's event says nothing about flips.
      let free = try #require(queue.freeBuffer)
      let modeSet = try #require(queue.handle(.present(free), at: due).commit)
      #expect(modeSet.way == .modeSet)
      _ = queue.handle(taken, at: due)
      // The lost event comes after all: it neither shows the next frame nor frees a buffer.
      #expect(queue.handle(.flipEvent(token: flip.token), at: due) == .none)
      #expect(queue.state == .pending(modeSet) && queue.freeBuffer == nil)
      _ = queue.handle(.flipEvent(token: modeSet.token), at: due)
      now = due
    }
  }

  /// Random commits, events that come or do not, and an alarm that is late: no event that comes within a second is given
  /// up, each one that does not come is, and the alarm is at rest when nothing pends.
  @Test func randomCommits() throws {
    let seed = UInt64.random(in: 0...999_999)
    print("CommitQueue seed \(seed)")
    var random = SplitMix64(seed: seed)
    var queue = showing()
    var now = start
    var alarm: MonotonicTime?
    /// The pending commit's token, and when its event comes; nil for never.
    var event: (token: UInt32, time: MonotonicTime)?
    var (given, missed, lost) = (0, 0, 0)
    let lateness = Nanoseconds.milliseconds(50)
    for _ in 0..<20_000 {
      let idle = now + .milliseconds(Int64.random(in: 0...3_000, using: &random))
      let isIdle = queue.state == .idle
      let next = [event?.time, alarm.map { $0 + lateness }, isIdle ? idle : nil].compactMap(\.self).min()
      now = max(now, try #require(next, "a commit pends and nobody looks, seed \(seed)"))
      if let due = event, due.time <= now {
        event = nil
        _ = queue.handle(.flipEvent(token: due.token), at: now)
        #expect(queue.state == .idle)
      } else if let time = alarm, time + lateness <= now {
        alarm = nil
        let deadline = queue.deadline
        switch queue.handle(.alarm(hasUnread: random.chance(0.1)), at: now) {
        case .look(let time):
          #expect(deadline != nil && time > now)
          alarm = time
        case .giveUp:
          #expect(event == nil && now >= deadline ?? .distantFuture, "seed \(seed)")
          #expect(now - (deadline ?? .zero) <= (CommitQueue.grace + lateness) * 8)
          missed += 1
        default: #expect(deadline == nil)
        }
      } else {
        let content: CommitQueue.Event =
          queue.canCommitCursor && random.chance(0.3) ? .cursorChanged : .present(try #require(queue.freeBuffer))
        let commit = try #require(queue.handle(content, at: now).commit)
        _ = queue.handle(taken, at: now)
        let isLost = random.chance(0.02)
        event = isLost ? nil : (commit.token, now + .microseconds(Int64.random(in: 1...999_000, using: &random)))
        (given, lost) = (given + 1, lost + (isLost ? 1 : 0))
        alarm = alarm ?? queue.deadline
      }
    }
    #expect(missed == lost || missed == lost - 1)
    #expect(missed > 50 && given > 5_000)
  }

  // MARK: Refusals

  /// A class of errors each: passing, refused for a part of the commit, lost, anything else.
  @Test func answers() {
    typealias Row = (
      errno: Int32, flip: CommitAnswer, flipWithExtras: CommitAnswer, modeSet: CommitAnswer, modeSetWithExtras: CommitAnswer
    )
    let table: [Row] = [
      (EBUSY, .retryAtVBlank, .retryAtVBlank, .refused, .refused),
      (ENOMEM, .retryAtVBlank, .retryAtVBlank, .refused, .retryWithoutExtras),
      (EINVAL, .refused, .retryWithoutExtras, .refused, .retryWithoutExtras),
      (EACCES, .lost, .lost, .lost, .lost), (ENODEV, .lost, .lost, .lost, .lost),
      (EIO, .refused, .refused, .refused, .refused),
    ]
    for row in table {
      #expect(CommitAnswer(errno: row.errno, isFlip: true, hasExtras: false) == row.flip, "\(row.errno)")
      #expect(CommitAnswer(errno: row.errno, isFlip: true, hasExtras: true) == row.flipWithExtras, "\(row.errno)")
      #expect(CommitAnswer(errno: row.errno, isFlip: false, hasExtras: false) == row.modeSet, "\(row.errno)")
      #expect(CommitAnswer(errno: row.errno, isFlip: false, hasExtras: true) == row.modeSetWithExtras, "\(row.errno)")
    }
  }
}

extension CommitQueue.Action {
  fileprivate var commit: CommitQueue.Commit? { if case .commit(let commit) = self { commit } else { nil } }
}
