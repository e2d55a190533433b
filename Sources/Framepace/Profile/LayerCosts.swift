import FrameTiming
import Layers
public import LinuxSystem

/// The layout and drawing of each layer: how often, how much, and how long it took.
///
/// ```swift
/// let costs = engine.measureLayers()
/// …
/// for row in costs.summary.rows.prefix(5) { print(row.layer, row.work.name, row.count, row.mean) }
/// ```
@MainActor
public final class LayerCosts {
  /// The kinds of work for layers.
  public enum Work: Hashable, Sendable, CaseIterable {
    /// `layoutSublayers()`.
    case layout
    /// `draw(in:)` on the main thread.
    case drawing
    /// Handing what `makeDrawing()` returned to the workers. Their time is none of the frame's.
    case handingOver
    /// Other display: the setting of a text, or of contents by a delegate.
    case display

    /// The work's name in tables and files.
    public var name: String {
      switch self {
      case .layout: "laid out"
      case .drawing: "drawn"
      case .handingOver: "handed over"
      case .display: "displayed"
      }
    }
  }

  /// The work of one kind for one layer.
  public struct Row: Sendable {
    /// The layer's number in the records of frames.
    public var id: UInt32
    /// The layer's name; of one without, its text or its kind, and what it is in.
    public var layer: String
    public var work: Work
    /// How often it was done.
    public var count: Int
    /// The pixels of the bitmaps that were drawn, all together.
    public var pixels: Int
    /// The time of all together.
    public var time: Nanoseconds
    public var maximum: Nanoseconds

    /// The time of one.
    public var mean: Nanoseconds { time / Int64(max(count, 1)) }
    /// The time of one, without the longest, which often is the first.
    public var usual: Nanoseconds { count > 1 ? (time - maximum) / Int64(count - 1) : time }
  }

  /// A change of the program, and what it saves.
  public struct Advice: Sendable {
    public var layer: String
    /// The time that it takes out of a frame.
    public var saving: Nanoseconds

    public var text: String {
      let time = (saving.milliseconds * 100).rounded() / 100
      return
        "'\(layer)' is drawn on the main thread: makeDrawing() would take \(time) ms out of each frame that draws it, and its picture "
        + "would come when a worker has drawn it"
    }
  }

  private struct Key: Hashable {
    var layer: UInt32
    var work: Work
  }

  private struct Entry {
    weak var layer: Layer?
    var row: Row

    @MainActor
    init(_ layer: Layer, _ key: Key) {
      self.layer = layer
      row = Row(
        id: layer.id, layer: LayerNames.name(of: layer), work: key.work, count: 0, pixels: 0, time: .zero, maximum: .zero)
    }

    /// The name that it has now, or had when it was measured first if it is gone.
    @MainActor
    var name: String { layer.map { LayerNames.name(of: $0) } ?? row.layer }
  }

  private var entries: [Key: Entry] = [:]
  /// The work since the last commit.
  private var turn = FrameRecord.LayerTimes()

  init() {}

  fileprivate func add(_ work: LayerWork, of layer: Layer) {
    let key = Key(layer: work.layer, work: Work(work.kind))
    entries[key, default: Entry(layer, key)].row.add(work)
    turn.add(FrameRecord.LayerTime(layer: work.layer, phase: work.kind == .layout ? .layout : .display, time: work.time))
  }

  /// The longest work of the commit that ends.
  func takeTurn() -> FrameRecord.LayerTimes {
    defer { turn = FrameRecord.LayerTimes() }
    return turn
  }

  /// The costs so far.
  public var summary: Summary {
    let rows = entries.values.map { entry in
      var row = entry.row
      row.layer = entry.name
      return row
    }
    return Summary(rows: rows)
  }

  /// The name of a layer of `FrameRecord.layerTimes`, as the summary has it; nil for one that was never measured.
  package func name(of layer: UInt32) -> String? {
    Work.allCases.lazy.compactMap { [entries] in entries[Key(layer: layer, work: $0)] }.first?.name
  }

  /// The costs of layers at one time.
  public struct Summary: Sendable {
    /// The rows, the one that took longest first.
    public let rows: [Row]

    package init(rows: [Row]) {
      self.rows = rows.sorted { ($0.time, $1.layer) > ($1.time, $0.layer) }
    }

    /// The name of a layer of `FrameRecord.layerTimes`; nil for one that was never measured.
    public func name(of layer: UInt32) -> String? { rows.first { $0.id == layer }?.layer }

    /// Layers that were drawn on the main thread in a tenth of the frames or more, and took a twentieth of the budget or more.
    ///
    /// - Parameters:
    ///   - frames: the number of frames that were measured.
    ///   - budget: the time that a frame may take.
    public func advice(frames: Int, budget: Nanoseconds) -> [Advice] {
      rows.filter { $0.work == .drawing && $0.count >= max(frames / 10, 10) && $0.usual >= budget / 20 }
        .map { Advice(layer: $0.layer, saving: $0.usual) }
    }
  }
}

extension LayerCosts.Row {
  fileprivate mutating func add(_ work: LayerWork) {
    count += 1
    pixels += work.pixels
    time += work.time
    maximum = max(maximum, work.time)
  }
}

extension LayerCosts.Work {
  init?(named name: String) {
    guard let work = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = work
  }

  fileprivate init(_ kind: LayerWork.Kind) {
    self =
      switch kind {
      case .layout: .layout
      case .drawing: .drawing
      case .handingOver: .handingOver
      case .display: .display
      }
  }
}

extension Engine {
  /// Measures from now on what the layers of the first display cost, and names the slowest in the record of each frame. The layout and
  /// the display of each layer take 0.1 µs longer for that.
  public func measureLayers() -> LayerCosts {
    if let layerCosts { return layerCosts }
    let costs = LayerCosts()
    layerCosts = costs
    context.onLayerWork = { layer, work in costs.add(work, of: layer) }
    return costs
  }
}
