import Compositing
import Geometry
import LinuxSystem
import Raster
import RenderTree
import XCTest

@testable import Layers

/// The look of a layer, as its model and its record have it.
@preconcurrency @MainActor final class LookTests: XCTestCase {
  func testChangesAnimateByThemselves() throws {
    let (stage, layer) = Stage.showing(Layer(frame: Rect(x: 0, y: 0, width: 10, height: 10)))
    (layer.borderWidth, layer.borderColor) = (2, .white)
    (layer.shadowColor, layer.shadowOpacity, layer.shadowOffset, layer.shadowRadius) = (.white, 1, .zero, 5)
    (layer.innerShadowColor, layer.innerShadowOpacity) = (.white, 1)
    (layer.innerShadowOffset, layer.innerShadowRadius) = (Size(1, 1), 5)
    layer.contentsRect = Rect(x: 0, y: 0, width: 0.5, height: 0.5)
    layer.contentsCenter = Rect(x: 0.4, y: 0.4, width: 0.2, height: 0.2)
    (layer.blurRadius, layer.colorMatrix) = (4, .saturation(0))
    (layer.backdropBlurRadius, layer.backdropColorMatrix) = (4, .saturation(0))
    // The next have no animation of their own.
    (layer.maskedCorners, layer.compositingFilter, layer.shouldRasterize) = (.minXMinY, .multiply, true)
    (layer.magnificationFilter, layer.shadowPath) = (.nearest, .rect(Rect(x: 0, y: 0, width: 1, height: 1)))
    let expected = [
      "borderWidth", "borderColor", "shadowColor", "shadowOpacity", "shadowOffset", "shadowRadius",
      "innerShadowColor", "innerShadowOpacity", "innerShadowOffset", "innerShadowRadius", "contentsRect",
      "contentsCenter", "blurRadius", "colorMatrix", "backdropBlurRadius", "backdropColorMatrix",
    ]
    XCTAssertEqual(layer.animationKeys, expected)
    stage.turn()
    let tree = stage.context.renderTree(at: stage.now + .milliseconds(125))
    let shown = try XCTUnwrap(tree.sides[1].effects?.parts.shadow)
    XCTAssertGreaterThan(shown.radius, 3)
    XCTAssertLessThan(shown.radius, 5)
    let parts = try XCTUnwrap(tree.sides[1].effects?.parts)
    XCTAssertEqual(parts.colorMatrix?.red.x ?? 1, 1 - (1 - 0.213) * parts.blurRadius / 4, accuracy: 1e-9)
    XCTAssertEqual(stage.context.renderTree(at: stage.now).sides[1].effects?.parts.border, nil)
  }

  /// Effects that do not change keep their identity, so that the difference of two trees need not look inside.
  func testEffectsKeepTheirIdentity() throws {
    let stage = Stage()
    let layer = Layer(frame: Rect(x: 0, y: 0, width: 10, height: 10))
    stage.root.addSublayer(layer)
    XCTAssertNil(layer.values.rareBox)
    stage.turn()
    XCTAssertNil(stage.context.renderTree(at: stage.now).sides[1].effects)
    Transaction.withoutActions { layer.borderWidth = 2 }
    stage.turn()
    let first = try XCTUnwrap(stage.context.renderTree(at: stage.now).sides[1].effects)
    layer.position.x += 5
    layer.backgroundColor = .white
    stage.turn()
    XCTAssertIdentical(stage.context.renderTree(at: stage.now + .milliseconds(50)).sides[1].effects, first)
    Transaction.withoutActions { layer.borderWidth = 0 }
    XCTAssertNil(layer.values.rareBox)
    stage.turn()
    XCTAssertNil(stage.context.renderTree(at: stage.now).sides[1].effects)
  }

  /// Also while another animation goes on; those that it showed for a while are let go of then.
  func testEffectsAreThoseOfTheCommitWhereNothingAnimatesThem() throws {
    let level = AnimatableKey<Double>("level", default: 0)
    for hasOwnProperty in [false, true] {
      let layer = Layer(frame: Rect(x: 0, y: 0, width: 10, height: 10))
      layer.borderWidth = 1
      if hasOwnProperty { layer[level] = 1 }
      let stage = Stage.showing(layer).stage
      func effects(after milliseconds: Int64) -> RenderEffects? { stage.tree(after: milliseconds).sides[1].effects }
      var endless = BasicAnimation(.opacity, from: 0, to: 1)
      (endless.duration, endless.repeatCount) = (.seconds(1), .infinity)
      layer.add(endless)
      stage.turn()
      let first = try XCTUnwrap(effects(after: 10))
      Transaction.withoutActions { layer.borderWidth = 2 }
      stage.turn()
      XCTAssertIdentical(effects(after: 20), layer.committedAnimations?.sides.effects)
      XCTAssertNotIdentical(effects(after: 20), first)

      var wider = BasicAnimation(.borderWidth, from: 2, to: 6)
      (wider.duration, wider.timingFunction) = (.milliseconds(100), .linear)
      layer.add(wider)
      stage.turn()
      weak let between = effects(after: 50)
      XCTAssertEqual(between?.parts.border?.width, 4)
      for milliseconds: Int64 in [150, 160, 170] {
        XCTAssertIdentical(effects(after: milliseconds), layer.committedAnimations?.sides.effects)
      }
      XCTAssertNil(between)
    }
  }

  func testWhatALayerDrawsHoldsBorderAndShadow() {
    var parts = RenderEffects.Parts()
    let bounds = Rect(x: 0, y: 0, width: 10, height: 10)
    func drawn() -> Rect {
      var tree = TreeSnapshot()
      tree.append(RenderRecord(id: 1, subtreeEnd: 1, bounds: bounds), SideValues(effects: RenderEffects(parts)))
      return tree.records[0].drawnBounds
    }
    XCTAssertEqual(drawn(), .zero)
    parts.border = Border(width: 1, color: 0xFF00_0000)
    XCTAssertEqual(drawn(), bounds)
    parts.shadow = Shadow(color: 0xFF00_0000, offset: Size(0, 20), radius: 4)
    XCTAssertEqual(drawn(), Rect(x: -6, y: 0, width: 22, height: 36))
  }

  /// One of which nothing is seen is none, and numbers beyond their range are limited to it.
  func testBordersAndShadowsHaveTheirValues() {
    let layer = Layer(frame: Rect(x: 0, y: 0, width: 10, height: 10))
    func parts() -> RenderEffects.Parts { layer.sideValues.effects?.parts ?? RenderEffects.Parts() }
    (layer.borderWidth, layer.borderColor) = (0.25, Color(hex: 0x123456))
    XCTAssertEqual(parts().border, Border(width: 0.25, color: 0xFF12_3456))
    for (width, color) in [(0, .white), (-1, .white), (.infinity, .white), (1, nil), (1, .clear)] as [(Double, Color?)] {
      (layer.borderWidth, layer.borderColor) = (width, color)
      XCTAssertNil(parts().border, "\(width)")
    }
    (layer.shadowOffset, layer.shadowRadius, layer.shadowColor) = (Size(2, 5), 4, .white)
    for (opacity, color) in [(0, nil), (-1, nil), (.nan, nil), (0.5, 0x8080_8080), (7, 0xFFFF_FFFF)] as [(Double, UInt32?)] {
      (layer.shadowOpacity, layer.innerShadowOpacity) = (opacity, opacity)
      (layer.innerShadowOffset, layer.innerShadowRadius, layer.innerShadowColor) = (Size(2, 5), 4, .white)
      XCTAssertEqual(parts().innerShadow, parts().shadow)
      XCTAssertEqual(parts().shadow, color.map { Shadow(color: $0, offset: Size(2, 5), radius: 4) }, "\(opacity)")
    }
    (layer.shadowRadius, layer.shadowOpacity, layer.shadowColor) = (-3, 0.5, Color(white: 1).withAlpha(0.5))
    XCTAssertEqual(parts().shadow, Shadow(color: 0x4040_4040, offset: Size(2, 5), radius: 0))
    layer.shadowOpacity = 7
    XCTAssertEqual(parts().shadow?.color, 0x8080_8080, "no more than the colour has")
    layer.shadowOffset = Size(.infinity, 0)
    XCTAssertNil(parts().shadow)
    (layer.shadowOffset, layer.shadowColor) = (.zero, nil)
    XCTAssertNil(parts().shadow)
  }

  func testFiltersHaveTheirValues() {
    let layer = Layer(frame: Rect(x: 0, y: 0, width: 10, height: 10))
    func parts() -> RenderEffects.Parts? { layer.sideValues.effects?.parts }
    for radius in [0, -1, .infinity, .nan] {
      (layer.blurRadius, layer.backdropBlurRadius) = (radius, radius)
      XCTAssertNil(parts(), "\(radius)")
    }
    for factor in [.infinity, -.nan, 1e39, 1e308] {
      layer.colorMatrix = ColorMatrix(red: [factor, 0, 0, 0])
      layer.backdropColorMatrix = layer.colorMatrix
      XCTAssertNil(parts())
    }
    (layer.blurRadius, layer.colorMatrix) = (2, .brightness(0.5))
    XCTAssertEqual(parts()?.blurRadius, 2)
    XCTAssertEqual(parts()?.colorMatrix, .brightness(0.5))
    (layer.backdropBlurRadius, layer.backdropColorMatrix) = (3, .brightness(0.4))
    XCTAssertEqual(parts()?.backdropBlurRadius, 3)
    XCTAssertEqual(parts()?.backdropColorMatrix, .brightness(0.4))
  }

  func testAPartWithoutASizeShowsNothing() throws {
    let layer = Layer(frame: Rect(x: 0, y: 0, width: 10, height: 10))
    layer.contents = try Bitmap(width: 2, height: 2).freeze()
    for side in [0, 1e-200, -1, .nan] {
      layer.contentsRect = Rect(x: 0, y: 0, width: side, height: 1)
      XCTAssertEqual(layer.sideValues.effects.contentRect(in: layer.bounds), .zero, "\(side)")
    }
    layer.contentsRect = Rect(x: 0, y: 0, width: 1e-6, height: 1)
    XCTAssertEqual(layer.sideValues.effects.contentRect(in: layer.bounds), layer.bounds)
  }

  /// Contents whose size overflows, or is no number, show nothing; their effects stay the same from commit to commit.
  func testAPlaceHasFiniteNumbers() throws {
    let image = try Bitmap(width: 2, height: 2).freeze()
    let extremes = [1, 1e308, 1e-308, 0, -1e308, .infinity, .nan]
    for gravity in ContentsGravity.allCases {
      for side in extremes {
        for scale in [1, 1e308, 1e-308] {
          for part in [1, 10, 1e308] {
            let layer = Layer(frame: Rect(x: 0, y: 0, width: 10, height: 10))
            layer.contentsGravity = gravity
            layer.contentsRect = Rect(x: 0, y: 0, width: part, height: 1)
            for drawn in [DrawnMeasures(size: Size(side, 5), scale: scale), nil] {
              layer.setContents(image, drawn: drawn)
              layer.contentsScale = drawn == nil ? scale : nil
              let name = "\(gravity), drawn \(side) at \(scale), part \(part)"
              let sides = layer.sideValues
              XCTAssertIdentical(layer.sideValues.effects, sides.effects, name)
              let place = sides.effects?.parts.placement ?? ContentPlacement(gravity: gravity, size: .zero)
              XCTAssertTrue(place.isFinite, name)
              var record = RenderRecord(id: 1, bounds: layer.bounds)
              record.settle(sides)
              XCTAssertEqual(record.drawnBounds.union(layer.bounds), layer.bounds, name)
            }
          }
        }
      }
    }
  }

  /// Parts that keep their size are for contents that are stretched.
  func testOnlyStretchedContentsHaveNineParts() throws {
    let layer = Layer(frame: Rect(x: 0, y: 0, width: 10, height: 10))
    layer.contents = try Bitmap(width: 4, height: 4).freeze()
    let center = Rect(x: 0.25, y: 0.25, width: 0.5, height: 0.5)
    (layer.contentsCenter, layer.contentsScale) = (center, 2)
    for gravity in ContentsGravity.allCases {
      layer.contentsGravity = gravity
      let isStretched = [.resize, .resizeAspect, .resizeAspectFill].contains(gravity)
      let cut = layer.sideValues.effects?.parts.cut ?? ContentCut()
      XCTAssertEqual(cut.center, isStretched ? center : ContentCut().center, gravity.rawValue)
      XCTAssertEqual(cut.scale, isStretched ? 2 : 1, gravity.rawValue)
    }
  }

  // MARK: Masks

  func testAMaskIsNoSublayer() {
    let (layer, mask, other) = (Layer(), Layer(), Layer())
    layer.mask = mask
    XCTAssertIdentical(mask.superlayer, layer)
    XCTAssertEqual(layer.sublayers.count, 0)
    layer.addSublayer(mask)
    XCTAssertNil(layer.mask)
    XCTAssertEqual(layer.sublayers.count, 1)
    layer.mask = mask
    XCTAssertEqual(layer.sublayers.count, 0)
    layer.mask = other
    XCTAssertNil(mask.superlayer)
    other.removeFromSuperlayer()
    XCTAssertNil(layer.mask)
  }

  func testAMaskIsLaidOutDrawnAndAnimatedAsAnyLayer() {
    let stage = Stage()
    let mask = RecordingLayer("mask")
    stage.root.mask = mask
    mask.setNeedsLayout()
    mask.setNeedsDisplay()
    stage.root.addSublayer(Layer())
    stage.turn()
    XCTAssertEqual([mask.layouts, mask.draws], [1, 1])
    mask.setNeedsLayout()
    stage.root.layoutIfNeeded()
    XCTAssertEqual(mask.layouts, 2)
    mask.opacity = 0
    stage.turn()
    let tree = stage.context.renderTree(at: stage.now + .milliseconds(125))
    XCTAssertEqual(tree.records.count, 3)
    XCTAssertEqual(tree.records.map { $0.flags.contains(.mask) }, [false, true, false])
    XCTAssertTrue(tree.records[0].flags.contains(.masked))
    XCTAssertLessThan(tree.records[1].opacity, 1)
    XCTAssertGreaterThan(tree.records[1].opacity, 0)
    stage.root.mask = nil
    stage.turn()
    XCTAssertEqual(stage.context.renderTree(at: stage.now).records.count, 2)
    XCTAssertNil(mask.context)
  }

  func testActionsOfAMask() {
    let stage = Stage()
    let journal = Answerer()
    let (layer, mask, other) = (Layer(), Layer(), Layer())
    stage.root.add(layer, other)
    stage.turn()
    (layer.name, mask.name, other.name) = ("P", "M", "O")
    for asked in [layer, mask, other] { asked.delegate = journal }
    layer.mask = mask
    XCTAssertEqual(journal.asked, ["P.mask", "M.onOrderIn"])
    func expect(_ events: [String], line: UInt = #line, _ leave: () -> Void) {
      layer.mask = mask
      journal.asked.removeAll()
      leave()
      XCTAssertNil(layer.mask, line: line)
      XCTAssertEqual(journal.asked, events, line: line)
    }
    expect(["P.mask", "M.onOrderOut"]) { mask.removeFromSuperlayer() }
    expect(["P.mask", "M.onOrderOut", "O.sublayers", "M.onOrderIn"]) { other.addSublayer(mask) }
    expect(["P.mask", "M.onOrderOut", "P.sublayers", "M.onOrderIn"]) { layer.addSublayer(mask) }
    expect(["P.mask", "M.onOrderOut", "O.mask", "M.onOrderIn"]) { other.mask = mask }
  }

  // MARK: Drawing into a bitmap

  func testRendersInItsOwnCoordinates() throws {
    let layer = Layer(frame: Rect(x: 500, y: 500, width: 4, height: 3))
    layer.backgroundColor = Color(hex: 0xFF0000)
    XCTAssertEqual(try pixel(of: layer, 0, 0), 0xFFFF_0000)
    XCTAssertEqual(try pixel(of: layer, 4, 0), 0)
  }

  /// Half the opacity for red with a green sublayer and a blue border: one group, and the border above the sublayer.
  func testRendersAGroup() throws {
    let layer = Layer(frame: Rect(x: 0, y: 0, width: 20, height: 20))
    (layer.backgroundColor, layer.opacity) = (Color(hex: 0xFF0000), 0.5)
    (layer.borderWidth, layer.borderColor) = (2, Color(hex: 0x0000FF))
    let sublayer = Layer(frame: Rect(x: 0, y: 10, width: 10, height: 10))
    sublayer.backgroundColor = Color(hex: 0x00FF00)
    layer.addSublayer(sublayer)
    XCTAssertEqual(try pixel(of: layer, 10, 5), 0x8080_0000)
    XCTAssertEqual(try pixel(of: layer, 5, 15), 0x8000_8000)
    XCTAssertEqual(try pixel(of: layer, 0, 15), 0x8000_0080)
  }

  /// Coordinates that run upwards do so in all layers below, and twice turned over they run down again.
  func testRendersFlippedCoordinates() throws {
    let layer = Layer(frame: Rect(x: 0, y: 0, width: 20, height: 20))
    let inner = Layer(frame: layer.bounds)
    let core = Layer(frame: Rect(x: 0, y: 0, width: 20, height: 5))
    core.backgroundColor = .white
    layer.addSublayer(inner)
    inner.addSublayer(core)
    for (isLayer, isInner, isOnTop) in [
      (false, false, true), (true, false, false), (true, true, true), (false, true, false),
    ] {
      (layer.isGeometryFlipped, inner.isGeometryFlipped) = (isLayer, isInner)
      // The inner one alone has the coordinates that it has in the other.
      for drawn in [layer, inner] {
        XCTAssertEqual(try pixel(of: drawn, 5, 2), isOnTop ? 0xFFFF_FFFF : 0, "\(isLayer), \(isInner)")
        XCTAssertEqual(try pixel(of: drawn, 5, 17), isOnTop ? 0 : 0xFFFF_FFFF, "\(isLayer), \(isInner)")
      }
    }
  }

  func testRendersCornersMasksAndContents() throws {
    let layer = Layer(frame: Rect(x: 0, y: 0, width: 20, height: 20))
    let large = Layer(frame: Rect(x: -5, y: -5, width: 40, height: 40))
    large.backgroundColor = .white
    layer.addSublayer(large)
    layer.cornerRadius = 10
    XCTAssertEqual(try pixel(of: layer, 0, 0), 0xFFFF_FFFF)
    layer.masksToBounds = true
    XCTAssertEqual(try pixel(of: layer, 0, 0), 0)
    layer.maskedCorners = [.maxXMaxY]
    XCTAssertEqual(try pixel(of: layer, 0, 0), 0xFFFF_FFFF)
    XCTAssertEqual(try pixel(of: layer, 19, 19), 0)
    let mask = Layer(frame: Rect(x: 0, y: 0, width: 10, height: 20))
    mask.backgroundColor = .black
    layer.mask = mask
    XCTAssertEqual(try pixel(of: layer, 9, 5), 0xFFFF_FFFF)
    XCTAssertEqual(try pixel(of: layer, 10, 5), 0)
    mask.opacity = 0.5
    XCTAssertEqual(try pixel(of: layer, 9, 5), 0x8080_8080)
    mask.isHidden = true
    XCTAssertEqual(try pixel(of: layer, 9, 5), 0)
    (mask.opacity, mask.isHidden) = (1, false)
    let bitmap = try Bitmap(width: 1, height: 1)
    bitmap.row(0).assumingMemoryBound(to: UInt32.self)[0] = 0xFF12_3456
    large.contents = bitmap.freeze()
    XCTAssertEqual(try pixel(of: layer, 5, 5), 0xFF12_3456)
  }

  /// A layer that promises to be opaque is drawn on black.
  func testOpaqueLayersDrawOnBlack() throws {
    let stage = Stage()
    let layer = RecordingLayer("layer")
    layer.onDraw = { $0.fill(Rect(x: 0, y: 0, width: 5, height: 10), color: .white) }
    layer.isOpaque = true
    layer.setNeedsDisplay()
    stage.root.addSublayer(layer)
    stage.turn()
    XCTAssertEqual(layer.contents?.isOpaque, true)
    XCTAssertEqual(try pixel(of: layer, 7, 5), 0xFF00_0000)
    layer.isOpaque = false
    stage.turn()
    XCTAssertEqual(try pixel(of: layer, 7, 5), 0)
  }
}

@MainActor
private func pixel(of layer: Layer, _ x: Int, _ y: Int) throws -> UInt32 {
  let bitmap = try Bitmap(width: 24, height: 24)
  let context = DrawingContext(bitmap: bitmap)
  try layer.render(in: context, with: Compositor())
  context.flush()
  return bitmap.row(y).assumingMemoryBound(to: UInt32.self)[x]
}
