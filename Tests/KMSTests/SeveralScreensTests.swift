import Compositing
import Framepace
import FramepaceTesting
import Glibc
import KMSTesting
import RenderTree
import TestLength
import XCTest

@testable import KMS

/// One engine on several screens, of one card or of two: mirrored, or each with layers of its own.
@preconcurrency @MainActor final class SeveralScreensTests: XCTestCase {
  /// Random edits of random layers on a screen of 60 Hz, mirrored on one of 50 Hz with another shape: both show what a full
  /// render paints for their own vblanks.
  func testBothScreensShowWhatWasComposited() throws {
    let images = try RandomLayers.images(seed: 8)
    let workers = WorkerPool()
    var (frames, partialFrames) = ([0, 0], [0, 0])
    let first = UInt64(runSeed)
    for seed in first..<first + 6 {
      let screens = try TwoScreens(hasVBlanks: seed % 3 != 0, isAtomic: seed % 2 == 0, workers: workers)
      let layers = RandomLayers(in: screens.root, seed: seed, count: 10, images: images)
      for edit in 1...100 {
        let change = layers.edit()
        screens.run(.milliseconds(edit % 3 == 0 ? 25 : 9))
        for proof in screens.proofs {
          if let difference = proof.difference { return XCTFail("seed \(seed), \(edit) \(change): \(difference)") }
        }
      }
      screens.run(.milliseconds(500))
      for (index, proof) in screens.proofs.enumerated() {
        proof.checkAtRest()
        XCTAssertNil(proof.difference, "seed \(seed), at rest")
        frames[index] += proof.frames.count
        partialFrames[index] += proof.partialFrames
      }
      screens.end()
    }
    // Otherwise nothing is proven. Many edits change nothing that is seen: with some seeds four of five.
    for count in frames { XCTAssertGreaterThan(count, 120) }
    for count in partialFrames { XCTAssertGreaterThan(count, 60) }
  }

  /// The mirror's screen is pulled out and comes back higher, then the first one's, which comes back larger.
  func testScreensGoAndComeBack() throws {
    try onEachInterface { isAtomic in
      let screens = try TwoScreens(isAtomic: isAtomic)
      screens.animate()
      screens.expectFrames([60, 50])
      screens.setConnected(false, "DP-2")
      screens.expectFrames([60, 0])
      screens.stage.card.setModes([.simulated(80, 90, hertz: 50)], of: "DP-2")
      screens.setConnected(true, "DP-2")
      screens.expectFrames([60, 50])
      XCTAssertEqual(try screens.rowsOfTheMirror(), 18..<72)
      screens.setConnected(false, "DP-1")
      screens.expectFrames([0, 50])
      XCTAssertEqual(try screens.rowsOfTheMirror(), 18..<72)
      screens.stage.card.setModes([.simulated(160, 64, hertz: 75)], of: "DP-1")
      screens.setConnected(true, "DP-1")
      screens.expectFrames([75, 50])
      XCTAssertEqual(screens.root.bounds, Rect(x: 0, y: 0, width: 160, height: 64))
      XCTAssertEqual(try screens.rowsOfTheMirror(), 29..<61)
      // The card goes: one display notices, and both are told.
      screens.stage.card.unplug()
      screens.run(.milliseconds(50))
      XCTAssertEqual(screens.displays.map(\.state), [.waiting(.deviceRemoved), .waiting(.deviceRemoved)])
      XCTAssertEqual(screens.stage.card.openCount, 0)
      screens.end()
    }
  }

  /// The flip event of one screen is lost: the other misses nothing.
  func testALostFlipDelaysOneScreenOnly() throws {
    let screens = try TwoScreens(isAtomic: true)
    screens.animate()
    screens.run(.seconds(1))
    screens.stage.card.loseFlipEvents(1)
    var lost = 0
    for output in screens.engine.outputs { output.observe { if case .refused = $0 { lost += 1 } }.keep() }
    let before = screens.proofs.map(\.frames.count)
    screens.run(.seconds(2))
    let frames = zip(screens.proofs, before).map { $0.frames.count - $1 }
    XCTAssertEqual(lost, 1)
    let whole = [frames[0] == 120, (99...101).contains(frames[1])]
    XCTAssertEqual(whole.count { $0 }, 1, "\(frames)")
    screens.expectFrames([60, 50])
    screens.end()
  }

  /// Two cards, a scene on each; one card is pulled out.
  func testScenesOnTwoCards() throws {
    let stage = CardStage()
    let card = SimulatedCard(
      connectors: [.init("DP-1", modes: [.simulated(80, 60, hertz: 50)])], path: "/dev/dri/card1",
      clock: .manual(stage.clock))
    let vblanks = SimulatedVBlanks(of: card, on: stage.loop)
    let clock = SystemClock.manual(stage.clock)
    let first = try stage.open().display(clock: clock)
    let second = try KMSCard(device: try card.open()).display(clock: clock)
    let roots = [Layer(), Layer()]
    let engine = Engine(display: first, root: roots[0], loop: stage.loop)
    engine.addOutput(display: second, root: roots[1])
    var frames = [0, 0]
    for (index, output) in engine.outputs.enumerated() {
      output.observe { if case .presented = $0 { frames[index] += 1 } }.keep()
    }
    for (index, root) in roots.enumerated() {
      root.backgroundColor = index == 0 ? .white : Color(red: 0, green: 1, blue: 0)
      var animation = BasicAnimation(.opacity, from: 0, to: 1, duration: .milliseconds(300))
      animation.repeatCount = .infinity
      root.add(animation)
    }
    XCTAssertEqual(roots[1].bounds, Rect(x: 0, y: 0, width: 80, height: 60))
    stage.run(for: .seconds(2))
    XCTAssertEqual(frames[0], 120, accuracy: 3)
    XCTAssertEqual(frames[1], 100, accuracy: 3)
    let image = try XCTUnwrap(try card.copyShownImage(of: "DP-1"))
    XCTAssertEqual(image.row(0).load(as: UInt32.self) & 0xFF_00FF, 0)

    card.unplug()
    let before = frames
    stage.run(for: .seconds(2))
    XCTAssertEqual(frames[0] - before[0], 120, accuracy: 1)
    XCTAssertEqual(frames[1] - before[1], 0, accuracy: 1)
    engine.invalidate()
    vblanks.invalidate()
    XCTAssertEqual(stage.card.holdings, SimulatedCard.Holdings())
  }

  /// The free screens of a display's card and of the other cards, which may be unusable.
  func testOtherScreensBesideOne() throws {
    let folder = try CardFolder(["card0", "card1"])
    defer { withExtendedLifetime(folder) {} }
    let path = folder.path
    let clock = ManualClock()
    // The last connector can only use the first CRTC.
    let card = SimulatedCard(
      connectors: [
        .init("DP-1", modes: [.simulated(64, 48)]), .init("DP-2", modes: [.simulated(64, 48)], isConnected: false),
        .init("DP-3", modes: [.simulated(64, 48)], possibleCRTCs: 0b01),
      ], crtcs: 2, showsConsole: false, path: "\(path)/card0", clock: .manual(clock))
    let display = try KMSCard(device: try card.open()).display(clock: .manual(clock))
    XCTAssertEqual(display.connectorName, "DP-1")
    for _ in 0..<2 {
      let (others, refused) = Displays.others(beside: display, clock: .manual(clock), folder: path)
      XCTAssertEqual(others.map(\.connectorName), ["DP-3"])
      XCTAssertEqual(refused.count, 1, "\(refused)")
      XCTAssertTrue("\(refused)".contains("card1"), "\(refused)")
      for other in others {
        let (none, _) = Displays.others(beside: display, clock: .manual(clock), folder: path)
        XCTAssertEqual(none.count, 0)
        other.invalidate()
      }
    }
    display.invalidate()
    XCTAssertFalse(card.hasMaster)
  }
}

/// A scene on the first of two screens of one card, mirrored on the other: 96x64 at 60 Hz and 80x80 at 50 Hz.
@MainActor
private final class TwoScreens {
  let stage: CardStage
  let root = Layer()
  let engine: Engine
  let proofs: [FrameProof]
  let displays: [KMSDisplay]

  init(hasVBlanks: Bool = true, isAtomic: Bool, workers: WorkerPool = WorkerPool()) throws {
    stage = CardStage(
      connectors: [
        .init("DP-1", modes: [.simulated(96, 64)]), .init("DP-2", modes: [.simulated(80, 80, hertz: 50)]),
      ], hasVBlanks: hasVBlanks, isAtomic: isAtomic)
    displays = try stage.open().displays(clock: .manual(stage.clock)).displays
    engine = Engine(display: displays[0], root: root, loop: stage.loop, workers: workers)
    let mirror = engine.mirror(on: displays[1])
    // 80 wide is 53⅓ high.
    let clip = IntRect(x: 0, y: 13, width: 80, height: 54)
    let scale = Affine.scale(x: 80.0 / 96, y: 54.0 / 64)
    let viewport = Viewport(transform: scale.concatenating(.translation(x: 0, y: 13)), clip: clip)
    let card = stage.card
    proofs = try [
      FrameProof(engine.output, of: engine) { try card.copyShownImage(of: "DP-1") },
      FrameProof(mirror, of: engine, viewport: viewport) { try card.copyShownImage(of: "DP-2") },
    ]
    root.backgroundColor = .white
  }

  func run(_ time: Nanoseconds) { stage.run(for: time) }

  /// A layer that turns for ever.
  func animate() {
    let layer = Layer(frame: Rect(x: 10, y: 10, width: 40, height: 20))
    layer.backgroundColor = .black
    root.addSublayer(layer)
    layer.add(BasicAnimation(.rotation, from: 0, to: 6, duration: .seconds(1), repeatCount: .infinity))
  }

  /// Expects a number of frames a second on each screen, half a second from now.
  func expectFrames(_ hertz: [Int], line: UInt = #line) {
    for proof in proofs { proof.end() }
    run(.milliseconds(500))
    var frames = hertz.map { _ in 0 }
    let counting = engine.outputs.enumerated().map { index, output in
      output.observe { if case .presented = $0 { frames[index] += 1 } }
    }
    run(.seconds(2))
    for token in counting { token.invalidate() }
    for (found, expected) in zip(frames, hertz) { XCTAssertEqual(found, 2 * expected, accuracy: 2, line: line) }
  }

  /// The rows in which the mirror's last column is not black; nil unless they follow each other.
  func rowsOfTheMirror() throws -> Range<Int>? {
    let image = try XCTUnwrap(try stage.card.copyShownImage(of: "DP-2"))
    let rows = (0..<image.height).filter { image.pixel(79, $0) & 0xFF_FFFF != 0 }
    guard let first = rows.first, let last = rows.last, last - first + 1 == rows.count else { return nil }
    return first..<last + 1
  }

  func setConnected(_ isConnected: Bool, _ connector: String) {
    stage.card.setConnected(isConnected, connector)
    displays[0].card.tell(.hotplug)
  }

  func end() {
    engine.invalidate()
    XCTAssertEqual(stage.card.holdings, SimulatedCard.Holdings())
    XCTAssertFalse(stage.card.hasMaster)
  }
}
