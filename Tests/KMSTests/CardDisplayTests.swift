import FrameTiming
import Framepace
import FramepaceTesting
import Geometry
import Glibc
import KMSTesting
import LinuxSystem
import Presentation
import Raster
import RunLoops
import XCTest

@testable import KMS
import RenderTree

/// Displays on a simulated card: nothing is left behind, each has its own ticks and flips, and the screen shows what was
/// composited.
final class CardDisplayTests: XCTestCase {
  /// A thousand times opened, shown on or not, and given back: nothing is left.
  func testAThousandDisplaysLeaveNothingBehind() throws {
    try onMain {
      for isAtomic in [true, false] {
        let stage = CardStage(isAtomic: isAtomic)
        let before = stage.card.screens
        var descriptors = 0
        for round in 1...1_000 {
          try showOnce(round, on: stage)
          XCTAssertEqual(stage.card.openCount, 0, "round \(round)")
          XCTAssertEqual(stage.card.screens, before, "round \(round)")
          // The loop opens its own when it first runs, which it does for the second round's frame.
          if round == 2 { descriptors = openDescriptors() }
        }
        XCTAssertEqual(openDescriptors(), descriptors)
      }
    }
  }

  /// A thousand modes on a card that stays open.
  func testAThousandModesLeaveNothingBehind() throws {
    try onMain {
      let stage = CardStage(
        connectors: [.init("HDMI-A-1", modes: [.simulated(64, 48)], takesVariableRate: true)])
      let before = stage.card.screens
      let card = try stage.open()
      let pointer = try Bitmap(width: 16, height: 16).freeze()
      for round in 1...1_000 {
        let mode = DisplayMode.simulated(40 + round % 17, 30 + round % 13, hertz: 50 + round % 40, isPreferred: true)
        stage.card.setModes([.simulated(64, 48), mode], of: "HDMI-A-1")
        let display = try card.display(clock: stage.loop.clock)
        display.add(to: stage.loop, mode: .default)
        if round % 3 != 0 { display.cursor = Cursor(image: pointer) }
        display.wantsVariableRefresh = round % 2 == 0
        let all = IntRect(x: 0, y: 0, width: mode.width, height: mode.height)
        XCTAssertNotNil(try stage.show(UInt32(round), in: all, on: display))
        XCTAssertTrue(stage.card.screens.contains(" \(mode), "), "round \(round): \(stage.card.screens)")
        let image = try stage.card.copyShownImage(of: "HDMI-A-1")
        XCTAssertEqual(image?.width, mode.width)
        display.invalidate()
        XCTAssertEqual(stage.card.holdings, SimulatedCard.Holdings(), "round \(round)")
        XCTAssertEqual(stage.card.screens, before, "round \(round)")
        XCTAssertFalse(stage.card.hasMaster)
      }
      XCTAssertEqual(stage.card.openCount, 1)
    }
  }

  /// Two screens of one card, of two rates: each ticks at its own, and each flips at its own vblanks.
  func testTwoDisplaysOfOneCard() throws {
    try onMain {
      for isAtomic in [true, false] {
        let stage = CardStage(
          connectors: [
            .init("DP-1", modes: [.simulated(64, 48)]), .init("DP-2", modes: [.simulated(80, 60, hertz: 75)]),
            .init("DP-3", modes: [.simulated(64, 48)], isConnected: false),
          ], isAtomic: isAtomic)
        let before = stage.card.screens
        let card = try stage.open()
        let (displays, refused) = try card.displays(clock: stage.loop.clock)
        XCTAssertEqual(refused, [])
        XCTAssertEqual(displays.map(\.connectorName), ["DP-1", "DP-2"])
        XCTAssertThrowsError(try card.display(connector: "DP-2")) {
          XCTAssertEqual($0 as? KMSError, .inUse(connector: "DP-2"))
        }
        let runs = displays.map { FlipRun($0, on: stage.loop) }
        stage.run(for: .seconds(2))
        for (run, rate) in zip(runs, [60, 75]) {
          let place = "\(run.display.name), atomic \(isAtomic)"
          XCTAssertNil(run.error, place)
          XCTAssertEqual(run.ticks, 2 * rate, accuracy: 1, place)
          XCTAssertEqual(run.feedback.count, 2 * rate, accuracy: 2, place)
          let interval = Nanoseconds(1_000_000_000 / Int64(rate))
          for (frame, next) in zip(run.feedback, run.feedback.dropFirst()) {
            XCTAssertEqual(next.sequence, frame.sequence + 1, place)
            // Flips are stamped to the microsecond.
            XCTAssertLessThan(abs((next.timestamp - frame.timestamp - interval).count), 1_001, place)
          }
        }
        // The first one goes, the other goes on.
        runs[0].end()
        XCTAssertTrue(stage.card.hasMaster)
        let (ticks, shown) = (runs[1].ticks, runs[1].feedback.count)
        stage.run(for: .seconds(1))
        XCTAssertEqual(runs[1].ticks - ticks, 75, accuracy: 1)
        XCTAssertEqual(runs[1].feedback.count - shown, 75, accuracy: 1)
        XCTAssertEqual(runs[0].ticks, 120, accuracy: 1)
        runs[1].end()
        XCTAssertFalse(stage.card.hasMaster)
        XCTAssertEqual(stage.card.screens, before)
        XCTAssertEqual(stage.card.holdings, SimulatedCard.Holdings())
      }
    }
  }

  /// A dialog that one display's link runs the loop for: the other display, whose vblank came with the same read, goes on.
  func testARunInALinksCallbackKeepsNoDisplayWaiting() throws {
    try onMain {
      let stage = CardStage(
        connectors: ["DP-1", "DP-2"].map { .init($0, modes: [.simulated(64, 48)]) })
      let (displays, _) = try stage.open().displays(clock: stage.loop.clock)
      var ticks = [0, 0]
      var during: [Int] = []
      let links = displays.enumerated().map { index, display in
        DisplayLink(ticker: display.ticker) { _ in
          ticks[index] += 1
          guard ticks[0] == 30, during.isEmpty else { return }
          during = ticks
          stage.run(for: .seconds(1))
          during = zip(ticks, during).map { $0 - $1 }
        }
      }
      for (display, link) in zip(displays, links) {
        display.add(to: stage.loop, mode: .default)
        link.add(to: stage.loop, mode: .default)
      }
      stage.run(for: .seconds(2))
      XCTAssertEqual(during.last ?? 0, 60, accuracy: 1)
      for link in links { link.invalidate() }
      for display in displays { display.invalidate() }
    }
  }

  /// Frames in which nothing was painted, or nothing of the screen, are shown as others are.
  func testAFrameWithoutDamageIsTaken() throws {
    try onMain {
      let stage = CardStage()
      let display = try stage.openDisplay()
      for rect in [IntRect(x: 0, y: 0, width: 64, height: 48), IntRect.zero, IntRect(x: 100, y: 100, width: 5, height: 5)] {
        guard let buffer = display.presenter.acquireBuffer() else { return XCTFail("no buffer is free") }
        try display.presenter.present(buffer, damage: DamageRegion(rect))
        stage.run(for: .milliseconds(50))
      }
      XCTAssertEqual(display.kmsPresenter?.takesDamage, true)
      display.invalidate()
    }
  }

  /// Random edits of random layers: what the screen shows, from either buffer, is what a full render paints.
  func testTheScreenShowsWhatWasComposited() throws {
    try onMain {
      let images = try RandomLayers.images(seed: 7)
      let workers = WorkerPool()
      var partialFrames = 0
      for seed in 1...12 as ClosedRange<UInt64> {
        let stage = CardStage(
          connectors: [.init("HDMI-A-1", modes: [.simulated(96, 64)])], hasVBlanks: seed % 3 != 0,
          isAtomic: seed % 2 == 0)
        let display = try stage.openDisplay()
        let root = Layer()
        let engine = Engine(display: display, root: root, loop: stage.loop, workers: workers)
        let proof = try ScreenProof(engine.output, of: engine.context, stage.card, "HDMI-A-1")
        let layers = RandomLayers(in: root, seed: seed, count: 10, images: images)
        for edit in 1...100 {
          let change = layers.edit()
          // Now and then several of them in a frame, or one while a frame is on its way.
          stage.run(for: .milliseconds(edit % 3 == 0 ? 25 : 9))
          if let difference = proof.difference { return XCTFail("seed \(seed), \(edit) \(change): \(difference)") }
        }
        stage.run(for: .milliseconds(500))
        XCTAssertNil(proof.difference, "seed \(seed), at rest")
        XCTAssertGreaterThan(proof.frames.count, 40, "seed \(seed)")
        partialFrames += proof.partialFrames
        engine.invalidate()
        XCTAssertEqual(stage.card.holdings, SimulatedCard.Holdings())
      }
      // Else nothing has been proven.
      XCTAssertGreaterThan(partialFrames, 200)
    }
  }
}

/// Opens a card and a display of it, shows a frame every other round, and gives both back.
@MainActor
private func showOnce(_ round: Int, on stage: CardStage) throws {
  let card = try stage.open()
  let display = try card.display(clock: stage.loop.clock)
  display.add(to: stage.loop, mode: .default)
  XCTAssertEqual(stage.card.holdings.framebuffers, 2)
  if round % 3 == 0 { display.cursor = Cursor(image: try Bitmap(width: 16, height: 16).freeze()) }
  if round % 2 == 0 {
    let all = IntRect(x: 0, y: 0, width: 64, height: 48)
    XCTAssertNotNil(try stage.show(UInt32(round), in: all, on: display))
  }
  display.invalidate()
  XCTAssertEqual(stage.card.holdings, SimulatedCard.Holdings(), "round \(round)")
}

/// How many descriptors the process has open.
private func openDescriptors() -> Int { (0..<1024 as Range<Int32>).count { fcntl($0, F_GETFD) >= 0 } }
