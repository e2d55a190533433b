import LinuxSystem
import RunLoops
import Simulation
import XCTest

@testable import FrameTiming

/// A recording that is played to a ticker.
final class RecordedVBlankSourceTests: ManualLoopCase {
  /// Each vblank is delivered once, when it arrived, with its own stamp; at the end the source says so.
  func testVBlanksComeAsTheyWereRecorded() {
    let stage = Stage()
    let start = stage.time.now
    let vblanks = (Int64(1)...50).map { number in
      VBlank(timestamp: start + .milliseconds(10 * number), sequence: UInt64(number))
    }
    // Some come so late that the next one has been already.
    let arrivals = vblanks.map { $0.timestamp + .milliseconds($0.sequence % 7 == 0 ? 12 : 1) }
    let recording = VBlankRecording(
      displayName: "a test", refreshRate: .hundred, vblanks: vblanks, arrivals: arrivals)
    let source = RecordedVBlankSource(recording, clock: stage.clock)
    var delivered: [(VBlank, MonotonicTime)] = []
    var ends = 0
    source.onVBlank = { vblank in
      delivered.append((vblank, stage.time.now))
      source.requestVBlank()
      // A second request changes nothing.
      source.requestVBlank()
    }
    source.onEnd = { ends += 1 }
    source.add(to: stage.loop, mode: .default)
    stage.run(.milliseconds(100))
    XCTAssertTrue(delivered.isEmpty)
    source.requestVBlank()
    stage.run(.seconds(1))
    XCTAssertEqual(delivered.map(\.0), vblanks)
    XCTAssertEqual(ends, 2)
    for (index, (_, time)) in delivered.enumerated() {
      let earliest = max(recording.deliveries[index], start + .milliseconds(100))
      XCTAssertEqual(time, max(earliest, index > 0 ? delivered[index - 1].1 : earliest))
    }
    source.invalidate()
  }
}
