import Framepace
import LinuxSystem

extension RandomLayers {
  /// A kind of layer: how to make one, and how to change the properties of its own.
  struct Kind {
    let make: @MainActor () -> Layer
    /// Returns false for a layer of another kind.
    let change: @MainActor (RandomLayers, Layer) -> Bool

    init<Made: Layer>(
      _ make: @escaping @MainActor () -> Made, _ change: @escaping @MainActor (RandomLayers, Made) -> Void
    ) {
      self.make = make
      self.change = { random, layer in
        guard let layer = layer as? Made else { return false }
        change(random, layer)
        return true
      }
    }
  }

  // A subclass comes before its superclass.
  static let kinds = [
    Kind({ ShapeLayer() }) { $0.changeShape($1) },
    Kind({ TextLayer() }) { $0.changeText($1) },
    Kind({ ParagraphLayer() }) { $0.changeParagraph($1) },
    Kind({ GradientLayer() }) { $0.changeGradient($1) },
    Kind({ ScrollLayer() }) { $0.scroll($1) },
    Kind({ SurfaceLayer() }) { $0.changeSurface($1) },
    Kind({ TiledLayer() }) { $0.changeTiles($1) },
    Kind({ TransformLayer() }) { $0.changeTransform($1) },
    Kind({ ReplicatorLayer() }) { $0.changeReplicator($1) },
    Kind({ EmitterLayer() }) { $0.changeEmitter($1) },
    Kind({ ImageLayer() }) { $0.changePicture($1) },
    Kind({ Gauge() }) { $0.changeGauge($1) },
    Kind({ Layer() }) { $0.changeContents($1) },
  ]

  private func changeShape(_ layer: ShapeLayer) {
    (layer.fillColor, layer.strokeColor) = (optionalColor(), optionalColor())
    layer.fillGradient = random.chance(0.3) ? shapeGradient() : nil
    layer.strokeGradient = random.chance(0.2) ? shapeGradient() : nil
    if layer.path != nil, random.chance(0.3) { return }
    layer.path = path()
    layer.fillRule = random.chance(0.5) ? .nonZero : .evenOdd
    var style = StrokeStyle(width: number(in: 0...6), miterLimit: number(in: 0...12))
    style.cap = [.butt, .round, .square].randomElement(using: &random) ?? .butt
    style.join = [.miter, .round, .bevel].randomElement(using: &random) ?? .miter
    if random.chance(0.3) { style.unit = .pixels }
    if random.chance(0.4) {
      style.dash = (0..<Int.random(in: 1...3, using: &random)).map { _ in random.chance(0.2) ? 0 : number(in: 0.5...9) }
      style.dashPhase = number(in: -9...9)
    }
    layer.strokeStyle = style
    (layer.strokeStart, layer.strokeEnd) = random.chance(0.5) ? (0, 1) : (number(in: -0.2...0.6), number(in: 0.2...1.2))
    if random.chance(0.2) {
      let key = [AnimatableKey<Double>.strokeStart, .strokeEnd, .lineWidth, .lineDashPhase].randomElement(using: &random)
      let change = BasicAnimation(
        key ?? .strokeEnd, from: number(in: 0...1), to: number(in: 0...4),
        duration: .milliseconds(Int64.random(in: 5...80, using: &random)))
      layer.add(change, forKey: "shape")
    }
    if random.chance(0.1) { layer.add(pathAnimation(.path), forKey: "path") }
    if random.chance(0.1) {
      let start = shapeGradient()
      // Two of the same structure, or any two.
      var end = random.chance(0.7) ? start : shapeGradient()
      end.end = Point(number(in: -20...100), number(in: -20...100))
      let key = random.chance(0.5) ? AnimatableKey<ShapeGradient>.fillGradient : .strokeGradient
      layer.add(
        BasicAnimation(key, from: start, to: end, duration: .milliseconds(Int64.random(in: 5...80, using: &random))),
        forKey: "gradient")
    }
    if random.chance(0.1) { layer.contents = images.randomElement(using: &random) }
  }

  /// A gradient with up to four stops in any order, or none.
  private func shapeGradient() -> ShapeGradient {
    ShapeGradient(
      GradientType.allCases.randomElement(using: &random) ?? .axial,
      from: Point(number(in: -20...100), number(in: -20...100)),
      to: Point(number(in: -20...100), number(in: -20...100)),
      stops: (0..<Int.random(in: 0...4, using: &random)).map { _ in Gradient.Stop(color(), at: number(in: -0.2...1.2)) })
  }

  /// A change between paths of the same structure, or of any.
  func pathAnimation(_ key: AnimatableKey<Path>) -> BasicAnimation {
    let start = path()
    let move = Affine(
      a: number(in: 0.5...1.5), b: number(in: -1...1), c: 0, d: number(in: 0.5...1.5), tx: number(in: -9...9), ty: 0)
    return BasicAnimation(
      key, from: start, to: random.chance(0.7) ? start.applying(move) : path(),
      duration: .milliseconds(Int64.random(in: 5...80, using: &random)))
  }

  private func changeText(_ layer: TextLayer) {
    (layer.string, layer.color) = (random.chance(0.3) ? leaning() : digits(), color())
    layer.font = font
    if let face = faces.randomElement(using: &random) { layer.font?.face = face }
    if random.chance(0.3) { layer.font?.features = features() }
    // Letters from right to left, where the font has them.
    if layer.font?.hasGlyph(for: "\u{5E9}") == true, random.chance(0.3) { layer.string = "\u{5E9}\u{5D3} " + digits() }
    layer.alignment = TextLayer.Alignment.allCases.randomElement(using: &random) ?? .natural
    layer.truncation = TextLayer.Truncation.allCases.randomElement(using: &random) ?? .end
  }

  /// Letters whose ink leans out of their line.
  private func leaning() -> String {
    ["j", "\u{301}f", "A\u{30A}\u{301}\u{302}", "yj\u{323}\u{331}"].randomElement(using: &random) ?? ""
  }

  /// A face, and three random designs of it if it is variable.
  static func designs(of face: FontFace, _ random: inout SplitMix64) -> [FontFace] {
    if face.axes.isEmpty { return [face] }
    return [face]
      + (0..<3).compactMap { _ in
        let variations = face.axes.filter { _ in random.chance(0.7) }
          .map { FontVariation($0.tag, .random(in: $0.range, using: &random)) }
        return try? FontFace(face, variations: variations)
      }
  }

  private func features() -> [FontFeature] {
    let all = [.tabularFigures, FontFeature("liga", 0), FontFeature("kern", 0), FontFeature("zero"), FontFeature("aalt", 2)]
    return all.filter { _ in random.chance(0.4) }
  }

  private func scroll(_ layer: ScrollLayer) {
    layer.scrollMode = ScrollLayer.ScrollMode.allCases.randomElement(using: &random) ?? .both
    if random.chance(0.3) { layer.masksToBounds = true }
    let place = Point(number(in: -20...20), number(in: -20...20).rounded())
    if random.chance(0.5) { layer.scroll(to: place) } else { layer.scroll(to: Rect(origin: place, size: Size(9, 9))) }
    if let sublayer = layer.sublayers.randomElement(using: &random) { sublayer.scrollRectToVisible(sublayer.visibleRect) }
  }

  /// Puts layers into its space, mostly in perspective.
  private func changeTransform(_ layer: TransformLayer) {
    if random.chance(0.6) { layer.transform = solidTransform() }
    if random.chance(0.3) { layer.sublayerTransform = solidTransform() }
    for sublayer in layer.sublayers where random.chance(0.5) { sublayer.transform = solidTransform() }
    if layer.sublayers.isEmpty {
      let sides = (0..<Int.random(in: 1...3, using: &random)).map { _ in Layer(frame: bounds()) }
      for side in sides {
        side.backgroundColor = color()
        side.transform = solidTransform()
        layer.addSublayer(side)
      }
    }
    guard random.chance(0.2) else { return }
    var turn = BasicAnimation(AnimatableKey<Transform3D>.transform, to: solidTransform())
    turn.duration = .milliseconds(Int64.random(in: 5...80, using: &random))
    layer.add(turn)
  }

  private func changeSurface(_ layer: SurfaceLayer) {
    func side() -> Int { .random(in: 1...40, using: &random) }
    if layer.surface == nil || random.chance(0.1) {
      layer.surface = random.chance(0.1) ? nil : try? Surface(width: side(), height: side(), isOpaque: random.chance(0.4))
    }
    guard let surface = layer.surface else { return }
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let (x, y) = (Int.random(in: 0..<surface.width, using: &random), Int.random(in: 0..<surface.height, using: &random))
      let region = IntRect(
        x: x, y: y, width: Int.random(in: 1...surface.width - x, using: &random),
        height: Int.random(in: 1...surface.height - y, using: &random))
      try? surface.update(region) { pixels in
        for y in 0..<region.height {
          let row = pixels.row(y)
          for x in row.indices { row[x] = color().premultipliedBGRA }
        }
      }
    }
    if random.chance(0.8) { try? surface.commit() }
    if random.chance(0.1) { layer.contents = random.chance(0.5) ? nil : images.randomElement(using: &random) }
  }

  private func changeTiles(_ layer: TiledLayer) {
    if layer.image == nil || random.chance(0.1) {
      layer.image = random.chance(0.1) ? nil : images.randomElement(using: &random)
    }
    if random.chance(0.3) {
      layer.tileSize = Size(Double(Int.random(in: 8...40, using: &random)), Double(Int.random(in: 8...40, using: &random)))
    }
    if random.chance(0.3) { layer.levelsOfDetail = .random(in: 1...5, using: &random) }
    if random.chance(0.3) { layer.levelsOfDetailBias = .random(in: 0...2, using: &random) }
    if random.chance(0.3) { layer.fadeDuration = random.chance(0.5) ? .zero : .milliseconds(20) }
    if random.chance(0.3) { layer.tileBytes = .random(in: 0...1 << 18, using: &random) }
    if random.chance(0.5) { layer.setNeedsDisplay(in: bounds()) }
    if random.chance(0.1) { layer.contents = random.chance(0.5) ? nil : images.randomElement(using: &random) }
  }

  private func changePicture(_ layer: ImageLayer) {
    layer.file = random.chance(0.1) ? nil : files.randomElement(using: &random)
    if random.chance(0.3) { layer.placeholder = random.chance(0.3) ? nil : images.randomElement(using: &random) }
    if random.chance(0.3) { layer.animates.toggle() }
    layer.fadeDuration = random.chance(0.5) ? .zero : .milliseconds(20)
    if random.chance(0.1) { layer.contents = images.randomElement(using: &random) }
  }

  private func changeGradient(_ layer: GradientLayer) {
    func colors() -> [Color] { (0..<Int.random(in: 0...4, using: &random)).map { _ in color() } }
    func point() -> Point { Point(number(in: -0.5...1.5), random.chance(0.1) ? layer.startPoint.y : number(in: -0.5...1.5)) }
    func locations() -> [Double]? {
      random.chance(0.5) ? nil : layer.colors.map { _ in random.chance(0.2) ? 0.5 : number(in: -0.1...1.1) }
    }
    if random.chance(0.6) { layer.colors = colors() }
    layer.type = GradientType.allCases.randomElement(using: &random) ?? .axial
    (layer.locations, layer.startPoint, layer.endPoint) = (locations(), point(), point())
    guard random.chance(0.6) else { return }
    var animation: any Animation =
      switch Int.random(in: 0..<4, using: &random) {
      case 0: BasicAnimation(AnimatableKey<[Color]>.colors, from: colors(), to: colors())
      case 1: KeyframeAnimation(AnimatableKey<[Double]>.locations, values: [locations() ?? [], [], [0, 0.3]])
      case 2: BasicAnimation(AnimatableKey<Point>.startPoint, to: point())
      default: SpringAnimation(AnimatableKey<Point>.endPoint, to: point())
      }
    animation.duration = .milliseconds(Int64.random(in: 5...80, using: &random))
    layer.add(animation)
  }

  private func changeGauge(_ layer: Gauge) {
    if random.chance(0.3) {
      let change = BasicAnimation(
        .level, from: number(in: 0...1), to: number(in: 0...1),
        duration: .milliseconds(Int64.random(in: 5...80, using: &random)))
      layer.add(change, forKey: AnimatableKey<Double>.level.property.rawValue)
    } else {
      layer[.level] = number(in: 0...1)
    }
    layer.setNeedsDisplay()
  }

  private func changeContents(_ layer: Layer) {
    layer.contents = random.chance(0.5) ? nil : images.randomElement(using: &random)
    layer.setNeedsLayout()
    if random.chance(0.3) { layer.setNeedsDisplay() }
  }
}

/// A kind as an application adds it: it draws itself from a property of its own, which animates as the others do.
private final class Gauge: Layer {
  override class func needsDisplay(forKey property: AnimatableProperty) -> Bool {
    property == AnimatableKey<Double>.level.property
  }

  override func draw(in context: DrawingContext) {
    let height = bounds.height * presentation[.level]
    let part = Rect(x: bounds.minX, y: bounds.maxY - height, width: bounds.width, height: height)
    context.fill(part, color: Color(hex: 0x2E8B57).withAlpha(0.7))
  }
}

extension AnimatableKey where Value == Double {
  fileprivate static var level: Self { Self("level", default: 0.5) }
}
