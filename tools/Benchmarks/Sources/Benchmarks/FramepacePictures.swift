import CKernels
import CPeers
import Compositing
import Geometry
import Layers
import LinuxSystem
import Raster
import RenderTree

/// The tasks painted by framepace on one thread: rows by the kernels, all that stands on the ground by the compositor.
@MainActor
final class FramepacePictures {
  private let material: PeerMaterial
  private let kernels: UnsafePointer<ckernels_table>
  private let workers = WorkerPool(threads: 1)
  private let compositor: Compositor
  private let forgetful: Compositor
  private let rotated: TreeSnapshot
  private let scaled: TreeSnapshot
  private let axial: TreeSnapshot
  private let radial: TreeSnapshot
  private let rects: TreeSnapshot
  private let text: TreeSnapshot
  private let card: TreeSnapshot
  private let star: Path

  private static let width = Double(Pixels.width)
  private static let height = Double(Pixels.height)
  private static let screen = Rect(x: 0, y: 0, width: width, height: height)

  init(_ material: PeerMaterial, blending: Blending = .sRGB) throws {
    self.material = material
    kernels = blending == .linear ? ckernels_linear() : ckernels_best()
    compositor = Compositor(blending: blending)
    forgetful = Compositor(keptBytes: 0, blending: blending)
    var star = Path()
    for point in material.star { star.line(to: point) }
    star.close()
    self.star = star
    let image = material.interface.bitmap.freeze()
    let middle = Affine.translation(x: -Self.width / 2, y: -Self.height / 2)
    let turn = middle.concatenating(.rotation(0.35)).concatenating(.translation(x: Self.width / 2, y: Self.height / 2))
    let enlargement = Affine.scale(1.5).concatenating(.translation(x: -100.3, y: -50.7))
    rotated = Self.tree([(RenderRecord(id: 2, transform: turn, bounds: Self.screen), SideValues(image: image))])
    scaled = Self.tree([(RenderRecord(id: 2, transform: enlargement, bounds: Self.screen), SideValues(image: image))])
    axial = Self.gradient(.axial, to: Point(1, 1), workers)
    // A circle, half as wide as the screen.
    radial = Self.gradient(.radial, to: Point(1, 0.5 + 0.5 * Self.width / Self.height), workers)
    rects = Self.tree(
      material.corners.map { corner in
        let bounds = Rect(origin: corner, size: PeerMaterial.rectSize)
        return (
          RenderRecord(
            id: 2, bounds: bounds, cornerRadius: Float(PeerMaterial.radius), backgroundColor: 0xFFFF_FFFF), SideValues()
        )
      })
    var effects = RenderEffects.Parts()
    effects.shadow = Shadow(color: 0x8000_0000, offset: Size(0, 8), radius: 20)
    let frame = PeerMaterial.card
    card = Self.tree([
      (
        RenderRecord(
          id: 2, bounds: Rect(x: Double(frame.minX), y: Double(frame.minY), width: 400, height: 300), cornerRadius: 16,
          backgroundColor: 0xFFF0_F0F0), SideValues(effects: RenderEffects(effects))
      )
    ])
    text = Self.text(material, workers)
  }

  func end() { workers.shutdown() }

  /// - Parameter coldSource: the source for `PeerTask.cold`.
  func paint(_ task: PeerTask, into target: Pixels, coldSource: Pixels) {
    switch task {
    case .fill: target.rows(target) { row, _, count in kernels.pointee.fill(row, count, peer_ground) }
    case .interface: target.rows(material.interface, kernels.pointee.over)
    case .noise: target.rows(material.noise, kernels.pointee.over)
    case .half: target.rows(material.noise) { kernels.pointee.over_opacity($0, $1, $2, 128) }
    case .cold: target.rows(coldSource, kernels.pointee.over)
    case .rotated: render(rotated, into: target)
    case .scaled: render(scaled, into: target)
    case .axial: render(axial, into: target)
    case .radial: render(radial, into: target)
    case .rects: render(rects, into: target)
    case .path:
      var parts = ShapeContent.Parts()
      (parts.path, parts.fillColor) = (star, .white)
      render(shape(parts), into: target)
    case .stroke:
      var parts = ShapeContent.Parts()
      (parts.path, parts.fillColor, parts.strokeColor) = (star, nil, .white)
      parts.strokeStyle = StrokeStyle(width: 2, join: .bevel)
      render(shape(parts), into: target)
    case .glyphs: render(text, PeerMaterial.page, into: target)
    case .shadow: render(card, PeerMaterial.shadow, by: forgetful, into: target)
    case .kept: render(card, PeerMaterial.shadow, into: target)
    }
  }

  private func render(
    _ tree: TreeSnapshot, _ part: IntRect = PeerTask.fill.part, by compositor: Compositor? = nil, into target: Pixels
  ) {
    (compositor ?? self.compositor).render(tree, damage: DamageRegion(part), into: target.bitmap)
  }

  /// A path is new in each call, and nothing is known of it.
  private func shape(_ parts: ShapeContent.Parts) -> TreeSnapshot {
    Self.tree([(RenderRecord(id: 2, bounds: .zero), SideValues(shape: ShapeContent(parts)))])
  }

  /// Layers on the ground.
  private static func tree(_ layers: [(RenderRecord, SideValues)]) -> TreeSnapshot {
    var tree = TreeSnapshot()
    tree.append(
      RenderRecord(id: 1, subtreeEnd: UInt32(layers.count + 1), bounds: screen, backgroundColor: peer_ground), SideValues())
    for (record, sides) in layers {
      var record = record
      record.id = UInt32(tree.records.count + 1)
      record.subtreeEnd = record.id
      tree.append(record, sides)
    }
    return tree
  }

  private static func gradient(_ type: GradientType, to end: Point, _ workers: WorkerPool) -> TreeSnapshot {
    let layer = GradientLayer(frame: screen)
    layer.colors = [
      Color(red: 0.05, green: 0.1, blue: 0.2), Color(red: 0.1, green: 0.6, blue: 1), Color(red: 1, green: 1, blue: 0.9),
    ]
    (layer.locations, layer.type) = ([0, 0.4, 1], type)
    (layer.startPoint, layer.endPoint) = (type == .axial ? .zero : Point(0.5, 0.5), end)
    return shown(layer, workers)
  }

  private static func text(_ material: PeerMaterial, _ workers: WorkerPool) -> TreeSnapshot {
    let root = Layer(frame: screen)
    root.backgroundColor = Color(hex: peer_ground & 0xFF_FFFF)
    for line in material.lines {
      let label = TextLayer()
      (label.string, label.font, label.color, label.truncation) = (line.text, material.font, .white, .none)
      let size = label.preferredSize
      let typeset = TextLine(line.text, font: material.font)
      // The line lies in the middle of its layer.
      let top = line.y - (size.height + typeset.ascent - typeset.descent) / 2
      label.frame = Rect(x: line.x, y: top, width: 780, height: size.height)
      root.addSublayer(label)
    }
    return shown(root, workers)
  }

  private static func shown(_ root: Layer, _ workers: WorkerPool) -> TreeSnapshot {
    let context = LayerContext(root: root, workers: workers)
    _ = context.commit(at: .zero)
    return context.renderTree(at: .zero)
  }
}
