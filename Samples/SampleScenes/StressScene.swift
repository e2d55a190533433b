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
  private let lane: Rect

  public init(settings: SceneSettings) throws {
    self.settings = settings
    let unit = settings.unit
    busy = BusyLayer(work: settings.work, phase: settings.workPhase)
    root.backgroundColor = Palette.night
    lane = Rect(
      x: 96 * unit, y: settings.size.height / 2 - 90 * unit, width: settings.size.width - 192 * unit, height: 180 * unit)

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
    busy.cornerRadius = 8 * unit
    busy.backgroundColor = Palette.amber
    root.addSublayer(busy)

    let title = TextLayer()
    title.font = settings.fonts.bold(size: 54 * unit)
    title.color = Palette.text
    title.string = "\(tenths(settings.work.milliseconds)) ms of work in every frame"
    title.frame = Rect(origin: Point(lane.minX, lane.minY - 150 * unit), size: title.preferredSize)
    root.addSublayer(title)

    let note = TextLayer()
    note.font = settings.fonts.regular(size: 28 * unit)
    note.color = Palette.dim
    note.string = "spent in \(settings.workPhase.rawValue); at 60 Hz the budget is 16.7 ms"
    note.frame = Rect(
      origin: Point(busy.frame.maxX + 16 * unit, busy.frame.midY - note.preferredSize.height / 2), size: note.preferredSize)
    root.addSublayer(note)
    update(at: 0)
  }

  public func update(at time: Double) {
    // The block needs two seconds to cross the screen and to return.
    let phase = (time / 2).truncatingRemainder(dividingBy: 2)
    let way = phase < 1 ? phase : 2 - phase
    let margin = block.bounds.width / 2 + 24 * settings.unit
    block.position = Point(lane.minX + margin + (lane.width - 2 * margin) * way, lane.midY)
    switch settings.workPhase {
    case .callbacks: spin(for: settings.work)
    case .layout: busy.setNeedsLayout()
    case .display: busy.setNeedsDisplay()
    }
  }

  private func tenths(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}

/// A layer that is slow in layout or in drawing, as in a careless application.
private final class BusyLayer: Layer {
  private let work: Nanoseconds
  private let phase: SceneSettings.WorkPhase

  init(work: Nanoseconds, phase: SceneSettings.WorkPhase) {
    self.work = work
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
