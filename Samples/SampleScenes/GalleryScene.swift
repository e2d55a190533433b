public import Framepace

/// Pictures that fill the display one after the other: each is approached slowly while it is shown, and fades into the next. A row of
/// small ones says which it is.
///
/// The movements are animations that repeat for ever. The root's clock stands, and each picture sets its time.
public final class GalleryScene: SampleScene {
  public let root = Layer()
  public let isMoving = true

  private static let pictures: [Landscape] = [.dawn, .fjord, .dunes, .night]
  /// The time for which a picture is shown alone or over the one before it, and the one in which it fades in.
  private static let stay = 5.0
  private static let fade = 1.2
  private static var period: Double { stay * Double(pictures.count) }
  /// The size of a picture at its end, in parts of the display's: it is painted as large, and shown smaller at first.
  private static let zoom = 1.16

  public init(settings: SceneSettings) throws {
    let (size, unit) = (settings.size, settings.roundUnit)
    root.speed = 0
    root.backgroundColor = .black
    root.masksToBounds = true
    for (index, picture) in Self.pictures.enumerated() { addSlide(picture, index, size: size) }

    let shade = GradientLayer(frame: Rect(x: 0, y: size.height - 420 * unit, width: size.width, height: 420 * unit))
    shade.colors = [Color(white: 0, alpha: 0), Color(white: 0, alpha: 0.6)]
    root.addSublayer(shade)
    let isUpright = size.width < size.height
    let thumb = Size(168, 112) * unit
    let gap = 24 * unit
    let count = Double(Self.pictures.count)
    let row = thumb.width * count + gap * (count - 1)
    let left = isUpright ? (size.width - row) / 2 : size.width - row - 72 * unit
    let top = size.height - 72 * unit - thumb.height
    for (index, picture) in Self.pictures.enumerated() {
      addThumb(
        picture, index, in: Rect(origin: Point(left + (thumb.width + gap) * Double(index), top), size: thumb), unit: unit)
      let caption = TextLayer(picture.name, font: settings.fonts.light(size: 84 * unit), color: .white)
      let bottom = isUpright ? top - 48 * unit : size.height - 64 * unit
      caption.frame.origin = Point(isUpright ? left : 72 * unit, bottom - caption.bounds.height)
      caption.add(shown(index, from: 0, to: 1, isAlone: true))
      root.addSublayer(caption)
    }
  }

  public func update(at time: Double) {
    // The scene begins when the first picture is there.
    root.timeOffset = .seconds(time + Self.fade)
  }

  private func addSlide(_ picture: Landscape, _ index: Int, size: Size) {
    let slide = LandscapeLayer(picture)
    slide.bounds = Rect(origin: .zero, size: size * Self.zoom)
    slide.position = Point(size.width / 2, size.height / 2)
    let start = Self.stay * Double(index)
    var approach = BasicAnimation(.transformScale, from: 1 / Self.zoom, to: 1)
    approach.timingFunction = .easeInEaseOut
    approach.duration = .seconds(Self.stay + Self.fade)
    approach.fillMode = .both
    // The last picture is still seen while the first one begins anew.
    slide.add(repeated(AnimationGroup([approach]), from: start - Self.period))
    // The first one lies below all others, so that the last one fades out over it.
    if index > 0 {
      let isLast = index == Self.pictures.count - 1
      var fade = KeyframeAnimation(
        .opacity, values: isLast ? [0, 1, 1, 0] : [0, 1, 1, 1],
        keyTimes: [0, Self.fade, Self.stay, Self.stay + Self.fade].map { $0 / (Self.stay + Self.fade) },
        timingFunctions: [.easeInEaseOut, .linear, .easeInEaseOut])
      fade.duration = .seconds(Self.stay + Self.fade)
      slide.opacity = 0
      slide.add(repeated(AnimationGroup([fade]), from: start - Self.period))
    }
    root.addSublayer(slide)
  }

  /// Lets animations run once in each round, from a time on.
  private func repeated(_ group: AnimationGroup, from start: Double) -> AnimationGroup {
    var group = group
    group.beginTime = .zero + .seconds(start)
    group.duration = .seconds(Self.period)
    group.repeatCount = .infinity
    return group
  }

  /// An opacity that goes from one value to another and back while a picture is shown; alone it comes when the one of the picture
  /// before has gone.
  private func shown(_ index: Int, from hidden: Double, to visible: Double, isAlone: Bool = false) -> KeyframeAnimation {
    let (comes, goes) = isAlone ? (Self.fade / 2, Self.stay + Self.fade / 2) : (0, Self.stay + Self.fade)
    let times = [0, comes, Self.fade, Self.stay, goes, Self.period].map { $0 / Self.period }
    var change = KeyframeAnimation(
      .opacity, values: [hidden, hidden, visible, visible, hidden, hidden], keyTimes: times,
      timingFunctions: [.linear, .easeInEaseOut, .linear, .easeInEaseOut, .linear])
    change.beginTime = .zero + .seconds(Self.stay * Double(index) - Self.period)
    change.duration = .seconds(Self.period)
    change.repeatCount = .infinity
    return change
  }

  private func addThumb(_ picture: Landscape, _ index: Int, in frame: Rect, unit: Double) {
    let thumb = LandscapeLayer(picture, cornerRadius: 14 * unit)
    thumb.frame = frame
    thumb.add(shown(index, from: 0.55, to: 1))
    root.addSublayer(thumb)
    let ring = Layer(frame: frame.insetBy(dx: -6 * unit, dy: -6 * unit))
    ring.cornerRadius = 20 * unit
    (ring.borderWidth, ring.borderColor) = (max(3 * unit, 1), .white)
    ring.add(shown(index, from: 0, to: 1))
    root.addSublayer(ring)
  }
}
