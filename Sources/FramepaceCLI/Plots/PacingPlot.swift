import Framepace
import Metering

/// A picture of a run's frames, along its time: first the times from frame to frame, and below when each was begun and submitted,
/// before its target vblank, and the delay of late frames after it.
final class PacingPlot {
  /// A frame with times relative to its target vblank.
  private struct Frame {
    var number: UInt64
    var time: MonotonicTime
    var presented: MonotonicTime
    /// From the frame before; nil after idle intervals.
    var frameInterval: Nanoseconds?
    var begun: Nanoseconds
    var submitted: Nanoseconds
    /// How long after its target it was seen; zero if it was seen at that.
    var late: Nanoseconds
  }

  /// The number of frames kept; of a longer run, only the end is drawn.
  private static let capacity = 40_000

  static let size = PixelSize(width: 1280, height: 990)
  /// The graph of frame times, and the plot of starts and submissions.
  private static let panels = (
    times: Rect(x: 100, y: 130, width: 1140, height: 260), pacing: Rect(x: 100, y: 480, width: 1140, height: 430)
  )

  private let style: PlotStyle
  private let start: MonotonicTime
  /// The start of the time axis: the start of the run, or the first frame that is kept.
  private var begin: MonotonicTime
  private var frames: [Frame] = []
  private var interval = Nanoseconds.zero

  /// - Throws: an error if the fonts are missing.
  init(start: MonotonicTime) throws(FontError) {
    (self.start, begin) = (start, start)
    style = try PlotStyle()
    frames.reserveCapacity(Self.capacity)
  }

  /// - Parameter step: the step to the frame from the one before.
  func record(presented frame: FrameRecord, step: FrameStep?, interval: Nanoseconds) {
    self.interval = interval
    if frames.count == Self.capacity {
      frames.removeFirst(Self.capacity / 2)
      begin = frames.first?.time ?? frame.target
    }
    frames.append(
      Frame(
        number: frame.frameNumber, time: frame.target, presented: frame.presented, frameInterval: step?.interval,
        begun: frame.delivered - frame.target, submitted: frame.submitted - frame.target,
        late: frame.hitch(interval: interval)))
  }

  /// The title of the picture.
  ///
  /// - Parameter policy: the policy of the run; nil if the rate is variable, where all policies are the same.
  static func title(scene: String, display: String, policy: FramePolicy?) -> String {
    let start =
      switch policy {
      case .vblank: ", start at the vblank"
      case .lateStart: ", late start"
      case nil: ""
      }
    return "\(scene) on \(display)\(start)"
  }

  /// - Parameters:
  ///   - title: the line above the plot.
  ///   - figures: the figures of the whole run.
  ///   - end: the end of the run.
  func image(title: String, figures: FrameReport, end: MonotonicTime) throws(BitmapError) -> Image {
    let (bitmap, context) = try style.begin(title, lines: [Self.line(figures)], size: Self.size)
    let plot = Self.panels.pacing
    let axes = Axes(
      plot: plot, start: begin, end: max(end, frames.last?.time ?? end),
      // The axis shows a little more than an interval before and after the vblank. At a variable rate intervals are longer.
      earliest: -max(interval, usualLead) * 5 / 4, latest: interval * 5 / 4)
    let times = frames.map { frame in
      FrameTimeGraph.Frame(
        number: frame.number, presented: frame.presented, time: frame.frameInterval, isLate: frame.late > .zero)
    }
    FrameTimeGraph(times, budget: interval, in: Self.panels.times, style: style, x: axes.x).draw(context)
    drawGrid(axes, context)
    // Late frames are drawn last, on top.
    for frame in frames { draw(frame.begun, of: frame, PlotStyle.blue, size: 3, axes, context) }
    for frame in frames { draw(frame.submitted, of: frame, PlotStyle.green, size: 3, axes, context) }
    for frame in frames where frame.late > .zero { draw(frame.late, of: frame, PlotStyle.orange, size: 5, axes, context) }
    drawKey(below: plot, context)
    drawOutside(axes, context)
    context.flush()
    return bitmap.freeze(isOpaque: true)
  }

  private static func line(_ figures: FrameReport) -> String {
    var items = ["\(figures.presented) frames presented", "\(figures.late) late", "\(figures.missed) intervals missed"]
    if let latency = figures.latency.p50 { items.append("latency p50 \(Text.milliseconds(latency)) ms") }
    if let work = figures.work.p50, let most = figures.work.p99 {
      items.append("work p50 \(Text.milliseconds(work)) ms, p99 \(Text.milliseconds(most)) ms")
    }
    return items.joined(separator: "  ·  ")
  }

  /// The mapping of times to places in the picture.
  private struct Axes {
    var plot: Rect
    var start: MonotonicTime
    var end: MonotonicTime
    var earliest: Nanoseconds
    var latest: Nanoseconds

    func x(_ time: MonotonicTime) -> Double {
      plot.minX + plot.width * (time - start).seconds / max((end - start).seconds, 1e-3)
    }

    /// The vertical place of an offset; nil if it is outside the picture.
    func y(_ offset: Nanoseconds) -> Double? {
      guard offset >= earliest, offset <= latest, latest > earliest else { return nil }
      return plot.maxY - plot.height * (offset - earliest).seconds / (latest - earliest).seconds
    }
  }

  private func draw(
    _ offset: Nanoseconds, of frame: Frame, _ color: Color, size: Double, _ axes: Axes, _ context: DrawingContext
  ) {
    // Frames outside the picture are drawn at its edge.
    guard let y = axes.y(min(max(offset, axes.earliest), axes.latest)) else { return }
    context.fill(
      Rect(x: (axes.x(frame.time) - size / 2).rounded(), y: (y - size / 2).rounded(), width: size, height: size),
      color: color)
  }

  /// The lead before the vblank that nine of ten frames do not exceed.
  private var usualLead: Nanoseconds {
    let leads = frames.map { -$0.begun }.sorted()
    return leads.isEmpty ? .zero : leads[(leads.count - 1) * 9 / 10]
  }

  /// Writes at each edge how many frames are drawn there, and the farthest.
  private func drawOutside(_ axes: Axes, _ context: DrawingContext) {
    func write(_ note: String, y: Double) {
      style.draw(
        "at the edge: \(note) ms", at: Point(axes.plot.maxX, y), anchor: 1, color: PlotStyle.orange, context)
    }
    let late = frames.map { max($0.late, $0.submitted) }.filter { $0 > axes.latest }
    if let latest = late.max().map(Text.milliseconds) {
      write("\(late.count) later than \(Text.milliseconds(axes.latest)) ms, latest \(latest)", y: axes.plot.minY - 14)
    }
    let early = frames.map(\.begun).filter { $0 < axes.earliest }
    if let earliest = early.min().map(Text.milliseconds) {
      write(
        "\(early.count) earlier than \(Text.milliseconds(axes.earliest)) ms, earliest \(earliest)", y: axes.plot.maxY + 54)
    }
  }

  private func drawGrid(_ axes: Axes, _ context: DrawingContext) {
    let plot = axes.plot
    let step = PlotStyle.step(atLeast: (axes.latest - axes.earliest).milliseconds / 9)
    let first = Int(axes.earliest.milliseconds) / step * step
    for milliseconds in stride(from: first, through: Int(axes.latest.milliseconds), by: step) {
      guard let y = axes.y(.milliseconds(Int64(milliseconds))) else { continue }
      let isVBlank = milliseconds == 0
      style.drawRow(isVBlank ? "vblank" : "\(milliseconds)", y: y, isAxis: isVBlank, in: plot, context)
    }
    style.draw(
      "ms before and after the target vblank", at: Point(plot.minX, plot.minY - 14), anchor: 0, color: PlotStyle.ink, context
    )
    // The time axis shows seconds since the start of the run.
    let (from, to) = ((axes.start - start).seconds, (axes.end - start).seconds)
    let seconds = PlotStyle.step(atLeast: (to - from) / 12)
    for second in stride(from: Int(from.rounded(.up)), through: Int(to), by: 1) where second % seconds == 0 {
      style.drawMark("\(second) s", x: axes.x(start + .seconds(Double(second))), below: plot, context)
    }
  }

  private func drawKey(below plot: Rect, _ context: DrawingContext) {
    var x = plot.minX
    let entries: [(Color, String)] = [
      (PlotStyle.blue, "start"), (PlotStyle.green, "submitted"), (PlotStyle.orange, "presented, if late"),
    ]
    for (color, name) in entries {
      context.fill(Rect(x: x, y: plot.maxY + 43, width: 10, height: 10), color: color)
      x += style.draw(name, at: Point(x + 18, plot.maxY + 54), anchor: 0, color: PlotStyle.ink, context) + 50
    }
  }
}
