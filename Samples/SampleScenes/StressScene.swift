public import Framepace
import Glibc

/// A block that crosses the screen while every frame is busy for a chosen time. With more work than the budget the block
/// judders, and the meter counts the causes.
public final class StressScene: SampleScene {
  public let root = Layer()
  public let isMoving = true

  private let settings: SceneSettings
  private let block = Layer()
  private let busy: BusyLayer
  private let bar = Layer()
  private let lane: Rect
  private let scale: Rect

  public init(settings: SceneSettings) throws {
    self.settings = settings
    let unit = settings.unit
    busy = BusyLayer(phase: settings.workPhase)
    root.backgroundColor = Palette.night
    lane = Rect(
      x: 96 * unit, y: settings.size.height / 2 - 90 * unit, width: settings.size.width - 192 * unit, height: 180 * unit)
    scale = Rect(x: lane.minX, y: lane.maxY + 150 * unit, width: lane.width, height: 20 * unit)

    let track = Layer()
    track.frame = lane
    track.cornerRadius = 20 * unit
    track.backgroundColor = Palette.panel
    root.addSublayer(track)
    // There is a mark at every twentieth of the lane, against which the eye sees a skipped step.
    for mark in 1..<20 {
      let line = Layer()
      line.frame = Rect(
        x: lane.width * Double(mark) / 20 - unit, y: 24 * unit, width: 2 * unit, height: lane.height - 48 * unit)
      line.backgroundColor = Palette.line
      track.addSublayer(line)
    }

    block.bounds = Rect(x: 0, y: 0, width: 132 * unit, height: 132 * unit)
    block.cornerRadius = 18 * unit
    block.backgroundColor = Palette.rose
    root.addSublayer(block)

    busy.frame = Rect(x: lane.minX, y: lane.maxY + 40 * unit, width: 16 * unit, height: 16 * unit)
    root.addSublayer(busy)
    // Once also in the other phases: a layer that draws and was never asked to looks like a mistake.
    busy.setNeedsDisplay()
    addText(unit: unit)
    addScale(unit: unit)
    update(at: 0)
  }

  public func update(at time: Double) {
    // The block needs two seconds to cross the screen and to return.
    let phase = (time / 2).truncatingRemainder(dividingBy: 2)
    let way = phase < 1 ? phase : 2 - phase
    let margin = block.bounds.width / 2 + 24 * settings.unit
    block.position = Point(lane.minX + margin + (lane.width - 2 * margin) * way, lane.midY)
    show(work(at: time))
    switch settings.workPhase {
    case .callbacks: spin(for: busy.work)
    case .layout: busy.setNeedsLayout()
    case .display: busy.setNeedsDisplay()
    }
  }

  private func work(at time: Double) -> Nanoseconds {
    guard let first = settings.work.first else { return .zero }
    let turn = (max(time, 0) / 2).truncatingRemainder(dividingBy: Double(settings.work.count))
    return turn.isFinite ? settings.work[Int(turn)] : first
  }

  private func addText(unit: Double) {
    let fonts = settings.fonts
    let work = settings.work.map { tenths($0.milliseconds) }.joined(separator: ", ")
    let title = TextLayer(
      "\(work) ms of work in every frame, in \(settings.workPhase.rawValue)",
      font: fonts.medium(size: 56 * unit), color: Palette.text)
    title.frame.origin = Point(lane.minX, lane.minY - 190 * unit)
    root.addSublayer(title)
    let note = TextLayer(
      "While the work fits between two vblanks, the block moves evenly. When it does not, frames are late and the block jumps.",
      font: fonts.regular(size: 30 * unit), color: Palette.dim)
    note.frame.origin = Point(lane.minX, title.frame.maxY + 14 * unit)
    root.addSublayer(note)
  }

  /// Adds the work on a scale of 40 ms, with the intervals of usual displays.
  private func addScale(unit: Double) {
    let small = settings.fonts.regular(size: 26 * unit)
    let frame = scale
    let scale = Layer()
    scale.frame = frame
    scale.backgroundColor = Palette.panel
    scale.cornerRadius = frame.height / 2
    root.addSublayer(scale)
    bar.cornerRadius = frame.height / 2
    scale.addSublayer(bar)
    for (hertz, text) in [(120, "8.3 ms: 120 Hz"), (60, "16.7 ms: 60 Hz"), (30, "33.3 ms: 30 Hz")] {
      let mark = Layer()
      mark.frame = Rect(x: x(1000 / Double(hertz)) - unit, y: -10 * unit, width: 2 * unit, height: frame.height + 20 * unit)
      mark.backgroundColor = Palette.text
      scale.addSublayer(mark)
      let label = TextLayer(text, font: small, color: Palette.dim)
      label.position = Point(mark.position.x, frame.height + 18 * unit + label.bounds.height / 2)
      scale.addSublayer(label)
    }
    let hint = TextLayer(
      "Try --work 20ms, and --work-phase layout or display.", font: small, color: Palette.dim)
    hint.frame.origin = Point(frame.minX, frame.maxY + 90 * unit)
    root.addSublayer(hint)
  }

  /// The place of a time on the scale.
  private func x(_ milliseconds: Double) -> Double { scale.width * min(milliseconds / 40, 1) }

  private func show(_ work: Nanoseconds) {
    busy.work = work
    let work = work.milliseconds
    bar.frame = Rect(x: 0, y: 0, width: max(x(work), scale.height), height: scale.height)
    bar.backgroundColor = work > 1000.0 / 60 ? Palette.rose : work > 1000.0 / 120 ? Palette.amber : Palette.teal
  }

  private func tenths(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}

/// A layer that is slow in layout or in drawing, as in a careless application.
private final class BusyLayer: Layer {
  var work = Nanoseconds.zero
  private let phase: SceneSettings.WorkPhase

  init(phase: SceneSettings.WorkPhase) {
    self.phase = phase
    super.init()
  }

  override func layoutSublayers() {
    if phase == .layout { spin(for: work) }
  }

  override func draw(in context: DrawingContext) {
    if phase == .display { spin(for: work) }
  }
}

/// Keeps the thread busy by the machine's clock. A sleep would free the processor.
private func spin(for time: Nanoseconds) {
  let end = SystemClock.monotonic.now + time
  while SystemClock.monotonic.now < end {}
}
