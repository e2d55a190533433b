import Compositing
import Geometry
import LinuxSystem
import Raster
import RenderTree
import TestLength
import Testing

@Suite struct DamageReasonTests {
  /// A root of 100 × 100 with layers of 10 × 10 at (10, 10), (30, 10) and (50, 10); the second holds one of 4 × 4 at (20, 20).
  private func tree() -> TreeSnapshot {
    func layer(_ id: UInt32, _ end: UInt32, _ x: Double, _ y: Double, _ side: Double) -> RenderRecord {
      RenderRecord(
        id: id, subtreeEnd: end, transform: .translation(x: x, y: y), bounds: Rect(x: 0, y: 0, width: side, height: side),
        backgroundColor: 0xFF00_00FF)
    }
    return TreeSnapshot(
      records: [
        layer(1, 5, 0, 0, 100), layer(2, 2, 10, 10, 10), layer(3, 4, 30, 10, 10), layer(4, 4, 20, 20, 4),
        layer(5, 5, 50, 10, 10),
      ])
  }

  /// The reasons of a change, as `layer: change at x, y`.
  private func reasons(_ change: (inout TreeSnapshot) throws -> Void) rethrows -> [String] {
    let old = tree()
    var new = old
    try change(&new)
    for index in new.records.indices { new.records[index].settle(new.sides[index]) }
    return SceneDiff.reasons(from: old, to: new, width: 100, height: 100).map {
      "\($0.layer): \($0.change) at \($0.pixels.minX), \($0.pixels.minY)"
    }
  }

  @Test func aPropertyIsNamed() throws {
    #expect(reasons { _ in } == [])
    #expect(reasons { $0.records[4].transform.ty = 12 } == ["5: position at 50, 10", "5: position at 50, 12"])
    #expect(reasons { $0.records[1].backgroundColor = 1 } == ["2: background at 10, 10", "2: background at 10, 10"])
    #expect(reasons { $0.records[1].opacity = 0.5 } == ["2: opacity at 10, 10", "2: opacity at 10, 10"])
    #expect(reasons { $0.records[1].flags = .hidden } == ["2: visibility at 10, 10"])
    #expect(reasons { $0.records[1].cornerRadius = 2 }.first == "2: corner radius at 10, 10")
    #expect(reasons { $0.records[1].bounds.size.width = 12 }.first == "2: bounds at 10, 10")
    let image = try Bitmap(width: 4, height: 4).freeze()
    #expect(reasons { $0.sides[4] = SideValues(image: image) }.first == "5: content at 50, 10")
    var parts = RenderEffects.Parts()
    parts.shadow = Shadow(color: 0xFF00_0000, offset: .zero, radius: 2)
    parts.border = Border(width: 1, color: 0xFFFF_FFFF)
    #expect(reasons { $0.sides[4].effects = RenderEffects(parts) }.first == "5: border, shadow at 50, 10")
    var filters = RenderEffects.Parts()
    (filters.blurRadius, filters.colorMatrix) = (1, .inversion(1))
    #expect(reasons { $0.sides[4].effects = RenderEffects(filters) }.first == "5: filters at 50, 10")
    #expect(reasons { $0.backdrop = 0xFF12_3456 } == ["0: backdrop at 0, 0"])
    #expect(reasons { $0.viewport = Viewport(transform: .identity, clip: .zero) } == ["0: viewport at 0, 0"])
  }

  /// No part of the effects goes without a name.
  @Test func everyEffectIsNamed() {
    let old = OldPicture()
    let changes: [(name: String, change: (inout RenderEffects.Parts) -> Void)] = [
      ("content placement", { $0.placement = ContentPlacement(gravity: .center, size: Size(4, 4)) }),
      ("content placement", { $0.cut.scale = 2 }),
      ("corner radius", { $0.corners = [] }),
      ("edge antialiasing", { $0.smoothEdges = [] }),
      ("border", { $0.border = Border(width: 1, color: 0xFFFF_FFFF) }),
      ("filters", { $0.blurRadius = 2 }),
      ("filters", { $0.colorMatrix = .identity }),
      ("filtered backdrop", { $0.backdropBlurRadius = 2 }),
      ("filtered backdrop", { $0.backdropColorMatrix = .identity }),
      ("inner shadow", { $0.innerShadow = Shadow(color: 0xFF00_0000, offset: .zero, radius: 2) }),
      ("shadow", { $0.shadow = Shadow(color: 0xFF00_0000, offset: .zero, radius: 2) }),
      ("blend mode", { $0.blendMode = .multiply }),
      ("transform", { $0.homography = .identity }),
      ("rasterization", { $0.rasterizationScale = 2 }),
      ("transition", { $0.transition = LayerTransition(old: old, type: .fade, subtype: .fromLeft, progress: 0.5) }),
    ]
    #expect(changes.count == Mirror(reflecting: RenderEffects.Parts()).children.count)
    for (name, change) in changes {
      var parts = RenderEffects.Parts()
      change(&parts)
      let names = reasons { $0.sides[4].effects = RenderEffects(parts) }
      #expect(names.first?.hasPrefix("5: \(name) at ") == true, "\(name): \(names)")
    }
  }

  /// A layer that turns about its middle has not moved, although its transform's translation has changed.
  @Test func turningIsNoMove() {
    let turn = Affine.translation(x: -5, y: -5).concatenating(.rotation(1)).concatenating(.translation(x: 15, y: 15))
    #expect(reasons { $0.records[1].transform = turn }.first == "2: transform at 10, 10")
  }

  @Test func aMovedLayerIsTheReasonForThoseInIt() {
    #expect(
      reasons { $0.records[2].transform.ty = 12 } == [
        "3: position at 30, 10", "3: position at 50, 30", "3: position at 30, 12", "3: position at 50, 32",
      ])
  }

  @Test func placesInTheTreeAreTold() {
    #expect(
      reasons {
        $0.records.remove(at: 1)
        $0.sides.remove(at: 1)
        for (index, end) in [(0, 4), (1, 3), (2, 3), (3, 4)] { $0.records[index].subtreeEnd = UInt32(end) }
      } == ["2: removed at 10, 10"])
    #expect(reasons { $0.records[1].id = 9 }.sorted() == ["2: removed at 10, 10", "9: inserted at 10, 10"])
    #expect(
      reasons {
        let last = $0.records.remove(at: 4)
        $0.records.insert(last, at: 1)
        for (index, end) in [(1, 2), (2, 3), (3, 5), (4, 5)] { $0.records[index].subtreeEnd = UInt32(end) }
      } == ["5: order at 50, 10", "5: order at 50, 10"])
    // Each of several that follow one another is a reason of its own.
    #expect(
      reasons {
        $0.records.removeLast(4)
        $0.sides.removeLast(4)
        $0.records[0].subtreeEnd = 1
      } == ["2: removed at 10, 10", "3: removed at 30, 10", "3: removed at 50, 30", "5: removed at 50, 10"])
  }

  /// A layer with a shadow is a picture of its own: the change of a layer in it damages all of it.
  @Test func aChangeInsideAPictureIsTold() {
    var parts = RenderEffects.Parts()
    parts.shadow = Shadow(color: 0xFF00_0000, offset: .zero, radius: 2)
    var old = tree()
    old.sides[2].effects = RenderEffects(parts)
    old.records[2].settle(old.sides[2])
    var new = old
    new.records[3].backgroundColor = 1
    let reasons = SceneDiff.reasons(from: old, to: new, width: 100, height: 100)
    #expect(reasons.map(\.layer) == [3, 3])
    #expect(reasons.allSatisfy { $0.change == .properties([.sublayers]) })
  }

  /// Random trees: the reasons are of the very rectangles of which the damage is made, and no property is made up.
  @MainActor @Test(arguments: some(6, of: 1...40))
  func theReasonsAreThoseOfTheDamage(seed: UInt64) throws {
    let model = try RandomTree(seed: seed &+ 500, layers: 12, width: 90, height: 80)
    let output = IntRect(x: 0, y: 0, width: 90, height: 80)
    var diff = SceneDiff()
    var shown = TreeSnapshot()
    for frame in 0..<100 {
      let edit = model.edit()
      let next = model.snapshot()
      let damage = diff.change(from: shown, to: next, width: 90, height: 80).damage
      let reasons = SceneDiff.reasons(from: shown, to: next, width: 90, height: 80)
      var collector = DamageCollector()
      for reason in reasons { collector.add(reason.pixels) }
      var region = DamageRegion()
      collector.finish(output: output, into: &region)
      #expect(region.rects.elementsEqual(damage.rects), "seed \(seed), frame \(frame): \(edit)")
      let ids = Set((shown.records + next.records).map(\.id))
      for reason in reasons {
        #expect(reason.layer == 0 || ids.contains(reason.layer))
        guard case .properties(let properties) = reason.change else { continue }
        #expect(!properties.isEmpty, "seed \(seed), frame \(frame): \(edit)")
      }
      shown = next
    }
  }
}
