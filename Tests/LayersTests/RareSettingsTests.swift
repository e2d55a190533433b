import Geometry
import LinuxSystem
import XCTest

@testable import Layers

/// A plain layer has no box of rare settings, whatever is set to what it has without one.
@preconcurrency @MainActor final class RareSettingsTests: XCTestCase {
  private static let settings: [(default: @MainActor (Layer) -> Void, other: @MainActor (Layer) -> Void)] = [
    ({ $0.name = nil }, { $0.name = "a" }), ({ $0.actions = nil }, { $0.actions = [:] }),
    ({ $0.style = nil }, { $0.style = LayerStyle(actions: [:]) }), ({ $0.contentsScale = nil }, { $0.contentsScale = 2 }),
    ({ $0.delegate = nil }, { $0.delegate = delegate }), ({ $0.layoutManager = nil }, { $0.layoutManager = manager }),
    ({ $0.beginTime = .zero }, { $0.beginTime = .zero + .seconds(1) }), ({ $0.speed = 1 }, { $0.speed = 2 }),
    ({ $0.timeOffset = .zero }, { $0.timeOffset = .seconds(1) }),
    ({ $0.states = [] }, { $0.states = [LayerState("a", [])] }),
    ({ $0.stateTransitions = [] }, { $0.stateTransitions = [StateTransition()] }),
    ({ $0.state = nil }, { $0.state = "a" }),
    ({ $0.layoutItemBox = nil }, { $0.layoutItemBox = manager }), ({ place($0, width: 10) }, { place($0, width: 12) }),
  ]

  private static let delegate = Nothing()
  private static let manager = Nothing()
  private final class Nothing: LayerDelegate, LayoutManager {
    func layoutSublayers(of layer: Layer) {}
  }

  private static func place(_ layer: Layer, width: Double) {
    if layer.bounds.isEmpty { layer.bounds.size = Size(10, 10) }
    let size = Size(width, 10)
    layer.place(in: Rect(origin: .zero, size: size), exactSize: size, offset: .zero, isHeightKnown: true)
  }

  func testDefaultsMakeNoBox() {
    let plain = Layer()
    for (index, setting) in Self.settings.enumerated() {
      setting.default(plain)
      XCTAssertNil(plain.rareSettings, "setting \(index)")
      let layer = Layer()
      setting.other(layer)
      XCTAssertNotNil(layer.rareSettings, "setting \(index)")
    }
  }

  func testADefaultTakesAnotherValueBack() {
    let layer = Layer()
    for setting in Self.settings { setting.other(layer) }
    for setting in Self.settings { setting.default(layer) }
    XCTAssertNil(layer.name)
    XCTAssertNil(layer.actions)
    XCTAssertNil(layer.style)
    XCTAssertNil(layer.contentsScale)
    XCTAssertNil(layer.delegate)
    XCTAssertNil(layer.layoutManager)
    XCTAssertEqual(layer.clock, LayerClock())
    XCTAssertEqual([layer.states.count, layer.stateTransitions.count], [0, 0])
    XCTAssertNil(layer.state)
    XCTAssertNil(layer.layoutItemBox)
    XCTAssertEqual(layer.preferredSize, Size(10, 10))
  }
}
