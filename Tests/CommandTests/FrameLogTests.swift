import Foundation
import Framepace
import FramepaceTesting
import Simulation
import Testing
import XCTest

@testable import FramepaceCLI

/// `framepace run --frame-log`.
struct FrameLogTests {
  private static let overloaded = ["--simulate", "overloaded", "--duration", "20s", "--fast", "--size", "64x64"]
  private static let real = ["--display", "fallback", "--rate", "200", "--size", "64x64", "--quiet"]

  /// The rows of a CSV file, by column.
  static func rows(_ text: String) throws -> [[String: String]] {
    let lines = text.split(separator: "\n")
    let names = try #require(lines.first).split(separator: ",").map(String.init)
    return lines.dropFirst().map { line in
      Dictionary(
        uniqueKeysWithValues: zip(names, line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)))
    }
  }

  /// Both formats of one seed have the same frames, and what they add up to is the summary.
  @Test func theLogAddsUpToTheSummary() throws {
    let folder = try TemporaryFolder()
    let run = try framepace(Self.overloaded + ["--json", "--frame-log", "x.csv"], in: folder.path)
    #expect(run.status == 0, "\(run.error)")
    #expect(try framepace(Self.overloaded + ["--quiet", "--frame-log", "x.jsonl"], in: folder.path).status == 0)
    let rows = try Self.rows(String(decoding: folder.contents(of: "x.csv"), as: UTF8.self))
    let objects = try JSONLines(String(decoding: folder.contents(of: "x.jsonl"), as: UTF8.self)).objects
    #expect(rows.count == objects.count && rows.count > 800)
    for (row, object) in zip(rows, objects) {
      #expect(Set(row.keys) == Set(object.keys))
      for name in ["number", "submitted", "work", "paintedPixels", "intervals"] {
        #expect(Int(row[name] ?? "") == object[name] as? Int, "\(name) of \(row)")
      }
      #expect((object["animationError"] as? Int).map(String.init) ?? "" == row["animationError"])
      #expect(object["cause"] as? String ?? "" == row["cause"])
    }

    let last = try #require(try JSONLines(run.output).objects.last)
    let summary = try #require(last["summary"] as? [String: Any])
    func count(_ outcome: String) -> Int { rows.count { $0["outcome"] == outcome } }
    func largest(_ column: String) -> Int { rows.compactMap { Int($0[column] ?? "").map(abs) }.max() ?? 0 }
    for end in ["presented", "discarded", "lost", "pending"] { #expect(count(end) == summary[end] as? Int, "\(end)") }
    #expect(rows.count - count("noFrame") == summary["frames"] as? Int)
    for column in ["missed", "idle", "early"] {
      #expect(rows.compactMap { Int($0[column] ?? "") }.reduce(0, +) == summary[column] as? Int, "\(column)")
    }
    let causes = Dictionary(grouping: rows.compactMap { $0["cause"] }.filter { !$0.isEmpty }) { $0 }.mapValues(\.count)
    #expect(causes == last["lateCauses"] as? [String: Int])
    let discarded = rows.filter { $0["outcome"] == "discarded" }.compactMap { Int($0["work"] ?? "") }.reduce(0, +)
    let discardedWork = try #require(summary["discardedWork"] as? Double)
    #expect(discarded > 0 && abs(Double(discarded) / 1e6 - discardedWork) < 0.001)
    let figures: [(String, Double?)] = [
      ("frameInterval", summary["frameIntervalMax"] as? Double), ("animationError", last["animationErrorMax"] as? Double),
    ]
    for (column, figure) in figures {
      let expected = try #require(figure)
      #expect(abs(Double(largest(column)) / 1e6 - expected) < 0.001, "\(column)")
    }
    #expect(rows.contains { Int($0["animationError"] ?? "") ?? 0 < 0 })
  }

  /// The file is there from the beginning and grows: what was logged survives the process, in whole lines.
  @Test func theLogIsWrittenDuringTheRun() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/x.csv"
    try "old".write(toFile: path, atomically: true, encoding: .utf8)
    chmod(path, 0o640)
    try FileManager.default.createSymbolicLink(atPath: folder.path + "/link.csv", withDestinationPath: "x.csv")
    let run = try Running(Self.real + ["--frame-log", folder.path + "/link.csv"])
    func lines() -> Int { (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: "\n").count ?? 0 }
    while run.process.isRunning, lines() < 21 {
      usleep(5_000)
    }
    run.send(SIGKILL)
    _ = run.finish()
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let rows = try Self.rows(text)
    #expect(rows.count >= 20 && text.hasSuffix("\n"))
    for row in rows { #expect(row.count == FrameLogFormat.columns.count && row["number"] != "", "\(row)") }
    #expect(try folder.files == ["link.csv", "x.csv"])
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
  }

  /// A pipe gets the lines as they come; when its reader ends, the run does, without an error.
  @Test func aPipeIsWrittenTo() throws {
    let folder = try TemporaryFolder()
    let options = Self.real.joined(separator: " ")
    let result = try shell(
      """
      mkfifo x.csv; head -n 30 x.csv & reader=$!; exec 3>x.csv
      framepace \(options) --frame-log x.csv 3>&-; echo "status $?"; exec 3>&-; wait $reader
      """, in: folder.path)
    let lines = result.output.split(separator: "\n")
    #expect(lines.contains("status 0"), "\(result.output)\n\(result.error)")
    #expect(lines.count == 31 && result.error.isEmpty, "\(result.error)")
    let none = try shell("mkfifo y.csv; framepace \(options) --frame-log y.csv", in: folder.path)
    #expect(
      none.status == 1 && none.error.contains("'y.csv': nobody reads from it; start its reader first"), "\(none.error)")
  }

  /// A pipe that nobody reads holds up the end for seconds only, which a second Ctrl-C ends at once.
  @Test(arguments: [1, 2])
  func aReaderThatStallsDoesNotHoldUpTheEnd(signals: Int) throws {
    let folder = try TemporaryFolder()
    let pipe = folder.path + "/x.csv"
    #expect(mkfifo(pipe, 0o600) == 0)
    let reader = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    let run = try Running(Self.real + ["--frame-log", pipe])
    run.waitUntilHandled(SIGINT)
    // Until the pipe is full.
    var (before, waiting) = (Int32(-1), Int32(0))
    while run.process.isRunning, waiting == 0 || waiting != before {
      before = waiting
      usleep(1_500_000)
      _ = ioctl(reader, UInt(FIONREAD), &waiting)
    }
    run.send(SIGINT)
    if signals == 2 {
      usleep(500_000)
      run.send(SIGINT)
    }
    let result = run.finish()
    if signals == 2 {
      #expect(result.status == SIGINT && result.error.isEmpty, "\(result)")
      return
    }
    let sentence = result.error.replacing("\n", with: " ")
    #expect(result.status == 1 && sentence.contains(" frames: its reader took nothing for 3 s"), "\(result)")
    let missing = sentence.split(separator: " ").drop { $0 != "lacks" }.dropFirst().first.flatMap { Int($0) } ?? 0
    #expect(missing > 0, "\(sentence)")
  }

  /// A log that cannot be continued ends the run, with its summary and the reason.
  @Test func aFullDiskEndsTheRun() throws {
    let folder = try TemporaryFolder()
    let options = Self.real.filter { $0 != "--quiet" }.joined(separator: " ")
    let result = try shell("ulimit -f 8; framepace \(options) --frame-log x.csv", in: folder.path)
    #expect(result.status == 1)
    #expect(result.error.replacing("\n", with: " ").contains("cannot write to 'x.csv': File too large"), "\(result.error)")
    #expect(result.output.contains("hitches "), "\(result.output)")
  }

  @Test func helpNamesEveryColumn() throws {
    let help = try framepace("help", "run").output
    let words = Set(help.split { !$0.isLetter && !$0.isNumber }.map(String.init))
    for column in FrameLogFormat.columns { #expect(words.contains(column), "\(column) is not in the help") }
  }
}

/// The log of an engine in simulated time, and the records that its observers were given.
final class FrameLogRecordTests: XCTestCase {
  /// Every field of every record comes out of the file as it went in.
  func testTheLogHasTheRecords() throws {
    let folder = try TemporaryFolder()
    for name in ["overloaded", "flaky", "vrr"] {
      let path = "\(folder.path)/\(name).csv"
      let frames = try onMain {
        let profile = DisplayProfile.named(try XCTUnwrap(DisplayProfile.Name(rawValue: name)))
        let run = try SimulatedRun(profile, seed: 3, size: PixelSize(width: 64, height: 64), isPaced: false)
        let root = Layer()
        let engine = Engine(display: run.screen, root: root, loop: run.loop)
        engine.waitsForDrawings = true
        engine.measuresThreads = true
        run.occupy(engine) { true }
        defer {
          run.invalidate()
          engine.invalidate()
        }
        let meter = FPSMeter(refreshRate: run.screen.ticker.refreshRate)
        let log = try FrameLogFile(path: path, meter: meter, isPatient: true)
        var seen: [FrameRecord] = []
        var discarded: [FrameRecord] = []
        let observation = engine.output.observe { event in
          let causes = meter.record(event)
          do { try log.record(event, causes: causes) } catch { XCTFail("\(error)") }
          if case .presented(let frame) = event { seen.append(frame) }
          if case .discarded(let frame) = event { discarded.append(frame) }
        }
        run.loop.run(mode: .default, until: run.loop.clock.now + .seconds(20))
        observation.invalidate()
        try log.finish(at: nil)
        return (seen, discarded)
      }
      let rows = try FrameLogTests.rows(String(contentsOfFile: path, encoding: .utf8))
      for (outcome, records) in [("presented", frames.0), ("discarded", frames.1)] {
        let logged = rows.filter { $0["outcome"] == outcome }
        XCTAssertEqual(logged.count, records.count)
        XCTAssertTrue(outcome == "discarded" || records.count > 800)
        for (row, record) in zip(logged, records) { compare(row, record) }
      }
    }
  }

  /// A reader that stalls loses what finds no room, and no more: it is told how many frames.
  func testFramesThatFindNoRoomAreCounted() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/x.csv"
    XCTAssertEqual(mkfifo(path, 0o600), 0)
    let reader = FileHandle(fileDescriptor: open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), closeOnDealloc: true)
    let (count, missing, thread, text) = try onMain {
      let meter = FPSMeter(refreshRate: .hertz60)
      var log: FrameLogFile? = try FrameLogFile(path: path, meter: meter, isPatient: false)
      for number in 1...20_000 as ClosedRange<UInt64> {
        var frame = FrameRecord()
        frame.frameNumber = number
        try log?.record(.discarded(frame), causes: nil)
      }
      // Only now it reads.
      let text = Lock(Data())
      _ = fcntl(reader.fileDescriptor, F_SETFL, 0)
      let thread = try SystemThread(name: "reader") {
        let data = reader.readDataToEndOfFile()
        text.withLock { $0 = data }
      }
      var missing = 0
      do { try log?.finish(at: nil) } catch {
        let words = "\(error)".split(separator: " ")
        missing = Int(words[2]) ?? 0
        XCTAssertTrue("\(error)".hasSuffix("they came faster than they could be written"), "\(error)")
      }
      log = nil
      return (20_000, missing, thread, text)
    }
    thread.join()
    let rows = try FrameLogTests.rows(String(decoding: text.withLock { $0 }, as: UTF8.self))
    XCTAssertEqual(rows.count, count - missing)
    XCTAssertGreaterThanOrEqual(rows.count, 16_384)
    XCTAssertEqual(rows.prefix(16_000).map { $0["number"] }, (1...16_000).map { "\($0)" })
  }

  private func compare(_ row: [String: String], _ record: FrameRecord) {
    var read = FrameRecord()
    func number(_ column: String) -> Int64 { Int64(row[column] ?? "") ?? 0 }
    func time(_ column: String) -> MonotonicTime { MonotonicTime(nanoseconds: number(column)) }
    read.frameNumber = UInt64(number("number"))
    (read.tickTimestamp, read.target, read.animationTime) = (time("tick"), time("target"), time("animationTime"))
    read.promised = (row["promised"] ?? "").isEmpty ? nil : time("promised")
    read.isTargetKnown = row["targetKnown"] == "true"
    (read.missedTime, read.lostVBlankTime) = (Nanoseconds(number("missedTime")), Nanoseconds(number("lostVBlankTime")))
    read.missedWait = Nanoseconds(number("missedWait"))
    (read.start, read.delivered, read.submitted) = (time("start"), time("delivered"), time("submitted"))
    (read.heldBack, read.presented) = (Nanoseconds(number("heldBack")), time("presented"))
    read.isPresentedKnown = row["presentedKnown"] != "false"
    read.paintedPixels = Int(number("paintedPixels"))
    read.damagePixels = Int(number("damagePixels"))
    read.processorTime = (row["processorTime"] ?? "").isEmpty ? nil : Nanoseconds(number("processorTime"))
    (read.runDelay, read.startDelay) = (Nanoseconds(number("runDelay")), Nanoseconds(number("startDelay")))
    (read.dirtyLayers, read.laidOutLayers) = (Int(number("dirtyLayers")), Int(number("laidOutLayers")))
    (read.drawnLayers, read.missedPictures) = (Int(number("drawnLayers")), Int(number("missedPictures")))
    (read.pictureTime, read.layerPixels) = (Nanoseconds(number("pictureTime")), Int(number("layerPixels")))
    for phase in FrameRecord.Phase.allCases { read.phases[phase] = Nanoseconds(number(phase.column)) }
    // The reflection has every field.
    XCTAssertEqual("\(read)", "\(record)")
    for phase in FrameRecord.Phase.allCases { XCTAssertEqual(read.phases[phase], record.phases[phase]) }
    XCTAssertEqual(number("work"), record.work.count)
    XCTAssertEqual(number("lateness"), record.lateness.count)
  }
}
