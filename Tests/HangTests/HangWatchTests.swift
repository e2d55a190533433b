import Glibc
import LinuxSystem
import RunLoops
import Testing

@testable import Hangs

/// The monitor's work from looks to reports, on simulated time. The thread that is watched is the test's own.
struct HangWatchTests {
  private final class Told: Sendable {
    let reports = Lock<[HangReport]>([])
    var all: [HangReport] { reports.withLock(\.self) }
    var over: [HangReport] { all.filter(\.isOver) }
  }

  private final class SimulatedWatch {
    let clock = ManualClock(start: .zero + .seconds(1_000))
    let shared = HangMonitor.Shared()
    let told = Told()
    let reporter: HangReporter
    private let loops: [FrameLoop]
    let watched: [WatchedLoop]
    var watch: HangWatch

    init(_ change: (inout HangMonitor.Configuration) -> Void = { _ in }, loops names: [String] = ["main"]) throws {
      var configuration = HangMonitor.Configuration()
      // Two samples in a hang, since each takes real time.
      configuration.limits = HangDetector.Limits(countsFrom: .milliseconds(1_900), sampleInterval: .seconds(1))
      configuration.load = nil
      configuration.onReport = { [told] report in told.reports.withLock { $0.append(report) } }
      change(&configuration)
      reporter = try HangReporter(configuration)
      watch = HangWatch(configuration, shared, reporter, seed: 5)
      let (clock, bell, thread) = (SystemClock.manual(clock), shared.bell, try SampledThread.current())
      loops = names.map { _ in FrameLoop(clock: clock) }
      watched = zip(loops, names).map { loop, name in
        WatchedLoop(
          loop: loop, name: name, beacon: LoopBeacon(clock: clock, bell: bell, depth: 0), thread: thread, observers: [])
      }
    }

    /// A turn of a loop, and a second of sleep after it.
    func turn(of loop: Int = 0, for time: Nanoseconds, isEnding: Bool = true, in place: (() -> Void) -> Void) {
      watched[loop].beacon.begin(.woken)
      let end = clock.now + time
      var next = watched.map { watch.look(at: $0) }
      place {
        while let due = next.compactMap(\.self).min(), due <= end {
          clock.advance(to: due)
          next = watched.map { watch.look(at: $0) }
        }
      }
      clock.advance(to: end)
      guard isEnding else { return }
      watched[loop].beacon.end()
      clock.advance(by: .seconds(1))
      for watched in watched { _ = watch.look(at: watched) }
    }

    /// Waits for the last report.
    func finish() -> HangMonitor.Counts {
      watch.endAll()
      reporter.finish()
      return shared.state.withLock(\.counts)
    }
  }

  @inline(never)
  private static func load(_ body: () -> Void) {
    body()
    withExtendedLifetime(self) {}
  }

  /// A stack of its own for each depth.
  @inline(never)
  private static func nested(_ depth: Int, _ body: () -> Void) {
    if depth == 0 { body() } else { nested(depth - 1, body) }
    withExtendedLifetime(self) {}
  }

  @Test func equalHangsAreToldAtFibonacciIntervalsAndAnotherOneAtOnce() throws {
    let simulated = try SimulatedWatch()
    for _ in 0..<100 { simulated.turn(for: .milliseconds(2_100), in: Self.load) }
    simulated.turn(for: .milliseconds(2_100)) { Self.nested(1, $0) }
    for _ in 0..<20 { simulated.turn(for: .milliseconds(1_950)) { Self.nested(2, $0) } }
    let counts = simulated.finish()
    // Steps of at least 2 s times 1, 2, 3, 5, … on a grid of 3.1 s: after 1, 2, 2, 4, 6, 9, 14, 22 and 36 hangs.
    #expect(counts.hangs == 101 && counts.reports == 11 && counts.leftOut == 90, "\(counts)")
    #expect(counts.slowTurns == 121)
    let over = simulated.told.over
    #expect(over.count == 11 && over.dropLast().allSatisfy { $0.frames.count == over.first?.frames.count })
    #expect(over.dropFirst(9).first?.leftOut == 35, "\(over.map(\.leftOut))")
    // Each is told when it begins and when it is over.
    #expect(simulated.told.all.map(\.isOver) == (0..<22).map { $0 % 2 == 1 })
    #expect(simulated.told.all.first?.duration == .seconds(2) && over.first?.duration == .milliseconds(2_100))
  }

  /// A program may be killed at any moment of a hang: its report is in a file with at least half of its duration, and is not sent yet.
  @Test(arguments: [(1_990, nil), (2_000, 2_000), (3_900, 2_000), (9_000, 8_000)] as [(Int64, Int64?)])
  func aHangThatLastsIsInItsFile(milliseconds: Int64, written: Int64?) throws {
    let path = "/tmp/framepace-lasting-\(getpid())-\(milliseconds)"
    let simulated = try SimulatedWatch {
      $0.folder = path
      $0.upload = { _ in true }
    }
    let folder = try ReportFolder(path: path, limit: 10)
    defer {
      for file in folder.reports { unlink(file) }
      rmdir(path)
    }
    simulated.turn(for: .milliseconds(milliseconds), isEnding: false, in: Self.load)
    simulated.reporter.finish()
    let reports = try folder.reports.map { file in
      try HangReport(fileText: String(decoding: OwnedDescriptor.contents(of: file, limit: 1 << 20), as: UTF8.self))
    }
    #expect(reports.map(\.duration) == (written.map { [.milliseconds($0)] } ?? []))
    #expect(reports.allSatisfy { !$0.isOver && $0.count == 1 })
  }

  @Test func theShareOfReportsIsChosen() throws {
    for (rate, expected) in [(0.0, 0...0), (0.25, 1...14), (1.0, 24...24)] {
      let simulated = try SimulatedWatch { $0.reportingRate = rate }
      for depth in 0..<24 { simulated.turn(for: .milliseconds(2_100)) { Self.nested(depth, $0) } }
      let counts = simulated.finish()
      #expect(counts.hangs == 24 && expected.contains(counts.reports), "\(rate): \(counts)")
      #expect(counts.leftOut == 24 - counts.reports && simulated.told.over.count == counts.reports)
    }
  }

  @Test func ofSeveralLoopsTheOneThatHangsIsNamed() throws {
    let simulated = try SimulatedWatch(loops: ["main", "decoder"])
    simulated.turn(of: 1, for: .seconds(3), in: Self.load)
    #expect(simulated.finish().hangs == 1)
    #expect(simulated.told.over.map(\.loop) == ["decoder"])
    #expect(simulated.told.over.first?.phase == .woken)
  }

  @Test func theApplicationIsAskedWhenATurnBecomesAHang() throws {
    let asked = Lock(0)
    let simulated = try SimulatedWatch {
      $0.facts = {
        asked.withLock { $0 += 1 }
        return [HangReport.Fact("screen", "settings")]
      }
    }
    simulated.turn(for: .milliseconds(1_950), in: Self.load)
    #expect(asked.withLock(\.self) == 0)
    simulated.turn(for: .seconds(4), in: Self.load)
    _ = simulated.finish()
    #expect(asked.withLock(\.self) == 1)
    let facts = [HangReport.Fact("screen", "settings")]
    #expect(simulated.told.all.map(\.facts) == [facts, facts])
  }

  /// A hang that lasts when its loop is watched no longer, or when the monitor stops, is reported all the same.
  @Test func aHangIsReportedWhenTheWatchingEnds() throws {
    let simulated = try SimulatedWatch()
    simulated.turn(for: .seconds(3), isEnding: false, in: Self.load)
    #expect(simulated.finish().reports == 1)
  }

  /// A loop that is gone has left its beacon in the middle of a turn.
  @Test func aLoopThatIsGoneIsForgotten() throws {
    var simulated: SimulatedWatch? = try SimulatedWatch()
    let (shared, watched) = (try #require(simulated).shared, try #require(simulated).watched[0])
    shared.state.withLock { $0.watched = [watched] }
    watched.beacon.begin(.woken)
    simulated = nil
    #expect(watched.loop == nil)
    var watch = HangWatch(HangMonitor.Configuration(), shared, try HangReporter(HangMonitor.Configuration()), seed: 1)
    #expect(watch.nextRound()?.isEmpty == true)
  }
}

struct HangReporterTests {
  /// A program that is killed after a hang leaves its report: it is in its file before anything else happens. Equal ones go into the same file.
  @Test func aReportIsInItsFileAtOnce() throws {
    let path = "/tmp/framepace-at-once-\(getpid())"
    let folder = try ReportFolder(path: path, limit: 10)
    defer {
      for file in folder.reports { unlink(file) }
      rmdir(path)
    }
    // Called after each file that was written, on the reporter's thread.
    let counts = Lock<[Int]>([])
    var configuration = HangMonitor.Configuration()
    configuration.folder = path
    configuration.upload = { file in
      let bytes = try? OwnedDescriptor.contents(of: file, limit: 1 << 20)
      let report = bytes.flatMap { try? HangReport(fileText: String(decoding: $0, as: UTF8.self)) }
      counts.withLock { $0.append(report?.count ?? 0) }
      return false
    }
    let told = Lock<Latch?>(nil)
    configuration.onReport = { report in if !report.isOver { told.withLock(\.self)?.open() } }
    let reporter = try HangReporter(configuration)
    /// Returns when all before is done.
    func flush() {
      let latch = Latch()
      told.withLock { $0 = latch }
      var report = HangReportTests.example
      report.isOver = false
      reporter.tell(report)
      latch.wait()
    }
    func hang(_ number: Int64) -> HangReport {
      var report = HangReportTests.example
      (report.start, report.count) = (report.start + .seconds(Double(10 * number)), 1)
      report.date += Double(10 * number)
      return report
    }
    reporter.take(hang(0), signature: [1])
    flush()
    #expect(counts.withLock(\.self) == [1] && folder.reports.count == 1)
    reporter.count(hang(1), signature: [1])
    reporter.take(hang(2), signature: [1])
    flush()
    #expect(counts.withLock(\.self) == [1, 3] && folder.reports.count == 1)
    reporter.count(hang(3), signature: [1])
    reporter.finish()
    #expect(counts.withLock(\.self) == [1, 3, 4] && folder.reports.count == 1)
  }

  /// Reports that are left from before are sent too. What could not be sent stays.
  @Test func reportsAreSentAndRemoved() throws {
    let path = "/tmp/framepace-upload-\(getpid())"
    let folder = try ReportFolder(path: path, limit: 10)
    defer {
      for file in folder.reports { unlink(file) }
      rmdir(path)
    }
    let old = try folder.write(HangReportTests.example, number: 1, date: HangReportTests.example.date)
    let sent = Lock<[String]>([])
    var configuration = HangMonitor.Configuration()
    configuration.folder = path
    configuration.upload = { file in
      sent.withLock { $0.append(file) }
      return file == old
    }
    let reporter = try HangReporter(configuration)
    var report = HangReportTests.example
    report.date += 60
    reporter.take(report, signature: [1])
    reporter.finish()
    let files = sent.withLock(\.self)
    #expect(files.count == 2 && files.first == old, "\(files)")
    #expect(folder.reports == Array(files.dropFirst()))
    // It is a whole report.
    let bytes = try OwnedDescriptor.contents(of: try #require(files.last), limit: 1 << 20)
    #expect(try HangReport(fileText: String(decoding: bytes, as: UTF8.self)).duration == report.duration)
  }
}
