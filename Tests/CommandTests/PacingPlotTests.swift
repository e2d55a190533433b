import Foundation
import Framepace
import Testing

@testable import FramepaceCLI

/// The picture of `framepace run --plot`: the places of the frames' points.
struct PacingPlotTests {
  private static let blue: UInt32 = 0xFF2F_81F7
  private static let green: UInt32 = 0xFF2D_A44E
  private static let orange: UInt32 = 0xFFD4_731A

  private let start = MonotonicTime(nanoseconds: 5_000_000_000)

  /// Frames at 100 Hz that begin `begun` before their vblank.
  private func image(
    begun: Nanoseconds, late: Bool, frames: ClosedRange<Int64> = 1...200, change: (inout FrameRecord) -> Void = { _ in }
  ) throws -> Image {
    let plot = try PacingPlot(start: start)
    var meter = FrameReport(nominalRefreshRate: .hertz60)
    meter.presented = frames.count
    var last: FrameRecord?
    for number in frames {
      var frame = FrameRecord()
      frame.frameNumber = UInt64(number)
      frame.target = start + .milliseconds(10) * number
      frame.delivered = frame.target - begun
      frame.submitted = frame.delivered + .milliseconds(2)
      frame.presented = late && number % 10 == 0 ? frame.target + .milliseconds(10) : frame.target
      change(&frame)
      let step = last.flatMap { FrameStep(from: $0, to: frame) }
      plot.record(presented: frame, step: step, interval: .milliseconds(10))
      last = frame
    }
    return try plot.image(title: "a test", figures: meter, end: start + .seconds(2))
  }

  /// The rows of the lower plot that contain a colour, above the key.
  private func rows(of color: UInt32, in image: Image, within range: Range<Int> = 470..<920) -> [Int] {
    range.filter { y in
      let row = image.row(y).assumingMemoryBound(to: UInt32.self)
      return (0..<image.width).contains { row[$0] == color }
    }
  }

  /// The plot has 430 rows for 25 ms, and a point has three rows.
  @Test func pointsAreAtTheirTimes() throws {
    let image = try image(begun: .milliseconds(10), late: false)
    let middle = 480 + 430 / 2
    let (begun, submitted) = (rows(of: Self.blue, in: image), rows(of: Self.green, in: image))
    #expect(begun.count == 3 && abs(begun[1] - (middle + 430 * 10 / 25)) <= 1, "\(begun)")
    #expect(submitted.count == 3 && abs(submitted[1] - (middle + 430 * 8 / 25)) <= 1, "\(submitted)")
    #expect(rows(of: Self.orange, in: image).isEmpty)
  }

  @Test func lateStartsAreNearerToTheVBlank() throws {
    let early = rows(of: Self.blue, in: try image(begun: .milliseconds(10), late: false))
    let late = rows(of: Self.blue, in: try image(begun: .milliseconds(4), late: false))
    #expect(abs((early[1] - late[1]) - 430 * 6 / 25) <= 1)
  }

  @Test func lateFramesAreWhereTheyWereSeen() throws {
    let seen = rows(of: Self.orange, in: try image(begun: .milliseconds(10), late: true))
    #expect(seen.count == 5 && abs(seen[2] - (480 + 430 / 2 - 430 * 10 / 25)) <= 1, "\(seen)")
  }

  /// A note above the plot counts the frames that are later than it shows, one below it those that are earlier.
  @Test(arguments: [false, true], [false, true]) func framesAtTheEdgesAreCounted(late: Bool, early: Bool) throws {
    let image = try image(begun: .milliseconds(10), late: false) { frame in
      guard frame.target == start + .seconds(1) else { return }
      if late { frame.presented += .milliseconds(20) }
      if early { frame.delivered = frame.delivered - .milliseconds(20) }
    }
    func hasNote(_ rows: Range<Int>) -> Bool {
      rows.contains { y in
        let row = image.row(y).assumingMemoryBound(to: UInt32.self)
        return (640..<image.width).contains { row[$0] != 0xFFFF_FFFF }
      }
    }
    #expect(hasNote(450..<470) == late)
    #expect(hasNote(950..<968) == early)
  }

  // MARK: - Frame times

  private static let times = 130..<390

  /// Frames each 10 ms lie on the line of the budget: the graph has 260 rows for 25 ms, and its line two.
  @Test func frameTimesLieOnTheBudget() throws {
    let image = try image(begun: .milliseconds(10), late: false)
    let line = rows(of: Self.blue, in: image, within: Self.times)
    #expect(line.count == 2 && abs(line[0] - (390 - 260 * 10 / 25 - 1)) <= 1, "\(line)")
    #expect(rows(of: Self.orange, in: image, within: Self.times).isEmpty)
    // The line goes from the first frame to the last one.
    let row = image.row(line[0]).assumingMemoryBound(to: UInt32.self)
    let points = (0..<image.width).filter { row[$0] == Self.blue }
    #expect(points == Array(106..<1240))
  }

  /// A late frame is an orange step above the budget, and the one after it is below.
  @Test func aLateFrameIsAStep() throws {
    let image = try image(begun: .milliseconds(10), late: false) { frame in
      if frame.frameNumber == 100 { frame.presented += .milliseconds(6) }
    }
    func row(_ milliseconds: Int) -> Int { 390 - 260 * milliseconds / 25 - 1 }
    let (orange, blue) = (
      rows(of: Self.orange, in: image, within: Self.times), rows(of: Self.blue, in: image, within: Self.times)
    )
    #expect(abs(try #require(orange.first) - row(16)) <= 1 && orange.count > 50, "\(orange)")
    #expect(abs(try #require(blue.last) - row(4) - 1) <= 1, "\(blue)")
  }

  /// A stall does not press the others to the bottom: it is drawn at the top, and named.
  @Test func aStallIsDrawnAtTheTop() throws {
    let image = try image(begun: .milliseconds(10), late: false) { frame in
      if frame.frameNumber >= 100 { frame.presented += .seconds(1) }
    }
    let blue = rows(of: Self.blue, in: image, within: Self.times)
    // Ten budgets are the most.
    #expect(abs(try #require(blue.last) - (390 - 260 / 10)) <= 1, "\(blue)")
    #expect(rows(of: Self.orange, in: image, within: 105..<125).count > 5)
  }

  /// Idle intervals are a gap.
  @Test func idleTimeIsAGap() throws {
    let plot = try PacingPlot(start: start)
    for number in 1...2 as ClosedRange<Int64> {
      var frame = FrameRecord()
      frame.frameNumber = UInt64(number)
      frame.target = start + .milliseconds(500 * number)
      frame.presented = frame.target
      plot.record(presented: frame, step: nil, interval: .milliseconds(10))
    }
    let image = try plot.image(title: "", figures: FrameReport(nominalRefreshRate: .hertz60), end: start + .seconds(2))
    #expect(rows(of: Self.blue, in: image, within: Self.times).isEmpty)
  }

  /// The marks below the graph are at the frames' vblanks: frame 20 is 200 ms after the start.
  @Test func theAxisOfTheGraphHasFrameNumbers() throws {
    let image = try image(begun: .milliseconds(10), late: false)
    let row = image.row(393).assumingMemoryBound(to: UInt32.self)
    #expect((100..<image.width).filter { row[$0] != 0xFFFF_FFFF } == (1...10).map { 100 + 114 * $0 })
  }

  /// The time axis covers the whole run: the first and the last second have labels although neither has frames.
  @Test func theAxisIsTheRun() throws {
    let image = try image(begun: .milliseconds(10), late: false, frames: 20...180)
    // The tick marks of the seconds, below the plot.
    let row = image.row(913).assumingMemoryBound(to: UInt32.self)
    #expect((0..<image.width).filter { row[$0] != 0xFFFF_FFFF } == [100, 670, 1240])
    let points = (0..<image.width).filter { x in
      (480..<910).contains { y in image.row(y).assumingMemoryBound(to: UInt32.self)[x] == Self.blue }
    }
    #expect(try #require(points.min()) > 200 && points.max() ?? 0 < 1140)
  }

  /// A long run is drawn from its end, and the axis begins at the first frame that is drawn.
  @Test func aLongRunIsDrawnFromItsEnd() throws {
    let image = try image(begun: .milliseconds(10), late: false, frames: 1...50_000)
    let row = image.row(913).assumingMemoryBound(to: UInt32.self)
    let marks = (0..<image.width).filter { row[$0] != 0xFFFF_FFFF }
    // The axis begins at 200.01 s and has a mark every 50 s.
    #expect(marks == (1...6).map { 100 + $0 * 190 })
  }

  @Test func withoutFramesThereIsAnEmptyPicture() throws {
    let plot = try PacingPlot(start: .zero)
    let image = try plot.image(title: "nothing", figures: FrameReport(nominalRefreshRate: .hertz60), end: .zero)
    #expect(image.width == PacingPlot.size.width && image.height == PacingPlot.size.height)
  }

  @Test func aRunIsWrittenToItsFile() throws {
    let folder = try TemporaryFolder()
    let result = try framepace(
      ["--simulate", "noisy", "--duration", "1s", "--fast", "--size", "64x64", "--plot", "run.png"], in: folder.path)
    #expect(result.status == 0, "\(result.error)")
    #expect(try folder.files == ["run.png"])
    #expect(rows(of: Self.green, in: try PNG.read(path: folder.path + "/run.png")).count > 20)
  }
}
