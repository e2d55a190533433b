import Geometry
import Raster
import RenderTree
import Testing

@Suite struct RenderTreeTests {
  private func tree() -> TreeSnapshot {
    let bounds = Rect(x: 0, y: 0, width: 4, height: 2)
    return TreeSnapshot(
      records: [
        RenderRecord(id: 1, subtreeEnd: 4, bounds: bounds, backgroundColor: 0xFF00_00FF),
        RenderRecord(
          id: 7, subtreeEnd: 3, transform: .translation(x: 1, y: 2.5), bounds: bounds, opacity: 0.5, cornerRadius: 1,
          flags: .masksToBounds),
        RenderRecord(id: 3, subtreeEnd: 3, transform: .scale(2), bounds: bounds, flags: .hidden),
        RenderRecord(id: 4, subtreeEnd: 4, bounds: bounds),
      ], contents: [nil, nil, nil, nil], backdrop: 0xFF10_2030)
  }

  @Test func textShowsEachLayerBelowItsParent() {
    #expect(
      tree().description == """
        backdrop #ff102030
        layer 1 bounds 0.0 0.0 4.0 2.0 color #ff0000ff
          layer 7 bounds 0.0 0.0 4.0 2.0 at 1.0 2.5 radius 1.0 opacity 0.5 masks
            layer 3 bounds 0.0 0.0 4.0 2.0 transform 2.0 0.0 0.0 2.0 0.0 0.0 hidden
          layer 4 bounds 0.0 0.0 4.0 2.0
        """)
  }

  @Test func textSaysWhereTheTreeIsShown() {
    let clip = IntRect(x: 8, y: 0, width: 4, height: 2)
    let tree = TreeSnapshot(viewport: Viewport(transform: .translation(x: 8, y: 0), clip: clip))
    #expect(
      tree.description == """
        backdrop #ff000000
        viewport 8 0 4 2 transform 1.0 0.0 0.0 1.0 8.0 0.0
        """)
  }

  @Test func consistentTrees() {
    #expect(tree().inconsistency == nil)
    #expect(TreeSnapshot().inconsistency == nil)
  }

  @Test(arguments: [0, 1, 2, 3, 4, 5, 6])
  func inconsistentTrees(fault: Int) throws {
    var tree = tree()
    switch fault {
    case 0: tree.contents.removeLast()
    case 1: tree.records[0].subtreeEnd = 3
    case 2: tree.records[3].id = 7
    case 3: tree.records[3].id = 0
    case 4: tree.records[2].subtreeEnd = 4
    case 5: tree.records[2].subtreeEnd = 2
    default: tree.contents[2] = try Bitmap(width: 1, height: 1).freeze()
    }
    #expect(tree.inconsistency != nil)
  }
}
