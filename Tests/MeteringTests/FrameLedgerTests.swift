import FrameTiming
import LinuxSystem
import Metering
import Testing

/// The outcome of each frame.
@Suite struct FrameLedgerTests {
  /// A meter and a ledger that are told of the same events.
  private final class Log {
    let feed: Feed
    var ledger = FrameLedger()
    var frames: [LoggedFrame] = []

    init() throws { feed = try Feed() }

    func record(_ event: FrameEvent) {
      let causes = feed.meter.record(event)
      ledger.handle(event, of: feed.meter, causes: causes) { frames.append($0) }
    }

    func tick(_ number: UInt64, missed: UInt64 = 0) {
      record(
        .tick(
          DisplayLink.Tick(
            timestamp: feed.at(number), targetTimestamp: feed.at(number + 1), duration: Feed.interval, frameNumber: number,
            delivered: feed.at(number), missed: missed)))
    }

    /// A tick and its frame, which is seen after so many intervals; nil for never.
    @discardableResult
    func frame(_ number: UInt64, shownAfter intervals: UInt64? = 1, missed: UInt64 = 0) -> FrameRecord {
      tick(number, missed: missed)
      let frame = feed.frame(number, work: .milliseconds(2), shownAfter: intervals ?? 0)
      record(.committed(frame))
      if intervals != nil { record(.presented(frame)) }
      return frame
    }

    var outcomes: [String] { frames.map { "\($0.record.frameNumber) \($0.outcome)" } }
  }

  /// PresentMon's sign: a picture that is shown an interval too long is below zero, the next one above.
  @Test func animationErrorsHaveASign() throws {
    let log = try Log()
    for number in 0..<3 as Range<UInt64> { log.frame(number) }
    log.frame(3, shownAfter: 2)
    log.frame(5, missed: 1)
    #expect(log.frames.map { $0.step?.animationError } == [nil, 0, 0, -Feed.interval, Feed.interval])
    #expect(log.frames.map { $0.step?.interval } == [nil, 10_000_000, 10_000_000, 20_000_000, 10_000_000])
    #expect(log.frames.map(\.causes?.main) == [nil, nil, nil, .scanOut, nil])
    // The time of animations stands still: there is no error.
    var still = log.feed.frame(6, work: .milliseconds(2))
    still.animationTime = log.feed.at(6)
    log.record(.committed(still))
    log.record(.presented(still))
    #expect(log.frames.last?.step?.interval == Feed.interval && log.frames.last?.step?.animationError == nil)
    #expect(log.feed.meter.report().animationError.count == 4 && log.feed.meter.report().frameInterval.count == 5)
    log.record(.idle)
    log.frame(90)
    #expect(log.frames.last?.outcome == .presented && log.frames.last?.step == nil)
  }

  @Test func framesThatAreNotSeenAreLogged() throws {
    let log = try Log()
    log.frame(0)
    log.tick(1)
    log.record(.discarded(log.feed.frame(1, work: .milliseconds(9))))
    log.frame(2, shownAfter: nil)
    log.frame(3, shownAfter: nil)
    #expect(log.outcomes == ["0 presented", "1 discarded"])
    // Frames are seen in their order: the ones before are lost.
    log.frame(4)
    log.frame(5, shownAfter: nil)
    log.record(.refused(SystemError(call: "commit", errno: 16)))
    log.frame(6)
    log.frame(7, shownAfter: nil)
    log.frame(8, shownAfter: nil)
    log.ledger.end { log.frames.append($0) }
    #expect(
      log.outcomes == [
        "0 presented", "1 discarded", "2 lost", "3 lost", "4 presented", "5 lost", "6 presented", "7 pending", "8 pending",
      ])
    log.ledger.end { _ in Issue.record("a frame is logged twice") }
    #expect(log.frames[1].record.work == .milliseconds(9))
    #expect(log.frames.allSatisfy { $0.outcome == .presented || $0.step == nil && $0.causes == nil })
  }

  /// A frame that was handed over before a window was hidden is lost, one of more than a meter remembers too; what is made meanwhile is not
  /// logged, as it is in no figure.
  @Test(arguments: [1, 20] as [UInt64])
  func framesOfAHiddenWindowAreNotLogged(count: UInt64) throws {
    let log = try Log()
    log.frame(0)
    let frames = (1...count).map { log.frame($0, shownAfter: nil) }
    log.feed.meter.isHidden = true
    for frame in frames { log.record(.lost(frame)) }
    log.tick(count + 1)
    log.record(.lost(log.feed.frame(count + 1, work: .milliseconds(2))))
    #expect(log.outcomes == ["0 presented"] + (1...count).map { "\($0) lost" })
    #expect(log.feed.meter.report().lost == Int(count))
    log.feed.meter.isHidden = false
    log.frame(count + 2)
    log.tick(count + 3)
    log.record(.lost(log.feed.frame(count + 3, work: .milliseconds(2))))
    #expect(log.outcomes.suffix(2) == ["\(count + 2) presented", "\(count + 3) lost"])
  }

  /// Each interval of a run is told of once: by the next frame that is seen, or at the end.
  @Test func missedIntervalsAreToldOnce() throws {
    let log = try Log()
    log.frame(0)
    log.tick(4, missed: 3)
    log.record(.discarded(log.feed.frame(4, work: .milliseconds(2))))
    log.frame(5)
    let none = log.ledger.rest(of: log.feed.meter, at: log.feed.at(6))
    #expect(none == nil)
    log.frame(7, missed: 1)
    #expect(log.frames.map(\.counts.missed) == [0, 0, 3, 1])
    #expect(log.frames.map(\.counts.intervals) == [1, 0, 5, 2])
    let end = log.ledger.rest(of: log.feed.meter, at: log.feed.at(10))
    let rest = try #require(end)
    #expect(
      rest.outcome == .noFrame && rest.counts.missed == 2 && rest.counts.intervals == 2 && rest.record.frameNumber == 9)
    #expect(log.feed.meter.report(at: log.feed.at(10)).missed == 6)
  }

  /// One of two frames on their way is lost, and one that was never handed over.
  @Test func framesAreLostWithTheDisplay() throws {
    let log = try Log()
    log.frame(0)
    let first = log.frame(1, shownAfter: nil)
    log.frame(2, shownAfter: nil)
    log.record(.lost(first))
    log.tick(3)
    log.record(.lost(log.feed.frame(3, work: .milliseconds(2), shownAfter: 0)))
    #expect(log.outcomes == ["0 presented", "1 lost", "3 lost"])
    log.ledger.end { log.frames.append($0) }
    #expect(log.outcomes.last == "2 pending")
    let report = log.feed.meter.report()
    #expect(report.pending == 1 && report.late == 0 && report.lost == 2)
    #expect(report.lateCauses.isEmpty)
  }
}
