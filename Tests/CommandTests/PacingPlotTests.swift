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
    for number in frames {
      var frame = FrameRecord()
      frame.target = start + .milliseconds(10) * number
      frame.delivered = frame.target - begun
      frame.submitted = frame.delivered + .milliseconds(2)
      frame.presented = late && number % 10 == 0 ? frame.target + .milliseconds(10) : frame.target
      change(&frame)
      plot.record(presented: frame, interval: .milliseconds(10))
    }
    return try plot.image(title: "a test", figures: meter, end: start + .seconds(2))
  }

  /// The rows above the key that contain a colour.
  private func rows(of color: UInt32, in image: Image) -> [Int] {
    (0..<570).filter { y in
      let row = image.row(y).assumingMemoryBound(to: UInt32.self)
      return (0..<image.width).contains { row[$0] == color }
    }
  }

  /// The plot has 430 rows for 25 ms, and a point has three rows.
  @Test func pointsAreAtTheirTimes() throws {
    let image = try image(begun: .milliseconds(10), late: false)
    let middle = 130 + 430 / 2
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
    #expect(seen.count == 5 && abs(seen[2] - (130 + 430 / 2 - 430 * 10 / 25)) <= 1, "\(seen)")
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
    #expect(hasNote(100..<120) == late)
    #expect(hasNote(600..<618) == early)
  }

  /// The time axis covers the whole run: the first and the last second have labels although neither has frames.
  @Test func theAxisIsTheRun() throws {
    let image = try image(begun: .milliseconds(10), late: false, frames: 20...180)
    // The tick marks of the seconds, below the plot.
    let row = image.row(563).assumingMemoryBound(to: UInt32.self)
    #expect((0..<image.width).filter { row[$0] != 0xFFFF_FFFF } == [100, 670, 1240])
    let points = (0..<image.width).filter { x in
      (130..<560).contains { y in image.row(y).assumingMemoryBound(to: UInt32.self)[x] == Self.blue }
    }
    #expect(try #require(points.min()) > 200 && points.max() ?? 0 < 1140)
  }

  /// A long run is drawn from its end, and the axis begins at the first frame that is drawn.
  @Test func aLongRunIsDrawnFromItsEnd() throws {
    let image = try image(begun: .milliseconds(10), late: false, frames: 1...50_000)
    let row = image.row(563).assumingMemoryBound(to: UInt32.self)
    let marks = (0..<image.width).filter { row[$0] != 0xFFFF_FFFF }
    // The axis begins at 200.01 s and has a mark every 50 s.
    #expect(marks == (1...6).map { 100 + $0 * 190 })
  }

  @Test func withoutFramesThereIsAnEmptyPicture() throws {
    let plot = try PacingPlot(start: .zero)
    let image = try plot.image(title: "nothing", figures: FrameReport(nominalRefreshRate: .hertz60), end: .zero)
    #expect(image.width == PlotStyle.size.width && image.height == PlotStyle.size.height)
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
