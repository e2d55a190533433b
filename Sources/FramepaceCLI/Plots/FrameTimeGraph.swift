import Framepace
import Metering

/// The graph of a run's frame times: milliseconds from each frame that was seen to the next, beside the budget.
struct FrameTimeGraph {
  /// A frame that was seen.
  struct Frame {
    var number: UInt64
    var presented: MonotonicTime
    /// From the frame before; nil after idle intervals.
    var time: Nanoseconds?
    var isLate: Bool
  }

  let style: PlotStyle
  let plot: Rect
  let frames: [Frame]
  /// One refresh interval.
  let budget: Nanoseconds
  /// The horizontal place of a time.
  let x: (MonotonicTime) -> Double
  /// The top of the graph.
  private let top: Nanoseconds
  private let longest: Nanoseconds

  init(_ frames: [Frame], budget: Nanoseconds, in plot: Rect, style: PlotStyle, x: @escaping (MonotonicTime) -> Double) {
    (self.style, self.plot, self.frames, self.budget, self.x) = (style, plot, frames, budget, x)
    longest = frames.compactMap(\.time).max() ?? .zero
    // A stall of seconds would press all other frames to the bottom.
    top = max(budget * 5 / 2, min(longest * 21 / 20, budget * 10))
  }

  func draw(_ context: DrawingContext) {
    let budget = budget == .zero ? "" : ", with a budget of \(Text.milliseconds(budget)) ms"
    style.draw(
      "ms from frame to frame\(budget)", at: Point(plot.minX, plot.minY - 14), anchor: 0, color: PlotStyle.ink, context)
    drawGrid(context)
    var last: (frame: Frame, y: Double)?
    for frame in frames {
      guard let time = frame.time else {
        last = nil
        continue
      }
      let height = y(time)
      let color = frame.isLate ? PlotStyle.orange : PlotStyle.blue
      let (left, right) = (x(frame.presented - time).rounded(), x(frame.presented).rounded())
      if let last {
        let (upper, lower) = (min(last.y, height), max(last.y, height))
        context.fill(Rect(x: left, y: upper, width: 1, height: lower - upper + 2), color: color)
      }
      context.fill(Rect(x: left, y: height, width: max(1, right - left), height: 2), color: color)
      last = (frame, height)
    }
    drawBeyond(context)
    drawNumbers(context)
  }

  /// The row of a frame time; a longer one is drawn at the top.
  private func y(_ time: Nanoseconds) -> Double {
    guard top > .zero else { return plot.maxY }
    return (plot.maxY - plot.height * min(time, top).seconds / top.seconds).rounded() - 1
  }

  private func drawGrid(_ context: DrawingContext) {
    let line = y(budget)
    let step = PlotStyle.step(atLeast: top.milliseconds / 7)
    for milliseconds in stride(from: 0, through: Int(top.milliseconds), by: step) {
      let row = y(.milliseconds(Int64(milliseconds)))
      // The budget's label takes the place of one that would touch it.
      let label = abs(row - line) < 18 && budget > .zero ? "" : "\(milliseconds)"
      style.drawRow(label, y: row, isAxis: milliseconds == 0, in: plot, context)
    }
    guard budget > .zero else { return }
    for left in stride(from: plot.minX, to: plot.maxX, by: 12) {
      context.fill(Rect(x: left, y: line, width: min(8, plot.maxX - left), height: 1), color: PlotStyle.ink)
    }
    style.draw(
      "budget", at: Point(plot.minX - 10, line + style.small.capHeight / 2), anchor: 1, color: PlotStyle.ink, context)
  }

  private func drawBeyond(_ context: DrawingContext) {
    let count = frames.count { $0.time ?? .zero > top }
    guard count > 0 else { return }
    style.draw(
      "at the edge: \(count) longer than \(Text.milliseconds(top)) ms, longest \(Text.milliseconds(longest)) ms",
      at: Point(plot.maxX, plot.minY - 14), anchor: 1, color: PlotStyle.orange, context)
  }

  /// Numbers of frames, at the vblanks that showed them.
  private func drawNumbers(_ context: DrawingContext) {
    guard let first = frames.first?.number, let last = frames.last?.number, last > first else { return }
    style.draw("frame", at: Point(plot.minX - 10, plot.maxY + 22), anchor: 1, context)
    let step = UInt64(PlotStyle.step(atLeast: Double(last - first) / 12))
    var number = (first + step - 1) / step * step
    for (before, frame) in zip(frames, frames.dropFirst()) where frame.number >= number && before.number < frame.number {
      // A frame that was not seen is labelled between its neighbours.
      while number <= frame.number {
        let part = Double(max(number, before.number) - before.number) / Double(frame.number - before.number)
        let (left, right) = (x(before.presented), x(frame.presented))
        style.drawMark("\(number)", x: left + (right - left) * part, below: plot, context)
        number += step
      }
    }
  }
}
