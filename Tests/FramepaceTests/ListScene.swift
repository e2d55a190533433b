import Framepace
import LinuxSystem

/// A list of 400 × 260 that scrolls at changing speeds, on a root of 440 × 300, with an indicator and a button in front.
@MainActor
final class ListScene {
  static let (width, height) = (440, 300)

  private let list = Layer(frame: Rect(x: 20, y: 20, width: 400, height: 260))
  private let indicator = Layer(frame: Rect(x: 412, y: 24, width: 4, height: 40))
  private var labels: [TextLayer] = []
  private var random: SplitMix64
  private var speed = 7
  /// The number of steps that moved the list by whole pixels.
  private(set) var scrolls = 0

  init(in root: Layer, seed: UInt64, image: Image, font: Font) {
    random = SplitMix64(seed: seed)
    root.backgroundColor = Color(hex: 0xD0D4D8)
    list.backgroundColor = random.chance(0.7) ? Color(hex: 0xFFFFFF) : nil
    list.masksToBounds = true
    list.cornerRadius = random.chance(0.5) ? 10 : 0
    for index in 0..<50 {
      let row = Layer(frame: Rect(x: 0, y: Double(index) * 44, width: 400, height: 43))
      row.backgroundColor = Color(hex: index % 2 == 0 ? 0xF4F4F8 : 0xFFFFFF)
      let picture = Layer(frame: Rect(x: 6, y: 6, width: 32, height: 32))
      picture.contents = image
      picture.cornerRadius = 6
      picture.masksToBounds = true
      let label = TextLayer()
      label.frame = Rect(x: 48, y: 10, width: 200, height: 24)
      (label.font, label.string, label.color) = (font, "Row \(index)", .black)
      if index % 7 == 0 { label.shadowOpacity = 0.4 }
      row.addSublayer(picture)
      row.addSublayer(label)
      labels.append(label)
      list.addSublayer(row)
    }
    indicator.backgroundColor = Color(hex: 0x000000).withAlpha(0.4)
    indicator.cornerRadius = 2
    let button = Layer(frame: Rect(x: 350, y: 210, width: 48, height: 48))
    button.backgroundColor = Color(hex: 0x2080E0)
    button.cornerRadius = 24
    for layer in [list, indicator, button] { root.addSublayer(layer) }
  }

  /// Scrolls on, and sometimes changes something else.
  func step() {
    if random.chance(0.1) { speed = Int.random(in: -30...30, using: &random) }
    if random.chance(0.02) {
      // By an animation, through parts of pixels.
      list.bounds.origin.y = Double(Int.random(in: 0...1_900, using: &random))
      return
    }
    Transaction.withoutActions {
      let place = (list.bounds.origin.y + Double(speed)).rounded()
      if place < 0 || place > 1_900 { speed = -speed }
      list.bounds.origin.y = min(max(place, 0), 1_900)
      indicator.position.y = 44 + (list.bounds.origin.y / 10).rounded()
      scrolls += 1
      if random.chance(0.2) {
        labels.randomElement(using: &random)?.string = "Row of \(Int.random(in: 0...999, using: &random))"
      }
      if random.chance(0.05) { list.position.x += 2 }
    }
  }
}
