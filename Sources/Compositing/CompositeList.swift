import Geometry
import RenderTree

/// A layer that the damage touches, made ready to be painted: its place on the output and what it needs.
struct CompositeNode: BitwiseCopyable {
  /// The index of its record in the tree.
  var record: Int32
  /// One past its last descendant among the nodes.
  var end: Int32
  /// The innermost group or antialiased clip that holds it, among the nodes; −1 for the output.
  var group: Int32
  /// From the layer's coordinates to the output's pixels.
  var transform: Affine
  /// The pixels that the masks of its ancestors leave.
  var clip: IntRect
  /// The pixels that it may paint itself.
  var own: IntRect
  /// The pixels that it and its descendants may paint.
  var extent: IntRect
  /// Pixels that its own picture hides wholly, as far as the groups and clips around it let it through.
  var opaque: IntRect
  /// The opacity of its own picture and, when it is a group, of the group.
  var opacity: UInt32
  /// 0xAARRGGBB; 0 without a background.
  var color: UInt32
  /// See `PictureSpace.depth`.
  var pictureDepth: Int32
  /// Content and effects live as long as the tree that is composited, which the compositor holds: nodes do not count
  /// references.
  unowned(unsafe) var content: (any PaintableContent)?
  unowned(unsafe) var effects: RenderEffects?
  /// The kept picture of an isolated layer, which the compositor's cache holds.
  unowned(unsafe) var raster: RasterEntry?
  /// The kept coverage of its shadow and of the one inside its edges, which the compositor's cache holds.
  unowned(unsafe) var shadowMask: KeptShadowMask?
  unowned(unsafe) var innerShadowMask: KeptShadowMask?
  /// Its filtered backdrop, which the compositor's cache holds.
  unowned(unsafe) var backdrop: KeptBackdrop?
  var flags: Flags

  struct Flags: OptionSet, BitwiseCopyable {
    let rawValue: UInt16
    /// Background, content and descendants become one picture, which is blended with `opacity`.
    static let opacityGroup = Flags(rawValue: 1 << 0)
    /// The bounds cut content and descendants, and cover some pixels in part. There, what these paint is mixed with what was there.
    static let antialiasedClip = Flags(rawValue: 1 << 1)
    /// The rounded bounds cut each row of the content: there is nothing else to cut.
    static let roundedContent = Flags(rawValue: 1 << 2)
    /// A mask that is one shape cuts the layer with its descendants.
    static let shapeMask = Flags(rawValue: 1 << 4)
    /// The layer with its descendants becomes a picture that its effects change before it is blended. The node stands for all.
    static let isolated = Flags(rawValue: 1 << 3)
    /// The layer filters what lies behind it in its group.
    static let filtersBackdrop = Flags(rawValue: 1 << 5)
    /// A border lies above its descendants.
    static let bordered = Flags(rawValue: 1 << 6)
    /// A shadow that its shape throws lies below it.
    static let shadowed = Flags(rawValue: 1 << 7)
    /// A shadow inside of its edges lies above its content.
    static let innerShadowed = Flags(rawValue: 1 << 8)

    init(rawValue: UInt16) { self.rawValue = rawValue }
  }
}

/// The layers of a tree that a damage touches, in painting order. Its memory is kept for the next frame.
struct CompositeList {
  /// Groups deeper than this get no picture of their own: their opacity goes to each layer, their clips cut whole pixels.
  /// Each level costs a buffer of the damage's size.
  static let maximumGroupDepth = 32

  /// The layer whose children are being taken in.
  private struct Parent {
    /// One past its last descendant among the records.
    var end: Int
    /// The index of its node; −1 for the output.
    var node: Int
    var placement: Placement
    /// The node of the innermost group or antialiased clip that holds the children; −1 for the output.
    var group: Int32 = -1
    var groupDepth = 0
    /// The opacity of the groups around it that are too deep for a picture of their own.
    var opacity: UInt32 = 255
    /// See `PictureSpace.depth`.
    var pictureDepth: Int32 = 0
  }

  var nodes: ContiguousArray<CompositeNode> = []
  /// True if a layer of the list filters what lies behind it, which is not kept: see `pixelsBehind`.
  var filtersBackdrop = false
  private var parents: ContiguousArray<Parent> = []

  /// Makes the list of the layers that `tree` shows in `damage`.
  mutating func build(_ tree: TreeSnapshot, damage: DamageRegion, output: IntRect) {
    nodes.removeAll(keepingCapacity: true)
    filtersBackdrop = false
    tree.withTreeLayers { layers in
      build(
        layers, from: 0, damage,
        Parent(end: layers.records.count, node: -1, placement: Placement(outside: tree, on: output)))
    }
  }

  /// Makes the list of one layer, which lies at `transform` on the picture, and its descendants, in `pixels`. Its own opacity and
  /// its effects are left out.
  mutating func build(
    _ layers: TreeLayers, of root: Int, end: Int, _ transform: Affine, pixels: IntRect, pictureDepth: Int
  ) {
    nodes.removeAll(keepingCapacity: true)
    var record = layers.records[root]
    record.opacity = 1
    let outside = Parent(
      end: end, node: -1, placement: Placement(transform: transform, clip: pixels), pictureDepth: Int32(pictureDepth))
    let own = transform.touchedPixels(of: record, layers.bodyBounds(of: root)).intersection(pixels)
    append(layers, root, record, transform, own, outside, isLeaf: end == root + 1, isShadowed: false)
    nodes[0].flags.remove(.filtersBackdrop)
    filtersBackdrop = false
    parents.append(outside)
    let parent = Parent(
      end: end, node: 0, placement: outside.placement.entering(record, transform: transform),
      group: nodes[0].flags.contains(.antialiasedClip) ? 0 : -1,
      groupDepth: nodes[0].flags.contains(.antialiasedClip) ? 1 : 0, pictureDepth: Int32(pictureDepth))
    build(layers, from: root + 1, DamageRegion(pixels), parent)
  }

  /// Leaves out all that is painted after the node of a record itself.
  mutating func cut(after record: Int) {
    guard let index = nodes.firstIndex(where: { Int($0.record) == record }) else { return }
    nodes.removeLast(nodes.count - index - 1)
    for index in nodes.indices { nodes[index].end = min(nodes[index].end, Int32(nodes.count)) }
  }

  private mutating func build(_ layers: TreeLayers, from start: Int, _ damage: DamageRegion, _ outside: Parent) {
    let records = layers.records
    let box = damage.boundingBox
    let isOneRect = damage.rects.count == 1
    var parent = outside
    var index = start
    var nextBlock = start
    while true {
      while index >= parent.end {
        guard let grandparent = parents.popLast() else { return }
        close(parent.node, in: grandparent.node)
        parent = grandparent
      }
      if index >= nextBlock {
        nextBlock = (index / RecordBlock.length + 1) * RecordBlock.length
        let end = min(nextBlock, records.count)
        if end <= parent.end, let bounds = layers.leafBounds(ofBlockAt: index),
          bounds.isFar(from: box, parent.placement.transform)
        {
          index = end
          continue
        }
      }
      let end = records[index].end(at: index, in: parent.end)
      guard records[index].isShown else {
        index = end
        continue
      }
      let transform = parent.placement.transform(of: records[index])
      // Few leaves are near a small damage.
      if end == index + 1, !records[index].isIsolated, records[index].reachInPixels == 0,
        records[index].drawnBounds.isFar(from: box, transform)
      {
        index += 1
        continue
      }
      if layers.isTurnedAway(index, transform) {
        index = end
        continue
      }
      let depth = Int(parent.pictureDepth)
      let isIsolated = records[index].isIsolated && depth < TreeLayers.maximumPictureDepth
      let mask =
        isIsolated && parent.groupDepth < Self.maximumGroupDepth ? ShapeMask(layers, of: index, end: end, transform) : nil
      var (outer, own, isShadowed) = (parent, IntRect.zero, false)
      if isIsolated, mask == nil {
        if parent.placement.clip.intersects(box) {
          own = layers.picturePixels(of: index, end: end, transform, depth: depth)
            .intersection(parent.placement.clip)
        }
        isShadowed = own.intersects(box) && layers.throwsShadowOfShape(index, end: end, transform, depth: depth)
        if !isShadowed {
          if own.intersects(box) { appendIsolated(layers, index, transform, own, parent) }
          index = end
          continue
        }
      } else {
        if let mask { outer.placement.clip = outer.placement.clip.intersection(mask.pixels) }
        own = transform.touchedPixels(of: records[index], records[index].drawnBounds).intersection(outer.placement.clip)
      }
      if !own.intersects(box) || !(isOneRect || damage.intersects(own)) { own = .zero }
      if end == index + 1 {
        if !own.isEmpty {
          append(layers, index, records[index], transform, own, parent, isLeaf: true, isShadowed: isShadowed)
          close(nodes.count - 1, in: parent.node)
        }
        index = end
        continue
      }
      let inner = outer.placement.entering(records[index], transform: transform)
      if own.isEmpty, !inner.clip.intersects(box) {
        index = end
        continue
      }
      append(layers, index, records[index], transform, own, outer, isLeaf: false, isShadowed: isShadowed)
      parents.append(parent)
      if let mask {
        nodes[nodes.count - 1].flags.insert(.shapeMask)
        nodes[nodes.count - 1].opaque = nodes[nodes.count - 1].opaque.intersection(mask.coveredRect)
      }
      let flags = nodes[nodes.count - 1].flags
      let cuts = (flags.contains(.antialiasedClip) ? 1 : 0) + (flags.contains(.shapeMask) ? 1 : 0)
      let isOpacityGroup = flags.contains(.opacityGroup)
      parent = Parent(
        end: end, node: nodes.count - 1, placement: inner,
        group: isOpacityGroup || cuts > 0 ? Int32(nodes.count - 1) : parent.group,
        groupDepth: parent.groupDepth + (isOpacityGroup ? 1 : 0) + cuts,
        opacity: isOpacityGroup ? 255 : nodes[nodes.count - 1].opacity,
        pictureDepth: parent.pictureDepth + (isIsolated ? 1 : 0))
      index += 1
    }
  }

  /// Closes a node after its last descendant; removes it if it shows nothing in the damage.
  private mutating func close(_ node: Int, in parent: Int) {
    let extent = nodes[node].extent
    if extent.isEmpty {
      nodes.removeLast(nodes.count - node)
      return
    }
    nodes[node].end = Int32(nodes.count)
    if parent >= 0 { nodes[parent].extent = nodes[parent].extent.union(extent) }
  }

  private mutating func appendIsolated(
    _ layers: TreeLayers, _ index: Int, _ transform: Affine, _ pixels: IntRect, _ parent: Parent
  ) {
    nodes.append(
      CompositeNode(
        record: Int32(index), end: 0, group: parent.group, transform: transform, clip: parent.placement.clip, own: pixels,
        extent: pixels, opaque: .zero, opacity: multiply255(layers.records[index].opacityByte, parent.opacity), color: 0,
        pictureDepth: parent.pictureDepth, content: nil, effects: layers.effects(at: index), raster: nil, shadowMask: nil,
        innerShadowMask: nil, backdrop: nil, flags: .isolated))
    if layers.records[index].flags.contains(.filtersBackdrop) { filterBackdrop() }
    close(nodes.count - 1, in: parent.node)
  }

  private mutating func append(
    _ layers: TreeLayers, _ index: Int, _ record: RenderRecord, _ transform: Affine, _ own: IntRect, _ parent: Parent,
    isLeaf: Bool, isShadowed: Bool
  ) {
    var node = CompositeNode(
      record: Int32(index), end: 0, group: parent.group, transform: transform, clip: parent.placement.clip, own: own,
      extent: own, opaque: .zero, opacity: multiply255(record.opacityByte, parent.opacity),
      color: record.backgroundColor, pictureDepth: parent.pictureDepth, content: nil, effects: nil, raster: nil,
      shadowMask: nil, innerShadowMask: nil, backdrop: nil, flags: isShadowed ? .shadowed : [])
    if record.effects != nil, let effects = layers.effects(at: index) {
      node.effects = effects
      if effects.parts.border != nil { node.flags.insert(.bordered) }
      if effects.parts.innerShadow != nil { node.flags.insert(.innerShadowed) }
    }
    if index < layers.sides.count, let content = layers.sides[index].content {
      guard let content = content as? any PaintableContent else {
        preconditionFailure("Compositor: layer \(record.id) has a content that is no PaintableContent")
      }
      node.content = content
    }
    let hasTwoPictures = record.backgroundColor != 0 && record.content != nil || node.content?.coversItself ?? false
    let filtersBackdrop = record.flags.contains(.filtersBackdrop)
    let isDecorated = filtersBackdrop || !node.flags.isDisjoint(with: [.bordered, .shadowed, .innerShadowed])
    if record.opacityByte < 255, !isLeaf || hasTwoPictures || isDecorated, parent.groupDepth < Self.maximumGroupDepth {
      node.flags.insert(.opacityGroup)
    }
    if record.flags.contains(.masksToBounds) {
      if isLeaf {
        if record.cornerRadius > 0 { node.flags.insert(.roundedContent) }
      } else if parent.groupDepth < Self.maximumGroupDepth,
        record.cornerRadius > 0 || transform.wholePixels(of: record.bounds) == nil
      {
        node.flags.insert(.antialiasedClip)
      }
    }
    if node.opacity == 255, !own.isEmpty { node.opaque = opaquePixels(record, node) }
    nodes.append(node)
    if filtersBackdrop { filterBackdrop() }
  }

  /// Notes that the last node filters what lies behind it.
  private mutating func filterBackdrop() {
    nodes[nodes.count - 1].flags.insert(.filtersBackdrop)
    filtersBackdrop = true
  }

  /// The largest rectangle that background or content alone fill with opaque pixels.
  private func opaquePixels(_ record: RenderRecord, _ node: CompositeNode) -> IntRect {
    var largest = IntRect.zero
    if record.backgroundColor >> 24 == 255 {
      let shape = LayerShape(node, record)
      largest = shape.coveredRect(record.bounds, node.transform).intersection(node.own)
    }
    if let content = node.content, node.flags.isDisjoint(with: [.antialiasedClip, .roundedContent]) {
      let pixels = content.opaquePixels(of: record, node.effects, node.transform).intersection(node.own)
      if pixels.area > largest.area { largest = pixels }
    }
    return largest
  }
}

extension TreeLayers {
  /// The rectangle around all that the records of a block of leaves paint, in their parent's coordinates.
  @inline(__always)
  fileprivate func leafBounds(ofBlockAt index: Int) -> Rect? {
    let number = index / RecordBlock.length
    return number < blocks.count ? blocks[number]?.leafBounds : nil
  }
}

extension Rect {
  /// True only if layers that paint inside of the rectangle paint nothing in `box`: a quick look, which leaves turned layers and those
  /// near by to `touchedPixels`. The two pixels are more than antialiased edges and rounding add to a rectangle.
  @inline(__always)
  fileprivate func isFar(from box: IntRect, _ transform: Affine) -> Bool {
    guard transform.isScaleAndTranslation, abs(transform.a) < 0x1p16, abs(transform.d) < 0x1p16 else { return false }
    let (width, height) = (transform.a * self.width, transform.d * self.height)
    guard abs(width) < 0x1p30, abs(height) < 0x1p30 else { return false }
    let x = transform.a * minX + transform.tx
    let y = transform.d * minY + transform.ty
    return x + max(width, 0) + 2 < Double(box.minX) || x + min(width, 0) - 2 > Double(box.maxX)
      || y + max(height, 0) + 2 < Double(box.minY) || y + min(height, 0) - 2 > Double(box.maxY)
  }
}

/// x·a/255 to the nearest integer, for x and a from 0 to 255: as the row kernels multiply.
@inline(__always)
func multiply255(_ x: UInt32, _ a: UInt32) -> UInt32 { (x * a + 127) / 255 }
