import Compositing
import FrameTiming
import Geometry
import Presentation
import RenderTree
import RunLoops

/// Counts how many pixels of each frame changed, how many were painted, and how often.
@MainActor
package final class PaintedAreas {
  /// One line of the figures.
  package struct Row {
    package enum Kind: String, CaseIterable, Sendable {
      /// Pixels that differ from the frame before, as far as the layers tell, but for those that only moved.
      case dirty
      /// Pixels that were painted: those that the buffer lacked, in rectangles.
      case painted
      /// Painted pixels for each dirty one.
      case paintedRatio
      /// How often a painted pixel was painted.
      case overdraw
    }

    package let kind: Kind
    /// Nil without frames.
    package let p50: Double?
    package let maximum: Double?

    package init(_ kind: Kind, _ values: [Double]) {
      let sorted = values.sorted()
      self.kind = kind
      p50 = sorted.isEmpty ? nil : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
      maximum = sorted.last
    }
  }

  /// The frames that were handed over in this turn.
  fileprivate var handedOver: [InspectedFrame] = []
  /// One for each frame, nil where it is not known: so the first of each kind are those of the same frames.
  private var values: [Row.Kind: [Double?]] = [:]
  private var dirty = PixelSet()

  /// - Parameter frames: the number of frames that count, from the first on.
  package func rows(of frames: Int) -> [Row] {
    Row.Kind.allCases.map { Row($0, (values[$0] ?? []).prefix(frames).compactMap { $0 }) }
  }

  fileprivate func countFrames() {
    for frame in handedOver { count(frame) }
    handedOver.removeAll(keepingCapacity: true)
  }

  private func count(_ frame: InspectedFrame) {
    let (width, height) = (frame.buffer.target.width, frame.buffer.target.height)
    dirty.removeAll(width: width, height: height)
    // After a reset all is painted anew, and all counts as changed.
    let changed =
      frame.old.records.isEmpty
      ? Array(frame.damage.rects) : SceneDiff.rects(from: frame.old, to: frame.tree, width: width, height: height)
    for rect in changed { dirty.insert(rect) }
    let (changedPixels, painted) = (Double(max(dirty.count, 1)), Double(max(frame.made.damage.area, 1)))
    for (kind, value) in [(Row.Kind.dirty, changedPixels), (.painted, painted), (.paintedRatio, painted / changedPixels)] {
      values[kind, default: []].append(value)
    }
  }

  /// Adds what the record of a frame has. Some renderers do not count.
  func add(_ record: FrameRecord) {
    values[.overdraw, default: []].append(record.layerPixels > 0 ? record.overdraw : nil)
  }
}

/// A set of an output's pixels: a bit for each.
struct PixelSet {
  private var words: [UInt64] = []
  private var wordsPerRow = 0
  private var bounds = IntRect.zero

  mutating func removeAll(width: Int, height: Int) {
    bounds = IntRect(x: 0, y: 0, width: width, height: height)
    wordsPerRow = (width + 63) / 64
    words.removeAll(keepingCapacity: true)
    words.append(contentsOf: repeatElement(0, count: wordsPerRow * height))
  }

  /// Inserts the pixels of a rectangle that lie on the output.
  mutating func insert(_ rect: IntRect) {
    let rect = rect.intersection(bounds)
    guard !rect.isEmpty else { return }
    let (first, last) = (Int(rect.minX), Int(rect.maxX) - 1)
    for y in Int(rect.minY)..<Int(rect.maxY) {
      let row = y * wordsPerRow
      for word in first / 64...last / 64 {
        var bits = UInt64.max
        if word == first / 64 { bits &= .max << UInt64(first % 64) }
        if word == last / 64 { bits &= .max >> UInt64(63 - last % 64) }
        words[row + word] |= bits
      }
    }
  }

  var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }
}

extension Engine {
  /// Counts the pixels of the frames of the first output from now on. Dirty pixels are counted at the end of the turn that handed the frame
  /// over. That time, a tenth of a millisecond for a display of 1920x1080, is in no figure; but a tick that comes meanwhile waits.
  package func measureAreas() -> PaintedAreas {
    let areas = PaintedAreas()
    output.inspector = .observer { areas.handedOver.append($0) }
    output.observe { event in if case .committed(let frame) = event { areas.add(frame) } }.keep()
    let turnEnd = FrameLoop.Observer(
      [.beforeWaiting, .exit], order: ObserverOrder.turnEnd, evenWhenBusy: true,
      .onMain { [weak areas] _, _ in areas?.countFrames() })
    observers.append(turnEnd)
    loop.add(turnEnd, to: .common)
    return areas
  }
}
