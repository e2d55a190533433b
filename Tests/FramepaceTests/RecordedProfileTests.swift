import Foundation
import FrameTiming
import FramepaceTesting
import LinuxSystem
import Metering
import XCTest

@testable import Framepace

/// The file that a program writes of its frames.
@preconcurrency @MainActor final class RecordedProfileTests: XCTestCase {
  /// The figures of a program's own meter, and the recorded file.
  ///
  /// - Parameter isStopped: true to stop the process for 200 ms, twice.
  private func record(capacity: Int = 4096, isStopped: Bool = false) throws -> (
    report: FrameReport, profile: PhaseProfile, bytes: [UInt8]
  ) {
    let path = NSTemporaryDirectory() + "framepace-\(UUID().uuidString).profile"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let rate = RefreshRate(hertz: 100) ?? .hertz60
    let stage = try ManualStage(width: 32, height: 16, rate: rate)
    var resumed: MonotonicTime?
    let recorder = ProfileRecorder(path: path, engine: stage.engine, capacity: capacity) { resumed }
    let meter = FPSMeter(refreshRate: rate)
    meter.readResumed = { resumed }
    var profile = PhaseProfile(refreshRate: rate)
    let measuring = stage.engine.output.observe { event in
      meter.record(event)
      profile.resumed = meter.resumed
      if case .presented(let frame) = event { profile.add(frame) }
    }
    let layer = BusyLayer(clock: stage.clock)
    (layer.name, layer.work[.display]) = ("a \"chart\"\\\u{7}", .milliseconds(2))
    stage.root.addSublayer(layer)
    var count = 0
    let link = stage.engine.makeDisplayLink { _ in
      count += 1
      FrameProfile.region("decode") { stage.clock.advance(by: .milliseconds(1)) }
      if count == 30 { stage.clock.advance(by: .milliseconds(13), thread: .runnable) }
      if isStopped, count == 40 || count == 50 {
        stage.clock.advance(by: .milliseconds(200))
        resumed = stage.clock.now
      }
      layer.work[.display] = .milliseconds(count == 60 ? 15 : 2)
      layer.setNeedsLayout()
      layer.setNeedsDisplay()
    }
    stage.run(for: .milliseconds(1_000))
    link.isPaused = true
    stage.run(for: .milliseconds(100))
    link.invalidate()
    stage.engine.invalidate()
    recorder.finish()
    measuring.invalidate()
    return (meter.report(), profile, Array(try Data(contentsOf: URL(fileURLWithPath: path))))
  }

  /// The figures of the file are those of the program: 14 ms without a processor or 15 of drawing make a frame late.
  func testTheFileHasTheProgramsFigures() throws {
    let (report, profile, bytes) = try record()
    XCTAssertTrue(RecordedProfile.isOne(bytes))
    let recorded = try RecordedProfile(bytes)
    XCTAssertEqual(recorded.bytes, bytes)
    XCTAssertEqual(recorded.lostEvents, 0)
    let meter = FPSMeter(refreshRate: recorded.refreshRate)
    var read = PhaseProfile(refreshRate: recorded.refreshRate)
    for event in recorded.events {
      meter.record(event)
      if case .presented(let frame) = event { read.add(frame) }
    }
    XCTAssertEqual(meter.report(), report)
    XCTAssertGreaterThan(report.presented, 80)
    XCTAssertEqual(read.rows, profile.rows)
    XCTAssertEqual(read.processorTime, profile.processorTime)
    XCTAssertEqual(
      Set(read.lateCauses.map(\.cause)).intersection([.machineBusy, .phase(.display)]),
      [.machineBusy, .phase(.display)])
    let layers = LayerCosts.Summary(rows: recorded.layers)
    XCTAssertTrue(
      read.verdict { layers.name(of: $0) }.contains("in display of layer 'a \"chart\"\\\u{7}'"),
      read.verdict { layers.name(of: $0) })
    let worst = read.worstFrames.map(\.record)
    XCTAssertEqual(recorded.details.map(\.submitted), worst.map(\.submitted))
    let slow = try XCTUnwrap(recorded.details.first { $0.layers.first?.time == .milliseconds(15) })
    XCTAssertEqual(slow.layers.map { layers.name(of: $0.layer) }, Array(repeating: "a \"chart\"\\\u{7}", count: 2))
    XCTAssertEqual(slow.layers.map(\.phase), [.display, .layout])
    XCTAssertEqual([slow.width, slow.height, slow.damage.count], [32, 16, 1])
    XCTAssertEqual(recorded.regions.count, recorded.regions.filter { $0.time == .milliseconds(1) }.count)
    XCTAssertGreaterThan(recorded.regions.count, 80)
  }

  /// The writing of the file takes time, in which no frame is wanted: the run has ended before, for the program as for its file.
  func testARunEndsBeforeItsFileIsWritten() throws {
    let path = NSTemporaryDirectory() + "framepace-\(UUID().uuidString).profile"
    XCTAssertEqual(mkfifo(path, 0o600), 0)
    defer { unlink(path) }
    let stage = try ManualStage(width: 32, height: 16, rate: RefreshRate(hertz: 100) ?? .hertz60)
    let engine = stage.engine
    let meter = FPSMeter(refreshRate: engine.output.display.ticker.refreshRate)
    let measuring = engine.output.observe { meter.record($0) }
    engine.recorder = ProfileRecorder(path: path, isFile: false, engine: engine)
    let link = engine.makeDisplayLink { _ in
      stage.root.backgroundColor = stage.root.backgroundColor == .black ? .white : .black
    }
    // More than a pipe holds, so that the reader moves the clock while the file is written.
    let end = FrameLoop.Timer(fireTime: stage.clock.now + .seconds(10), .onMain { _ in engine.finish() })
    engine.loop.add(end, to: .common)
    let read = Lock<[UInt8]>([])
    let pipe = open(path, O_RDONLY | O_NONBLOCK)
    defer { close(pipe) }
    let reader = try SystemThread(name: "reader") { [clock = stage.clock] in
      var chunk = [UInt8](repeating: 0, count: 4096)
      while true {
        var state = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
        poll(&state, 1, -1)
        let count = Glibc.read(pipe, &chunk, chunk.count)
        if count == 0 { return }
        if count < 0 { continue }
        if read.withLock(\.isEmpty) { clock.advance(by: .milliseconds(35)) }
        read.withLock { $0 += chunk.prefix(count) }
      }
    }
    engine.run()
    reader.join()
    let now = stage.clock.now
    let ended = try XCTUnwrap(engine.ended)
    XCTAssertEqual(now - ended, .milliseconds(35))
    let recorded = try RecordedProfile(read.withLock(\.self))
    XCTAssertEqual(recorded.ended, ended)
    let report = meter.report(at: ended)
    XCTAssertEqual([report.missed, meter.report(at: now).missed], [0, 2])
    XCTAssertGreaterThan(report.ticks, 990)
    let again = FPSMeter(refreshRate: recorded.refreshRate)
    for event in recorded.events { again.record(event) }
    XCTAssertEqual(again.report(at: recorded.ended), report)
    link.invalidate()
    measuring.invalidate()
    engine.recorder = nil
    engine.invalidate()
  }

  /// A file tells the stops of the process, each before the events after it: they are no hitches, as they were none for the program.
  func testAFileHasTheStopsOfTheProcess() throws {
    let (report, profile, bytes) = try record(isStopped: true)
    XCTAssertEqual(report.missedWhileStopped, 40)
    let recorded = try RecordedProfile(bytes)
    XCTAssertEqual(recorded.bytes, bytes)
    XCTAssertEqual(recorded.stops.count, 2)
    let meter = FPSMeter(refreshRate: recorded.refreshRate)
    var read = PhaseProfile(refreshRate: recorded.refreshRate)
    recorded.stops.replay(recorded.events) { event, resumed in
      (meter.resumed, read.resumed) = (resumed, resumed)
      meter.record(event)
      if case .presented(let frame) = event { read.add(frame) }
    }
    XCTAssertEqual(meter.report(), report)
    XCTAssertEqual(read.lateCauses, profile.lateCauses)
    XCTAssertEqual(read.lateCauses.first { $0.cause == .stopped }?.frames, 2)
    XCTAssertEqual(recorded.details.map(\.submitted), profile.worstFrames.map(\.record.submitted))
    let text = String(decoding: bytes, as: UTF8.self).replacing(/"stopped",\d+/, with: "\"stopped\",-1")
    XCTAssertThrowsError(try RecordedProfile(Array(text.utf8)))
  }

  /// The last 64 of all events and regions are kept, and the others are counted.
  func testItIsBounded() throws {
    let all = try RecordedProfile(try record().bytes)
    let last = try RecordedProfile(try record(capacity: 64).bytes)
    XCTAssertEqual(last.events.count, 64)
    XCTAssertEqual(last.lostEvents, all.events.count - 64)
    XCTAssertEqual(last.regions.map(\.begin), all.regions.suffix(64).map(\.begin))
    XCTAssertEqual(last.lostRegions, all.regions.count - 64)
  }

  /// A damaged file is refused with a place, or read; no figure of it ends the process.
  func testDamagedFiles() throws {
    let bytes = try record(capacity: 256).bytes
    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix64(seed: seed)
    var refused = 0
    for _ in 0..<300 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<damaged.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: damaged[place] = UInt8.random(in: 0...255, using: &random)
        case 1: damaged.replaceSubrange(place..<min(place + 9, damaged.count), with: "9223372036854775807".utf8)
        default: damaged[place] = "0123456789-,]"[Int.random(in: 0..<13, using: &random)]
        }
      }
      do {
        let recorded = try RecordedProfile(damaged)
        let meter = FPSMeter(refreshRate: recorded.refreshRate)
        var profile = PhaseProfile(refreshRate: recorded.refreshRate)
        for event in recorded.events {
          meter.record(event)
          if case .presented(let frame) = event { profile.add(frame) }
        }
        _ = (meter.report().text(width: 79), profile.verdict())
        var regions = RegionTally()
        for region in recorded.regions { regions.add(region) }
        _ = (regions.rows, LayerCosts.Summary(rows: recorded.layers).advice(frames: 1, budget: .milliseconds(1)))
      } catch {
        refused += 1
        XCTAssertGreaterThan(error.line, 0, "seed \(seed)")
      }
    }
    XCTAssertGreaterThan(refused, 100, "seed \(seed)")
  }

  func testARefusalNamesThePlace() throws {
    let bytes = try record(capacity: 64).bytes
    var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    lines[2] = "[\"tick\",1,2]"
    XCTAssertThrowsError(try RecordedProfile(Array(lines.joined(separator: "\n").utf8))) { error in
      XCTAssertTrue("\(error)".hasPrefix("line 3, column 13: "), "\(error)")
    }
    XCTAssertThrowsError(try RecordedProfile(Array("{\"framepaceProfile\":1}".utf8))) { error in
      XCTAssertTrue("\(error)".contains("'refreshNumerator'"), "\(error)")
    }
  }
}

extension String {
  fileprivate subscript(index: Int) -> UInt8 { Array(utf8)[index] }
}
