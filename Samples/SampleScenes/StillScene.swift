public import Framepace

/// A poster that never changes: after its first frame the process sleeps.
public final class StillScene: SampleScene {
  public let root = Layer()
  public let isMoving = false

  public init(settings: SceneSettings) throws {
    let unit = settings.unit
    root.backgroundColor = Palette.night
    // A soft light from above.
    let light = GradientLayer(frame: Rect(origin: .zero, size: settings.size))
    (light.type, light.colors) = (.radial, [Color(hex: 0x1C2A3A), Palette.night])
    light.startPoint = Point(0.5, 0)
    light.endPoint = Point(0.5 + 1.1 * settings.size.height / settings.size.width, 1.1)
    root.addSublayer(light)

    // A single column in the middle: title, line, swatches, sentence.
    let column = 1180 * unit
    let left = (settings.size.width - column) / 2
    var y = settings.size.height / 2 - 250 * unit

    let title = TextLayer("framepace", font: settings.fonts.bold(size: 168 * unit), color: Palette.text)
    title.frame.origin = Point(left - 6 * unit, y)
    root.addSublayer(title)
    y = title.frame.maxY + 4 * unit

    let line = TextLayer(
      "A frame loop for Linux: nothing changes, nothing wakes.", font: settings.fonts.light(size: 46 * unit),
      color: Palette.dim)
    line.frame.origin = Point(left, y)
    root.addSublayer(line)
    y = line.frame.maxY + 48 * unit

    let gap = 20 * unit
    let side = (column - 4 * gap) / 5
    for (index, color) in Palette.accents.enumerated() {
      let swatch = Layer()
      swatch.frame = Rect(x: left + Double(index) * (side + gap), y: y, width: side, height: 120 * unit)
      swatch.cornerRadius = 16 * unit
      swatch.backgroundColor = color
      root.addSublayer(swatch)
    }
    y += 120 * unit + 44 * unit

    let pangram = TextLayer(
      "Sphinx of black quartz, judge my vow — 0123456789", font: settings.fonts.regular(size: 34 * unit), color: Palette.text
    )
    pangram.frame.origin = Point(left, y)
    root.addSublayer(pangram)
  }

  public func update(at time: Double) {}
}
