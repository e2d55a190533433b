import Framepace
import FramepaceTesting
import Interaction
import TestLength
import XCTest

/// Lists against an array of their rows.
@preconcurrency @MainActor final class ListLayerTests: XCTestCase {
  private struct Item: Hashable {
    var number: Int
    var height: Double
  }

  private final class RowLayer: Layer {
    var item = Item(number: -1, height: 0)
    override func size(fitting proposal: SizeProposal) -> Size { Size(proposal.width ?? 0, item.height) }
  }

  @MainActor
  private final class Source: ListLayerDataSource {
    var items: [Item] = []
    /// Makes the items of a list that is too long for an array of them.
    var makeItem: ((Int) -> Item)?
    func item(_ row: Int) -> Item { makeItem?(row) ?? items[row] }
    var made = 0
    var near: Set<Int> = []
    var faults: [String] = []

    func list(_ list: ListLayer, layerFor row: Int, recycling recycled: Layer?) -> Layer {
      if recycled == nil { made += 1 }
      let layer = recycled as? RowLayer ?? RowLayer()
      layer.item = item(row)
      return layer
    }

    func list(_ list: ListLayer, willNeed rows: [Int]) {
      for row in rows where !near.insert(row).inserted { faults.append("\(row) is needed twice") }
    }

    func list(_ list: ListLayer, needsNoMore rows: [Int]) {
      for row in rows where near.remove(row) == nil { faults.append("\(row) was not needed") }
    }
  }

  @MainActor
  private struct Stage {
    let manual: ManualStage<VirtualDisplay>
    let list = ListLayer(frame: Rect(x: 0, y: 0, width: 320, height: 480), estimatedRowHeight: 50)
    let source = Source()

    init(_ items: [Item]) throws {
      manual = try ManualStage(width: 320, height: 480, rate: .hertz60)
      manual.root.addSublayer(list)
      _ = manual.engine.inputRouter
      source.items = items
      list.dataSource = source
      list.reload(count: items.count)
      manual.turn()
    }

    /// The first thing that is wrong with what is shown.
    func fault() -> String? {
      if let fault = source.faults.first { return fault }
      var covered = max(list.bounds.minY, 0)
      for row in list.visibleRows {
        guard let layer = list.layer(for: row) as? RowLayer else { return "row \(row) has no layer" }
        if layer.item != source.item(row) { return "row \(row) shows \(layer.item) for \(source.item(row))" }
        if layer.superlayer !== list { return "row \(row) is not in the list" }
        if layer.frame.height != layer.item.height { return "row \(row) is \(layer.frame.height) high" }
        if layer.frame.minY > covered + 1e-6 { return "nothing is at \(covered)" }
        covered = layer.frame.maxY
      }
      if covered < min(list.bounds.maxY, list.rows.totalHeight) - 1e-6 { return "nothing is at \(covered)" }
      let layers = list.sublayers.filter { $0 is RowLayer }.count
      return layers == list.visibleRows.count ? nil : "\(layers) layers for \(list.visibleRows.count) rows"
    }
  }

  /// Random edits and jumps: exactly the rows that are seen have layers, one below the other, each with its own item and height.
  func testTheRowsThatAreSeenAreShown() throws {
    for seed in 0..<(isLongRun ? 400 : 12) {
      var random = SplitMix64(seed: UInt64(seed))
      var last = 0
      func items(_ count: Int) -> [Item] {
        (0..<count).map { _ in
          last += 1
          return Item(number: last, height: Double(Int.random(in: 1...120, using: &random)))
        }
      }
      let stage = try Stage(items(Int.random(in: 0...200, using: &random)))
      defer { stage.manual.engine.invalidate() }
      for step in 0..<60 {
        let count = stage.source.items.count
        let animated = Bool.random(using: &random)
        switch Int.random(in: 0..<7, using: &random) {
        case 0:
          let (row, new) = (Int.random(in: 0...count, using: &random), items(Int.random(in: 0...20, using: &random)))
          stage.source.items.insert(contentsOf: new, at: row)
          stage.list.insertRows(new.count, at: row, animated: animated)
        case 1 where count > 0:
          let first = Int.random(in: 0..<count, using: &random)
          let rows = first..<min(count, first + Int.random(in: 0...10, using: &random))
          stage.source.items.removeSubrange(rows)
          stage.list.removeRows(rows, animated: animated)
        case 2 where count > 0:
          let first = Int.random(in: 0..<count, using: &random)
          let rows = first..<min(count, first + Int.random(in: 1...6, using: &random))
          let moved = Array(stage.source.items[rows])
          let destination = Int.random(in: 0...(count - rows.count), using: &random)
          stage.source.items.removeSubrange(rows)
          stage.source.items.insert(contentsOf: moved, at: destination)
          stage.list.moveRows(rows, to: destination, animated: animated)
        case 3:
          stage.list.controller.scroll(to: Point(0, Double.random(in: -500...20_000, using: &random)), animated: animated)
        case 4 where count > 0: stage.list.scroll(toRow: Int.random(in: 0..<count, using: &random))
        case 5 where count > 0:
          let row = Int.random(in: 0..<count, using: &random)
          stage.source.items[row].height = Double(Int.random(in: 1...120, using: &random))
          stage.list.reloadRows(row..<row + 1)
        default: stage.manual.run(for: .milliseconds(Int64.random(in: 1...400, using: &random)))
        }
        stage.manual.turn()
        if let fault = stage.fault() { return XCTFail("seed \(seed), step \(step): \(fault)") }
      }
    }
  }

  /// Rows that are seen stay where they are when others come above them.
  func testRowsThatAreSeenStayWhileOthersComeAbove() throws {
    let stage = try Stage((0..<100).map { Item(number: $0, height: 60) })
    defer { stage.manual.engine.invalidate() }
    stage.list.controller.scroll(to: Point(0, 3030))
    stage.manual.turn()
    let row = try XCTUnwrap(stage.list.visibleRows.dropFirst().first)
    let layer = try XCTUnwrap(stage.list.layer(for: row))
    let seenAt = layer.frame.minY - stage.list.bounds.minY
    stage.source.items.insert(contentsOf: (0..<7).map { Item(number: 1000 + $0, height: 33) }, at: 3)
    stage.list.insertRows(7, at: 3, animated: true)
    stage.manual.turn()
    XCTAssertTrue(stage.list.layer(for: row + 7) === layer)
    XCTAssertEqual(layer.frame.minY - stage.list.bounds.minY, seenAt, accuracy: 1e-6)
    XCTAssertEqual(layer.animationKeys, [])
  }

  /// A fling through ten thousand rows makes no more layers than are seen at once, and few more.
  func testLayersAreRecycled() throws {
    let stage = try Stage((0..<10_000).map { Item(number: $0, height: Double(40 + $0 % 37)) })
    defer { stage.manual.engine.invalidate() }
    for target in [5000.0, 0, 400_000, 123_456] {
      stage.list.controller.scroll(to: Point(0, target), animated: true)
      stage.manual.run(for: .milliseconds(600))
      XCTAssertNil(stage.fault())
    }
    XCTAssertLessThan(stage.source.made, 40)
  }

  /// The heights of rows become known in the middle of a fling: each frame shows the content farther on than the last.
  func testAFlingGoesOnWhileHeightsBecomeKnown() throws {
    let stage = try Stage((0..<1000).map { Item(number: $0, height: Double(30 + $0 * 37 % 90)) })
    defer { stage.manual.engine.invalidate() }
    let device = InputDevice(id: InputDevice.ID(rawValue: 1), name: "", abilities: .touch)
    func send(_ action: InputEvent.Action) {
      stage.manual.engine.inputRouter.receive(
        InputEvent(time: stage.manual.clock.now, device: device.id, action: action))
    }
    send(.added(device))
    send(.touch(finger: 0, .down(Point(0.5, 0.9))))
    for step in 1...16 {
      stage.manual.run(for: .milliseconds(5))
      send(.touch(finger: 0, .moved(Point(0.5, 0.9 - 0.03 * Double(step)))))
    }
    send(.touch(finger: 0, .up))
    var seen: [Double] = []
    let link = stage.manual.engine.makeDisplayLink { _ in
      // By the rows, as the position of all of them moves when those above become known: row and part of it.
      guard let row = stage.list.row(at: stage.list.bounds.origin) else { return }
      seen.append(Double(row) + (stage.list.bounds.minY - stage.list.rows.offset(of: row)) / 1000)
    }
    stage.manual.run(for: .seconds(1))
    link.invalidate()
    XCTAssertGreaterThan(seen.count, 50)
    for (one, next) in zip(seen, seen.dropFirst()) { XCTAssertGreaterThanOrEqual(next, one) }
    XCTAssertNil(stage.fault())
  }

  /// In another width rows have other heights, and the first one that is seen stays where it is.
  func testAnotherWidthKeepsThePlace() throws {
    let stage = try Stage((0..<500).map { Item(number: $0, height: Double(60 + $0 % 7)) })
    defer { stage.manual.engine.invalidate() }
    stage.list.scroll(toRow: 300)
    stage.manual.turn()
    let first = try XCTUnwrap(stage.list.visibleRows.first)
    let seenAt = stage.list.rows.offset(of: first) - stage.list.bounds.minY
    Transaction.withoutActions { stage.list.bounds.size.width = 200 }
    stage.manual.run(for: .milliseconds(50))
    XCTAssertNil(stage.fault())
    XCTAssertEqual(stage.list.visibleRows.first, first)
    XCTAssertEqual(stage.list.rows.offset(of: first) - stage.list.bounds.minY, seenAt, accuracy: 1)
  }

  func testAMillionRowsJumpAnywhere() throws {
    let stage = try Stage([])
    defer { stage.manual.engine.invalidate() }
    stage.source.makeItem = { Item(number: $0, height: Double(20 + $0 % 80)) }
    stage.list.reload(count: 1_000_000)
    for row in [999_999, 0, 500_000, 123_456, 999_998] {
      stage.list.scroll(toRow: row)
      stage.manual.turn()
      XCTAssertNil(stage.fault())
      XCTAssertTrue(stage.list.visibleRows.contains(row), "\(row) of \(stage.list.visibleRows)")
    }
  }

  /// An animation leads to where the row is by then, though heights become known on the way and rows come and go.
  func testAnAnimationLeadsToItsRow() throws {
    for seed in some(4, of: 0..<200) {
      var random = SplitMix64(seed: UInt64(seed))
      let stage = try Stage((0..<2_000).map { Item(number: $0, height: Double(Int.random(in: 10...400, using: &random))) })
      defer { stage.manual.engine.invalidate() }
      for _ in 0..<4 {
        let target = Int.random(in: 0..<stage.source.items.count, using: &random)
        let number = stage.source.items[target].number
        stage.list.scroll(toRow: target, animated: true)
        stage.manual.run(for: .milliseconds(Int64.random(in: 20...250, using: &random)))
        // One that has come to its end is followed no more.
        if Bool.random(using: &random), target > 1, stage.list.controller.velocity.y != 0 {
          let row = Int.random(in: 0..<target, using: &random)
          stage.source.items.insert(Item(number: -1 - row, height: 77), at: row)
          stage.list.insertRows(1, at: row, animated: false)
        }
        stage.manual.run(for: .seconds(2))
        XCTAssertNil(stage.fault(), "seed \(seed)")
        let row = try XCTUnwrap(stage.source.items.firstIndex { $0.number == number })
        let frame = try XCTUnwrap(stage.list.layer(for: row)?.frame, "seed \(seed): row \(row) is not seen")
        let (list, end) = (stage.list.bounds, stage.list.rows.totalHeight)
        // Whole pixels move.
        let isSeen = frame.minY >= list.minY - 1 && frame.maxY <= list.maxY + 1
        XCTAssertTrue(
          isSeen, "seed \(seed): row \(row) at \(frame.minY)…\(frame.maxY) in \(list.minY)…\(list.maxY) of \(end)")
      }
    }
  }

  /// A finger, a wheel and another scroll end it.
  func testAnAnimationToARowEndsByAnother() throws {
    let stage = try Stage((0..<2_000).map { Item(number: $0, height: Double(30 + $0 * 7 % 90)) })
    defer { stage.manual.engine.invalidate() }
    stage.list.scroll(toRow: 1_500, animated: true)
    stage.manual.run(for: .milliseconds(100))
    stage.list.controller.scroll(to: Point(0, 500), animated: true)
    stage.manual.run(for: .seconds(2))
    XCTAssertEqual(stage.list.bounds.minY, 500, accuracy: 2_000)
    let device = InputDevice(id: InputDevice.ID(rawValue: 1), name: "", abilities: .touch)
    func send(_ action: InputEvent.Action) {
      stage.manual.engine.inputRouter.receive(
        InputEvent(time: stage.manual.clock.now, device: device.id, action: action))
    }
    send(.added(device))
    stage.list.scroll(toRow: 1_900, animated: true)
    stage.manual.run(for: .milliseconds(100))
    send(.touch(finger: 0, .down(Point(0.5, 0.5))))
    stage.manual.run(for: .milliseconds(100))
    let caught = stage.list.bounds.minY
    stage.manual.run(for: .seconds(1))
    XCTAssertEqual(stage.list.bounds.minY, caught)
    send(.touch(finger: 0, .up))
    stage.manual.run(for: .seconds(1))
    XCTAssertEqual(stage.list.bounds.minY, caught)
  }

  /// The controller takes other physics, and keeps drags to one axis, while it is in use.
  func testPhysicsAndDirectionOfAController() throws {
    let stage = try Stage([])
    defer { stage.manual.engine.invalidate() }
    let view = ScrollLayer()
    view.frame = Rect(x: 0, y: 0, width: 320, height: 480)
    stage.manual.root.addSublayer(view)
    let controller = ScrollController(view, content: Size(4_000, 4_000))
    let device = InputDevice(id: InputDevice.ID(rawValue: 1), name: "", abilities: .touch)
    func send(_ action: InputEvent.Action) {
      stage.manual.engine.inputRouter.receive(
        InputEvent(time: stage.manual.clock.now, device: device.id, action: action))
    }
    func drag() -> Point {
      let start = controller.position
      send(.touch(finger: 0, .down(Point(0.5, 0.8))))
      for step in 1...10 {
        stage.manual.run(for: .milliseconds(16))
        send(.touch(finger: 0, .moved(Point(0.5 - 0.01 * Double(step), 0.8 - 0.03 * Double(step)))))
      }
      stage.manual.run(for: .milliseconds(16))
      send(.touch(finger: 0, .up))
      stage.manual.run(for: .seconds(6))
      return controller.position - start
    }
    send(.added(device))
    let free = drag()
    XCTAssertGreaterThan(free.x, 5)
    controller.isDirectionLocked = true
    let locked = drag()
    XCTAssertEqual(locked.x, 0)
    XCTAssertEqual(locked.y, free.y, accuracy: 2)
    controller.physics.decelerationRate = .fast
    XCTAssertLessThan(drag().y, locked.y - 100)
  }
}
