import Framepace

/// A picture of a vblank measurement: the distributions of stamps and of arrivals.
struct VBlankPlot {
  private let style: PlotStyle

  /// - Throws: an error if the fonts are missing.
  init() throws(FontError) {
    style = try PlotStyle()
  }

  func image(_ measurement: VBlankMeasurement) throws(BitmapError) -> Image {
    let report = measurement.report
    let room = Double(PlotStyle.size.width) - 80
    // The clock's name may be a long sentence, so it gets its own line.
    let lines = (measurement.display == nil ? [] : [measurement.clock]) + [Self.figures(measurement)]
    let (bitmap, context) = try style.begin(measurement.display ?? measurement.clock, lines: lines)

    let whole = Rect(x: 40, y: 120, width: room, height: 500)
    if measurement.hasJitter {
      let width = (room - 40) / 2
      draw(
        report.deviations, title: "Stamps, from an even grid", in: Rect(x: 40, y: 120, width: width, height: 500), context)
      draw(
        report.delays, title: "Arrival, after the stamp",
        in: Rect(x: 80 + width, y: 120, width: width, height: 500), context)
    } else {
      draw(report.delays, title: "Arrival, after the stamp", in: whole, context)
    }
    context.flush()
    return bitmap.freeze(isOpaque: true)
  }

  private static func figures(_ measurement: VBlankMeasurement) -> String {
    let report = measurement.report
    var items = [
      "\(report.count) vblanks in \(Text.decimal(report.duration.seconds, 2)) s", "\(report.missed) missed",
      "\(Text.decimal(report.rate, 4)) Hz",
    ]
    if let drift = VBlankText.drift(report) { items.append("drift \(drift)") }
    if measurement.isFallback {
      items.append("about this machine, not about a display")
    } else if !measurement.hasJitter {
      items.append("all stamps less than 1 µs from an even grid")
    }
    return items.joined(separator: "  ·  ")
  }

  // MARK: Panels

  private func draw(_ values: [Nanoseconds], title: String, in panel: Rect, _ context: DrawingContext) {
    let histogram = Histogram(values, ranges: Int(panel.width / 15))
    context.draw(TextLine(title, font: style.text), at: Point(panel.minX, panel.minY + 18), color: PlotStyle.ink)
    guard !histogram.counts.isEmpty else { return }
    let scale = Histogram.Scale(histogram)
    let plot = Rect(x: panel.minX + 68, y: panel.minY + 64, width: panel.width - 68, height: panel.height - 120)
    let most = histogram.counts.max() ?? 1
    let step = Self.step(covering: most, lines: 5)
    let top = max(step, (most + step - 1) / step * step)
    drawGrid(step: step, top: top, in: plot, context)
    drawBars(histogram, top: top, in: plot, context)
    drawBounds(histogram, scale: scale, below: plot, context)

    let unit = TextLine(scale.unit, font: style.text)
    context.draw(unit, at: Point(plot.minX + (plot.width - unit.width) / 2, plot.maxY + 48), color: PlotStyle.faint)
    var outside: [String] = []
    if histogram.below > 0 { outside.append("\(histogram.below) below \(scale.text(histogram.start))") }
    if histogram.above > 0 { outside.append("\(histogram.above) from \(scale.text(histogram.end))") }
    if !outside.isEmpty, let most = values.max(), let least = values.min() {
      if histogram.above > 0 { outside.append("longest \(scale.text(most))") }
      if histogram.below > 0 { outside.append("earliest \(scale.text(least))") }
      let line = TextLine("not shown: \(outside.joined(separator: ", ")) \(scale.unit)", font: style.small)
      context.draw(line, at: Point(panel.maxX - line.width, panel.minY + 18), color: PlotStyle.orange)
    }
  }

  private func drawGrid(step: Int, top: Int, in plot: Rect, _ context: DrawingContext) {
    for count in stride(from: 0, through: top, by: step) {
      let y = (plot.maxY - plot.height * Double(count) / Double(top)).rounded()
      context.fill(
        Rect(x: plot.minX, y: y, width: plot.width, height: 1), color: count == 0 ? PlotStyle.faint : PlotStyle.rule)
      let label = TextLine("\(count)", font: style.small)
      context.draw(label, at: Point(plot.minX - 10 - label.width, y + style.small.capHeight / 2), color: PlotStyle.faint)
    }
    let label = TextLine("vblanks", font: style.small)
    context.draw(label, at: Point(plot.minX - 10 - label.width, plot.minY - 18), color: PlotStyle.faint)
  }

  private func drawBars(_ histogram: Histogram, top: Int, in plot: Rect, _ context: DrawingContext) {
    let slot = plot.width / Double(histogram.counts.count)
    for (index, count) in histogram.counts.enumerated() where count > 0 {
      // A count above 0 is at least a pixel high, so that it can be seen.
      let height = max(1, (plot.height * Double(count) / Double(top)).rounded())
      let left = (plot.minX + slot * Double(index)).rounded()
      let right = (plot.minX + slot * Double(index + 1)).rounded()
      let gap = min(1, max(0, right - left - 1))
      context.fill(
        Rect(x: left, y: plot.maxY.rounded() - height, width: right - left - gap, height: height), color: PlotStyle.blue)
    }
  }

  /// Labels the bounds of the ranges, as many as fit.
  private func drawBounds(_ histogram: Histogram, scale: Histogram.Scale, below plot: Rect, _ context: DrawingContext) {
    let slot = plot.width / Double(histogram.counts.count)
    let widest =
      [0, histogram.counts.count].map { TextLine(scale.text(histogram.bound($0)), font: style.small).width }.max() ?? 0
    let step = PlotStyle.step(atLeast: (widest + 18) / slot)
    // Labels are counted from zero, so that they are round numbers.
    let first = Int(histogram.start.count / histogram.width.count)
    for index in 0...histogram.counts.count where (first + index) % step == 0 {
      let x = (plot.minX + slot * Double(index)).rounded()
      context.fill(Rect(x: x, y: plot.maxY, width: 1, height: 5), color: PlotStyle.faint)
      let label = TextLine(scale.text(histogram.bound(index)), font: style.small)
      context.draw(label, at: Point(x - label.width / 2, plot.maxY + 22), color: PlotStyle.faint)
    }
  }

  private static func step(covering most: Int, lines: Int) -> Int { PlotStyle.step(atLeast: Double(most) / Double(lines)) }
}
