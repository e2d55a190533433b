import Compositing
import Geometry
import Raster
import RenderTree
import Testing

@Suite struct SceneDiffTests {
  /// A root of 100 × 100 with three layers of 10 × 10 at (10, 10), (30, 10) and (50, 10); the second holds a fourth of
  /// 4 × 4 at its (20, 20).
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

  private func damage(_ change: (inout TreeSnapshot) -> Void, before: (inout TreeSnapshot) -> Void = { _ in }) -> [IntRect] {
    var old = tree()
    before(&old)
    var new = old
    change(&new)
    for index in new.records.indices { new.records[index].settle(new.sides[index]) }
    if let root = new.records.first, Int(root.subtreeEnd) != new.records.count { Issue.record("inconsistent") }
    var diff = SceneDiff()
    return diff.change(from: old, to: new, width: 100, height: 100).damage.rects.sorted {
      ($0.minX, $0.minY) < ($1.minX, $1.minY)
    }
  }

  private func rect(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> IntRect {
    IntRect(x: x, y: y, width: width, height: height)
  }

  /// The region unites what is close together: where it does, its box is what counts.
  private func box(_ rects: [IntRect]) -> IntRect { rects.reduce(.zero) { $0.union($1) } }

  @Test func sameTreesDiffInNothing() {
    #expect(damage { _ in } == [])
  }

  @Test func whatCannotBeSeenDamagesNothing() {
    #expect(damage({ $0.records[2].backgroundColor = 1 }, before: { $0.records[2].flags = .hidden }) == [])
    #expect(damage({ $0.records[3].transform.tx = 3 }, before: { $0.records[2].opacity = 0 }) == [])
    #expect(damage({ $0.records[2].flags = .hidden }, before: { $0.records[2].opacity = 0.001 }) == [])
    #expect(damage { $0.records[3].cornerRadius = -0.0 } == [])
    #expect(damage({ $0.records[1].transform.tx = 2e9 }, before: { $0.records[1].transform.tx = 1e9 }) == [])
    // Outside of what an ancestor masks.
    #expect(damage({ $0.records[3].backgroundColor = 1 }, before: { $0.records[2].flags = .masksToBounds }) == [])
    // An opacity that rounds to the same step.
    #expect(damage({ $0.records[1].opacity = 0.5002 }, before: { $0.records[1].opacity = 0.5 }) == [])
  }

  @Test func ownPictureDamagesItsOwnPixels() {
    #expect(damage { $0.records[2].backgroundColor = 0xFF00_FF00 } == [rect(30, 10, 10, 10)])
    #expect(damage { $0.records[2].cornerRadius = 3 } == [rect(30, 10, 10, 10)])
    #expect(damage { $0.records[2].bounds.size.width = 12 } == [rect(30, 10, 12, 10)])
    #expect(damage { $0.backdrop = 0xFF12_3456 } == [rect(0, 0, 100, 100)])
    #expect(damage { $0.viewport = Viewport(transform: .identity, clip: rect(0, 0, 50, 50)) } == [rect(0, 0, 100, 100)])
  }

  @Test func damageLiesWhereTheViewportShowsIt() {
    let half = Viewport(
      transform: Affine.scale(x: 0.5, y: 0.25).concatenating(.translation(x: 40, y: 10)), clip: rect(40, 10, 16, 25))
    #expect(damage({ $0.records[2].backgroundColor = 1 }, before: { $0.viewport = half })[0].minX == 55)
    #expect(damage({ $0.records[2].backgroundColor = 1 }, before: { $0.viewport = half })[0].maxX == 56)
    #expect(damage({ $0.records[4].backgroundColor = 1 }, before: { $0.viewport = half }) == [])
  }

  @Test func movingDamagesBothPlacesWithAllInside() {
    #expect(box(damage { $0.records[1].transform.ty = 60 }) == rect(10, 10, 10, 60))
    #expect(box(damage { $0.records[2].transform.ty = 12 }) == rect(30, 10, 24, 26))
    #expect(box(damage { $0.records[2].opacity = 0.5 }) == rect(30, 10, 24, 24))
    #expect(box(damage { $0.records[2].flags = .hidden }) == rect(30, 10, 24, 24))
    #expect(box(damage { $0.records[2].flags = .masksToBounds }) == rect(30, 10, 24, 24))
    #expect(box(damage { $0.records[1].transform.tx = 10.5 }) == rect(10, 10, 11, 10))
    #expect(box(damage { $0.records[1].transform.tx = 95 }) == rect(10, 10, 90, 10))
  }

  /// A change inside of a layer whose shadow is that of its shape damages nothing around it, however deep; a change of the shadow, or
  /// of what throws it, does.
  @Test func aShadowIsNotDamagedByWhatIsInItsShape() {
    func damage(
      _ change: (inout TreeSnapshot) -> Void, before: (inout TreeSnapshot) -> Void = { _ in }
    ) -> IntRect {
      func shadow(_ tree: inout TreeSnapshot, _ index: Int) {
        var parts = RenderEffects.Parts()
        parts.shadow = Shadow(color: 0x8000_0000, offset: Size(0, 2), radius: 4)
        tree.sides[index].effects = RenderEffects(parts)
      }
      let rects = self.damage(change) {
        $0.records[2].bounds.size = Size(40, 40)
        $0.records[3].bounds.size = Size(8, 8)
        shadow(&$0, 2)
        shadow(&$0, 3)
        before(&$0)
        for index in $0.records.indices { $0.records[index].settle($0.sides[index]) }
      }
      return box(rects)
    }
    // 10 · 10 pixels and eight units to each side, of three deviations and of the place.
    let inner = rect(50, 30, 8, 8)
    #expect(damage { $0.records[3].backgroundColor = 0xFF12_3456 } == inner)
    #expect(damage { $0.records[2].backgroundColor = 0xFF12_3456 } == rect(30, 10, 40, 40))
    #expect(damage { $0.records[3].transform.tx += 1 } == rect(44, 26, 22, 21))
    #expect(damage { $0.records[3].backgroundColor = 0x8012_3456 }.contains(rect(45, 27, 18, 18)))
    // The layer no longer fills the shape that throws the shadow.
    #expect(damage { $0.records[2].backgroundColor = 0x8012_3456 }.contains(rect(25, 7, 50, 50)))
    #expect(damage { $0.records[3].transform.tx = 36 }.contains(rect(25, 7, 50, 50)))
    #expect(
      damage({ $0.records[2].backgroundColor = 0xFF12_3456 }) { $0.records[2].backgroundColor = 0x8012_3456 }
        .contains(rect(25, 7, 50, 50)))
    // Blurred with all that is in it.
    let blurred = damage({ $0.records[3].backgroundColor = 0xFF12_3456 }) { tree in
      var parts = tree.sides[2].effects?.parts ?? RenderEffects.Parts()
      parts.blurRadius = 1
      tree.sides[2].effects = RenderEffects(parts)
    }
    #expect(blurred.contains(rect(25, 7, 50, 50)))
  }

  @Test func addingAndRemovingDamageTheirPlace() {
    #expect(
      damage {
        $0.records.remove(at: 1)
        $0.sides.remove(at: 1)
        $0.records[0].subtreeEnd = 4
        for (index, end) in [(1, 3), (2, 3), (3, 4)] { $0.records[index].subtreeEnd = UInt32(end) }
      } == [rect(10, 10, 10, 10)])
    #expect(damage { $0.records[1].id = 9 } == [rect(10, 10, 10, 10)])
    #expect(box(damage { $0.records.removeAll() }) == rect(0, 0, 100, 100))
  }

  @Test func reorderingDamagesTheOneThatMoved() {
    // The last of three comes first: it alone is damaged, not the two that it passed.
    #expect(
      damage {
        let last = $0.records.remove(at: 4)
        $0.records.insert(last, at: 1)
        for (index, end) in [(1, 2), (2, 3), (3, 5), (4, 5)] { $0.records[index].subtreeEnd = UInt32(end) }
      } == [rect(50, 10, 10, 10)])
  }
}
