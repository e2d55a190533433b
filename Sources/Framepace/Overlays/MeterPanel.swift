import FrameTiming
import Geometry
import LinuxSystem
import Metering
import Presentation
import Raster

/// The overlay `meter`: an output's rate, its work beside the budget, and its last frames as bars.
///
/// It draws with frames that come anyway: each shows the frames that were seen before it, and a still program shows the last of them.
@MainActor
final class MeterPanel {
  private unowned let output: Output
  private let clock: SystemClock
  private let meter: FPSMeter
  private let face: FontFace
  private(set) var bars = MeterBars()
  private var observation: Observation?
  private(set) var report: FrameReport
  private var texts: Texts?

  /// The figures as text, which stay long enough to be read.
  private struct Texts {
    /// From when they are.
    let time: MonotonicTime
    let rate: TextLine
    let unit: TextLine
    let refresh: TextLine
    let work: TextLine
    let share: TextLine
    let late: TextLine
    let missed: TextLine
    let idle: TextLine
  }

  /// How long figures stay.
  private static let reading = Nanoseconds.milliseconds(250)
  /// The size of the panel, in points like all that is drawn in it.
  private static let size = Size(256, 107)
  private static let margin = 8.0
  /// The distance from one count to the next.
  private static let gap = 10.0
  /// The height of the graph and that of the budget in it.
  private static let (graph, budgetHeight) = (36.0, 24.0)

  private static let (bright, dim) = (Color.white, Color(hex: 0xB4C0CC))
  private static let (inTime, late) = (Color(hex: 0x3DD6B0), Color(hex: 0xFF5A5A))

  /// - Parameter resumed: gives the end of the last stop of the process; nil for that of this process.
  init(of output: Output, clock: SystemClock, resumed: (() -> MonotonicTime?)? = nil) throws(FontError) {
    (self.output, self.clock) = (output, clock)
    let rate = output.display.ticker.refreshRate
    meter = FPSMeter(refreshRate: rate)
    ProcessStops.watch()
    meter.readResumed = resumed ?? { ProcessStops.lastEnd(on: clock) }
    report = FrameReport(nominalRefreshRate: rate)
    face = try SystemFonts.face(.sans)
    observation = output.observe { [weak self] event in self?.record(event) }
  }

  private func record(_ event: FrameEvent) {
    meter.record(event)
    bars.record(event, interval: meter.refreshRate.interval)
  }

  /// The panel's place on an output: its upper right corner as the viewer sees it.
  func box(in view: OverlayView) -> Rect {
    let (width, height) = (Self.size.width * view.scale, Self.size.height * view.scale)
    let margin = Self.margin * view.scale
    let x = max(0, (view.size.width - width - margin).rounded(.down))
    return Rect(x: x, y: min(margin, max(0, view.size.height - height)).rounded(.down), width: width, height: height)
  }

  /// Draws the panel. The pixels around its box are not touched.
  func draw(_ context: DrawingContext, _ view: OverlayView) {
    let (texts, box) = (currentTexts(), box(in: view))
    context.withSavedState {
      context.clip(box)
      context.translate(x: box.minX, y: box.minY)
      context.scale(x: view.scale, y: view.scale)
      context.fill(
        Rect(origin: .zero, size: Self.size), cornerRadius: 6, color: Color(hex: 0x101418).withAlpha(0.88))
      draw(texts, context)
      drawBudget(context)
      drawBars(context)
    }
  }

  // MARK: Figures

  private func currentTexts() -> Texts {
    let now = clock.now
    if let texts, now - texts.time < Self.reading { return texts }
    meter.refreshRate = output.display.ticker.refreshRate
    report = meter.recentReport(at: now)
    let small = Font(face, size: 11)
    let texts = Texts(
      time: now,
      rate: TextLine(Text.decimal(report.presentedRate, 1), font: Font(face, size: 18)),
      unit: TextLine("frames/s", font: small),
      refresh: TextLine("\(Text.decimal(report.refreshRate ?? report.nominalRefreshRate.hertz, 2)) Hz", font: small),
      work: TextLine(
        "work \(Self.milliseconds(report.work.p50)) ms, p95 \(Self.milliseconds(report.work.p95))", font: small),
      share: TextLine("of \(Self.milliseconds(budget)) ms", font: small),
      late: TextLine("late \(report.late)", font: small),
      missed: TextLine("missed \(report.missed)", font: small),
      idle: TextLine("idle \(Text.percent(idleShare))", font: small))
    self.texts = texts
    return texts
  }

  /// The time that a frame may take, by the rate at which most of the last frames were asked for.
  var budget: Nanoseconds { report.budget ?? meter.refreshRate.interval }

  private static func milliseconds(_ time: Nanoseconds?) -> String { Text.decimal(time?.milliseconds, 1) }

  private var idleShare: Double? {
    report.intervals > 0 ? Double(report.idle) / Double(report.intervals) : nil
  }

  private func draw(_ texts: Texts, _ context: DrawingContext) {
    func right(_ line: TextLine) -> Double { (Self.size.width - Self.margin - line.width).rounded(.down) }
    let left = Self.margin
    context.draw(texts.rate, at: Point(left, 21), color: Self.bright)
    context.draw(texts.unit, at: Point((left + texts.rate.width + 5).rounded(), 21), color: Self.dim)
    context.draw(texts.refresh, at: Point(right(texts.refresh), 21), color: Self.dim)
    context.draw(texts.work, at: Point(left, 37), color: Self.bright)
    context.draw(texts.share, at: Point(right(texts.share), 37), color: Self.dim)
    // Each by its own number: beside a red one, a zero is no trouble.
    context.draw(texts.late, at: Point(left, 101), color: Self.color(ofCount: report.late))
    context.draw(
      texts.missed, at: Point((left + texts.late.width + Self.gap).rounded(), 101), color: Self.color(ofCount: report.missed)
    )
    context.draw(texts.idle, at: Point(right(texts.idle), 101), color: Self.dim)
  }

  private static func color(ofCount count: Int) -> Color { count > 0 ? late : bright }

  // MARK: Bars

  /// The budget as a bar: the median work of a frame, and lighter up to its 95th percentile.
  private func drawBudget(_ context: DrawingContext) {
    let bar = Rect(x: Self.margin, y: 42, width: Self.size.width - 2 * Self.margin, height: 5)
    context.fill(bar, color: Color.white.withAlpha(0.16))
    let budget = Double(max(budget.count, 1))
    for (work, alpha) in [(report.work.p95, 0.5), (report.work.p50, 1)] {
      guard let work else { continue }
      let share = Double(work.count) / budget
      let width = max(1, (bar.width * min(share, 1)).rounded())
      context.fill(
        Rect(x: bar.minX, y: bar.minY, width: width, height: bar.height),
        color: (share > 1 ? Self.late : Self.inTime).withAlpha(alpha))
    }
  }

  /// A bar for each frame, as high as its work, the newest one at the right; below a late one lies a mark, for those who do not see the
  /// colours. The line across is the budget of each.
  private func drawBars(_ context: DrawingContext) {
    let bottom = 50 + Self.graph
    let width = (Self.size.width - 2 * Self.margin) / Double(MeterBars.capacity)
    let start = Self.size.width - Self.margin - Double(bars.count) * width
    context.fill(
      Rect(x: Self.margin, y: 50, width: Self.size.width - 2 * Self.margin, height: Self.graph),
      color: Color.white.withAlpha(0.06))
    for index in 0..<bars.count {
      guard case .frame(let work, let isLate) = bars[index] else { continue }
      let height = min(max(1, (work * Self.budgetHeight).rounded()), Self.graph)
      let x = start + Double(index) * width
      let color = isLate ? Self.late : Self.inTime
      context.fill(Rect(x: x, y: bottom - height, width: width, height: height), color: color)
      if isLate { context.fill(Rect(x: x, y: bottom + 1, width: width, height: 3), color: color) }
    }
    context.fill(
      Rect(x: Self.margin, y: bottom - Self.budgetHeight, width: Self.size.width - 2 * Self.margin, height: 1),
      color: Color.white.withAlpha(0.55))
  }
}
