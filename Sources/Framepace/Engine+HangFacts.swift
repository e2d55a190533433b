import FrameTiming
public import Hangs
import Layers
import LinuxSystem
import Metering
import Presentation
import Synchronization

extension Engine {
  /// The engine's knowledge of a hang, for a `HangMonitor`: the part of the turn it is in, the layer that is laid out or displayed, the
  /// innermost `FrameProfile.region`, the number of its transactions, how much was dirty at the last one, and the work of the last
  /// frames. From then on the layout and the display of each layer write some words more, without a lock or an allocation.
  ///
  /// ```swift
  /// configuration.facts = engine.hangFacts()
  /// ```
  ///
  /// The closure may be called on any thread, also while the engine hangs. It tells how many layers were dirty when the commit under
  /// way or the last one began: those that were marked since are known to the hanging thread alone.
  public func hangFacts() -> @Sendable () -> [HangReport.Fact] {
    let trail = trail ?? EngineTrail()
    if self.trail == nil {
      self.trail = trail
      for group in groups { trail.follow(group.context) }
      FrameProfile.watchThread()
      output.observe { event in if case .committed(let record) = event { trail.add(record.work) } }.keep()
    }
    return { trail.facts }
  }
}

/// The state that an engine leaves for other threads to read: numbers, each written as a whole.
///
/// Safe to share although unchecked: the ring is made once, and its elements are atomic.
final class EngineTrail: @unchecked Sendable {
  enum Stage: UInt8 {
    case callbacks
    case layout
    case rendering
    case betweenTurns

    var text: String {
      switch self {
      case .callbacks: "in callbacks"
      case .layout: "in layout and drawing"
      case .rendering: "in rendering"
      case .betweenTurns: "after the commit"
      }
    }
  }

  private let stage = Atomic<UInt8>(0)
  private let transactions = Atomic<Int>(0)
  private let layouts = Atomic<Int>(0)
  private let displays = Atomic<Int>(0)
  private let frames = Atomic<Int>(0)
  private let layer = LayerUnderWay()
  private let ring = UnsafeMutablePointer<Atomic<Int64>>.allocate(capacity: EngineTrail.length)

  /// The number of frames that are kept.
  static let length = 8

  init() {
    for index in 0..<Self.length { (ring + index).initialize(to: Atomic(0)) }
  }

  /// Notes the layers of a tree while they are laid out and displayed.
  @MainActor
  func follow(_ context: LayerContext) {
    context.onLayerUnderWay = { [self] layer, isLayout in
      if let layer { self.layer.enter(layer, isLayout: isLayout) } else { self.layer.leave() }
    }
  }

  deinit {
    ring.deinitialize(count: Self.length)
    ring.deallocate()
  }

  func enter(_ stage: Stage) { self.stage.store(stage.rawValue, ordering: .relaxed) }

  func beginCommit(layouts: Int, displays: Int) {
    enter(.layout)
    transactions.wrappingAdd(1, ordering: .relaxed)
    self.layouts.store(layouts, ordering: .relaxed)
    self.displays.store(displays, ordering: .relaxed)
  }

  /// Adds the work of a frame.
  func add(_ work: Nanoseconds) {
    let count = frames.load(ordering: .relaxed)
    ring[count % Self.length].store(work.count, ordering: .relaxed)
    frames.store(count + 1, ordering: .releasing)
  }

  var facts: [HangReport.Fact] {
    let count = frames.load(ordering: .acquiring)
    let times = (max(0, count - Self.length)..<count).map { index in
      let work = Double(ring[index % Self.length].load(ordering: .relaxed)) / 1e6
      return "\((work * 10).rounded() / 10)"
    }
    let stage = Stage(rawValue: stage.load(ordering: .relaxed)) ?? .callbacks
    var facts = [HangReport.Fact("engine", stage.text)]
    if let layer = layer.text { facts.append(HangReport.Fact("layer", layer)) }
    if let region = FrameProfile.openRegion { facts.append(HangReport.Fact("region", region)) }
    return facts + [
      HangReport.Fact("transaction", "number \(transactions.load(ordering: .relaxed))"),
      HangReport.Fact(
        "dirty layers",
        "\(layouts.load(ordering: .relaxed)) to lay out, \(displays.load(ordering: .relaxed)) to draw, at the last commit"),
      HangReport.Fact(
        "last frames", times.isEmpty ? "none" : times.joined(separator: ", ") + " ms of work, of \(count) frames"),
    ]
  }
}
