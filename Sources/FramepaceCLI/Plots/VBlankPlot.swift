import Framepace
import Metering

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
    if report.delays.isEmpty {
      draw(report.deviations, title: "Stamps, from an even grid", in: whole, context)
    } else if measurement.hasJitter {
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
    let scale = Histogram.Scale(histogram)
    context.draw(
      TextLine("\(title), in \(scale.unit)", font: style.text), at: Point(panel.minX, panel.minY + 18), color: PlotStyle.ink)
    guard let most = histogram.counts.max() else { return }
    let plot = Rect(x: panel.minX + 68, y: panel.minY + 64, width: panel.width - 68, height: panel.height - 120)
    let step = PlotStyle.step(atLeast: Double(most) / 5)
    // The axis ends at the highest bar. A round number just below would stand in the way of its label.
    for count in stride(from: 0, to: most - step / 3, by: step) + [most] {
      let y = plot.maxY - plot.height * Double(count) / Double(most)
      style.drawRow("\(count)", y: y, isAxis: count == 0, in: plot, context)
    }
    style.draw("vblanks", at: Point(plot.minX - 10, plot.minY - 18), anchor: 1, context)
    drawBars(histogram, most: most, in: plot, context)
    drawBounds(histogram, scale: scale, below: plot, context)
    let unit = "\(scale.unit), \(scale.text(histogram.width)) a bar"
    style.draw(unit, at: Point(plot.minX + plot.width / 2, plot.maxY + 48), anchor: 0.5, context)

    var outside: [String] = []
    if histogram.below > 0, let least = values.min() {
      outside.append("\(histogram.below) below \(scale.text(histogram.start)), earliest \(scale.text(least))")
    }
    if histogram.above > 0, let most = values.max() {
      outside.append("\(histogram.above) from \(scale.text(histogram.end)), longest \(scale.text(most))")
    }
    guard !outside.isEmpty else { return }
    let note = "not shown: \(outside.joined(separator: ", ")) \(scale.unit)"
    style.draw(note, at: Point(plot.maxX, plot.minY - 18), anchor: 1, color: PlotStyle.orange, context)
  }

  private func drawBars(_ histogram: Histogram, most: Int, in plot: Rect, _ context: DrawingContext) {
    let slot = plot.width / Double(histogram.counts.count)
    for (index, count) in histogram.counts.enumerated() where count > 0 {
      // A count above 0 is at least a pixel high, so that it can be seen.
      let height = max(1, (plot.height * Double(count) / Double(most)).rounded())
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
      style.drawMark(scale.text(histogram.bound(index)), x: plot.minX + slot * Double(index), below: plot, context)
    }
  }
}
