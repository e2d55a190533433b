import Framepace
import FramepaceTesting
import Simulation
import XCTest

/// The way of frames through an engine on a simulated screen at 100 Hz, in pictures: each gives the vblanks and what keeps
/// the application busy, and says when frames are begun, handed over and seen.
///
/// - `vblank`: where they are; the first is the screen's vblank 1.
/// - `busy`: what the callbacks of a tick take that is delivered then.
/// - `tick`, `work`, `commit`, `flip`: as `FrameDiagram` draws them.
final class FrameWayDiagramTests: XCTestCase {
  func testFramesInTime() throws {
    try check(
      """
      vblank  |         |         |         |         |         |
      busy    ###       ####      ######    ##        ###
      tick    1         2         3         4         5         6
      work    111       2222      333333    44        555
      commit     1          2           3     4          5      6
      flip              1         2         3         4         5
      """)
  }

  /// Longer than its interval a frame is seen one later, and the tick in between is missed.
  func testAFrameThatTakesTooLong() throws {
    try check(
      """
      vblank  |         |         |         |         |         |
      busy    ###       ##############      ###       ###       ##
      tick    1         2                   4         5         6
      work    111       22222222222222      444       555       66
      commit     1                    2        4         5        6
      flip              1         x.........2         4         5
      """)
  }

  /// Handed over so shortly before its vblank that the screen does not take it; the next frame has no buffer in its interval.
  func testACommitThatMissesItsVBlank() throws {
    try check(
      """
      vblank  |         |         |         |         |         |
      busy    ###       ##########          ###       ###
      tick    1         2                   4         5         6
      work    111       2222222222          444       555
      commit     1                2            4         5      6
      flip              1         x.........2         4         5
      """)
  }

  private func check(_ text: String, file: StaticString = #filePath, line: UInt = #line) throws {
    try onMain {
      let start = MonotonicTime(nanoseconds: 1_010_000_000)
      let given = try FrameDiagram(parsing: text, start: start)
      let rate = try XCTUnwrap(RefreshRate(hertz: 100))
      let stage = try ManualStage(start: start - .milliseconds(10)) { clock in
        try SimulatedScreen(
          width: 8, height: 8, vblanks: SimulatedVBlankSource(refreshRate: rate, clock: .manual(clock)),
          clock: .manual(clock))
      }
      var frames: [FrameRecord] = []
      stage.engine.output.observe { event in
        switch event {
        case .committed(let frame): frames.append(frame)
        case .presented(let frame): frames = frames.map { $0.submitted == frame.submitted ? frame : $0 }
        default: break
        }
      }.keep()

      let busy = given.spans(in: "busy")
      stage.engine.makeDisplayLink { [root = stage.root] link in
        guard let tick = link.tick else { return }
        Transaction.withoutActions { root.backgroundColor = root.backgroundColor == .white ? .black : .white }
        if let busy = busy.first(where: { $0.begin == tick.delivered }) { stage.clock.advance(to: busy.end) }
      }
      stage.run(until: given.time(ofColumn: given.columns))

      // The engine's first frame is no tick's.
      frames.removeAll { $0.frameNumber == 0 }
      let times = given.marks(in: "vblank").map(\.time)
      let made = FrameDiagram(
        vblanks: times, frames: frames, interval: rate.interval, start: start, columns: given.columns)
      var expected = given
      expected.remove("busy")
      XCTAssertEqual(made.description, expected.description, file: file, line: line)
      stage.engine.invalidate()
    }
  }
}
