import Framepace
import FramepaceTesting
import Glibc
import KMSTesting
import XCTest

@testable import KMS

/// Flips that the kernel refuses, or whose events are lost, while a scene animates: it goes on by itself.
@preconcurrency @MainActor final class FlipFaultTests: XCTestCase {
  /// A lost event is noticed within 1.1 s and reported once, and the screen is painted anew.
  func testALostFlipEventIsRecoveredByAModeSet() throws {
    for (isAtomic, hasVBlanks, buffering) in [
      (true, true, .double), (true, false, .triple), (false, true, .triple), (false, false, .double),
    ] as [(Bool, Bool, Buffering)] {
      let place = "atomic \(isAtomic), vblanks \(hasVBlanks), \(buffering)"
      let run = try AnimationRun(isAtomic: isAtomic, hasVBlanks: hasVBlanks, buffering: buffering)
      let before = run.shown
      run.stage.card.loseFlipEvents(1)
      run.stage.run(for: .milliseconds(1_200))
      XCTAssertLessThan(run.shown - before, 14, place)
      XCTAssertEqual(run.presenter.lostFlips, 1, place)
      XCTAssertEqual(run.errors.map(\.number), [ETIMEDOUT], place)
      let resumed = run.shown
      run.stage.run(for: .seconds(1))
      XCTAssertGreaterThan(run.shown - resumed, 55, place)
      XCTAssertNil(run.lost, place)
      try run.expectScreen(place)
      run.end(place)
    }
  }

  /// A driver that loses three flips in a row: the screen is given up with an error that says why, and set up anew.
  func testRepeatedTimeOutsGiveTheScreenUp() throws {
    try onEachInterface { isAtomic in
      let run = try AnimationRun(isAtomic: isAtomic)
      for _ in 0..<6 where run.lost == nil {
        run.stage.card.loseFlipEvents(1)
        run.stage.run(for: .milliseconds(1_000))
      }
      XCTAssertEqual(run.presenter.lostFlips, 3)
      XCTAssertEqual(run.errors.count, 2)
      guard case .lost("HDMI-A-1", "64x48@60.00", let reason) = run.lost else {
        return XCTFail("\(String(describing: run.lost))")
      }
      XCTAssertEqual(reason.errno, ETIMEDOUT)
      run.stage.run(for: .seconds(1))
      XCTAssertEqual(run.display.state, .showing)
      XCTAssertFalse(run.display.kmsPresenter === run.presenter)
      let shown = run.shown
      run.stage.run(for: .seconds(1))
      XCTAssertGreaterThan(run.shown - shown, 55)
      run.end("atomic \(isAtomic)")
    }
  }

  /// The program stood still for ten seconds, such as in a debugger, while a flip's event waited to be read.
  func testAPauseOfTheProgramIsNoTimeOut() throws {
    let run = try AnimationRun()
    for _ in 0..<5 {
      run.stage.loop.perform(in: [.default]) { [clock = run.stage.clock] in clock.advance(by: .seconds(10)) }
      run.stage.run(for: .milliseconds(500))
    }
    XCTAssertEqual(run.presenter.lostFlips, 0)
    XCTAssertEqual(run.errors, [])
    run.end("")
  }

  /// A passing refusal is waited for: the frame is committed again at each vblank, without a report and without a loss.
  func testWhatPassesIsTriedAgain() throws {
    try onEachInterface { isAtomic in
      for errno in [EBUSY, ENOMEM] {
        let place = "atomic \(isAtomic), errno \(errno)"
        let run = try AnimationRun(isAtomic: isAtomic)
        let call = isAtomic ? CardCall.commit : .pageFlip
        run.stage.card.fail(call, errno: errno)
        let (shown, calls) = (run.shown, run.stage.card.callCount(of: call))
        run.stage.run(for: .milliseconds(500))
        XCTAssertLessThanOrEqual(run.shown - shown, 1, place)
        let tries = run.stage.card.callCount(of: call) - calls
        XCTAssertTrue((28...32).contains(tries), "\(place): \(tries) tries in 30 intervals")
        run.stage.card.fail(call, errno: 0)
        run.stage.run(for: .milliseconds(500))
        XCTAssertGreaterThan(run.shown - shown, 25, place)
        XCTAssertEqual(run.errors, [], place)
        XCTAssertNil(run.lost, place)
        try run.expectScreen(place)
        run.end(place)
      }
    }
  }

  /// A driver that refuses damage gets the frame without it, and no damage from then on.
  func testAFlipThatIsRefusedWithItsDamageGoesWithout() throws {
    let run = try AnimationRun()
    XCTAssertTrue(run.presenter.takesDamage)
    // The blob is made, then comes the commit.
    run.failNextFlip(EINVAL)
    let (shown, blobs) = (run.shown, run.stage.card.callCount(of: .createBlob))
    run.stage.run(for: .milliseconds(500))
    XCTAssertFalse(run.presenter.takesDamage)
    XCTAssertLessThanOrEqual(run.stage.card.callCount(of: .createBlob) - blobs, 1)
    XCTAssertGreaterThan(run.shown - shown, 28)
    XCTAssertEqual(run.errors, [])
    try run.expectScreen("")
    run.end("")
  }

  /// Other refusals are reported with connector, mode, call and errno; the next frame sets the mode.
  func testOtherRefusalsAreTold() throws {
    for (isAtomic, errno) in [(true, EIO), (true, E2BIG), (false, EINVAL), (false, ENOSPC)] {
      let place = "atomic \(isAtomic), errno \(errno)"
      let run = try AnimationRun(isAtomic: isAtomic)
      run.failNextFlip(errno)
      let shown = run.shown
      run.stage.run(for: .milliseconds(500))
      XCTAssertEqual(run.errors.map(\.number), [errno], place)
      let call = isAtomic ? CardCall.commit : .pageFlip
      let text = run.errors.first?.description ?? ""
      XCTAssertTrue(text.hasPrefix("HDMI-A-1 64x48@60.00: \(call)"), "\(place): \(text)")
      XCTAssertTrue(run.presenter.isModeSet, place)
      XCTAssertGreaterThan(run.shown - shown, 25, place)
      try run.expectScreen(place)
      run.end(place)
    }
  }
}

/// Frames and what is told of them, one by one.
@preconcurrency @MainActor final class FrameReportTests: XCTestCase {
  /// The kernel refuses the next frame as one is seen, and the program presents another one as it hears of that: it is
  /// forgotten with the refused frame, so that nothing is told of it later.
  func testAFramePresentedBeforeARefusalIsToldIsForgottenWithIt() throws {
    try onEachInterface { isAtomic in
      let stage = CardStage(isAtomic: isAtomic)
      let display = try stage.open().display(buffering: .triple, clock: stage.loop.clock)
      display.add(to: stage.loop, mode: .default)
      XCTAssertNotNil(try stage.show(1, on: display))
      var told: [String] = []
      /// The frames that are on their way, as far as the program knows.
      var pending = 0
      @MainActor func present() throws {
        guard display.presenter.acquireBuffer() != nil else { return }
        try display.present()
        pending += 1
      }
      display.presenter.onEvent = { event in
        switch event {
        case .presented:
          told.append("presented \(pending)")
          pending -= 1
          if told.count == 1 { do { try present() } catch { XCTFail("\(error)") } }
        case .refused:
          told.append("refused")
          pending = 0
        case .reset: told.append("reset")
        case .dropped: told.append("dropped")
        }
      }
      try present()
      try present()
      XCTAssertEqual(pending, 2)
      stage.card.fail(next: isAtomic ? .commit : .pageFlip, errno: EIO)
      stage.run(for: .milliseconds(100))
      XCTAssertEqual(told, ["presented 2", "refused"])
      try present()
      stage.run(for: .milliseconds(100))
      XCTAssertEqual(told, ["presented 2", "refused", "presented 1"])
      display.invalidate()
    }
  }
}

/// An engine with a scene that is another at each tick, on a screen of a simulated card, after half a second.
@MainActor
private final class AnimationRun {
  let stage: CardStage
  let display: KMSDisplay
  let engine: Engine
  let root = Layer()
  private(set) var shown = 0
  private(set) var errors: [KMSError] = []
  private(set) var lost: KMSError?
  private let isAtomic: Bool
  private var link: DisplayLink?
  private var color: UInt32 = 0

  /// The first screen's presenter; the display makes another one after giving the screen up.
  let presenter: KMSPresenter

  init(isAtomic: Bool = true, hasVBlanks: Bool = true, buffering: Buffering = .double) throws {
    self.isAtomic = isAtomic
    stage = CardStage(hasVBlanks: hasVBlanks, isAtomic: isAtomic)
    display = try stage.open().display(buffering: buffering, clock: stage.loop.clock)
    presenter = try XCTUnwrap(display.kmsPresenter)
    engine = Engine(display: display, root: root, loop: stage.loop)
    let link = DisplayLink(ticker: display.ticker) { [weak self] _ in self?.tick() }
    link.add(to: stage.loop, mode: .default)
    self.link = link
    display.observe { [weak self] _ in self?.lost = self?.lost ?? self?.display.lastError }.keep()
    engine.output.observe { [weak self] event in
      if case .presented = event { self?.shown += 1 }
      if case .refused(let error as KMSError) = event { self?.errors.append(error) }
    }.keep()
    stage.run(for: .milliseconds(500))
  }

  private func tick() {
    color += 1
    Transaction.withoutActions { root.backgroundColor = Color(hex: color) }
  }

  /// The next frame's commit fails, once.
  func failNextFlip(_ errno: Int32) {
    let call = isAtomic ? CardCall.commit : .pageFlip
    stage.card.fail(next: call, errno: errno)
  }

  /// At rest, the screen shows the layers.
  func expectScreen(_ place: String) throws {
    link?.isPaused = true
    Transaction.withoutActions { root.backgroundColor = Color(hex: 0x12_34_56) }
    stage.run(for: .milliseconds(200))
    let image = try XCTUnwrap(try stage.card.copyShownImage(of: "HDMI-A-1"), place)
    for y in [0, 20, 47] {
      XCTAssertEqual(image.row(y).load(fromByteOffset: 4 * 63, as: UInt32.self) & 0xFF_FFFF, 0x12_34_56, place)
    }
  }

  func end(_ place: String) {
    link?.invalidate()
    engine.invalidate()
    XCTAssertEqual(stage.card.holdings, SimulatedCard.Holdings(), place)
  }
}

extension KMSError {
  /// The errno of what the driver answered.
  fileprivate var number: Int32? {
    switch self {
    case .refused(_, _, let error), .lost(_, _, let error), .device(_, let error): error.errno
    default: nil
    }
  }
}
