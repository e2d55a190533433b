import Framepace
import FramepaceTesting
import KMSTesting
import Presentation
import RenderTree
import XCTest

@testable import KMS

/// A simulated card on manual time, and the loop that its displays are on.
@MainActor
final class CardStage {
  let clock = ManualClock(start: MonotonicTime(nanoseconds: 1_000_000_000_000))
  let loop: FrameLoop
  private(set) var card: SimulatedCard
  /// The screens as the card was made.
  private(set) var before: String
  private var vblanks: SimulatedVBlanks
  private let makeCard: () -> SimulatedCard

  init(
    connectors: [SimulatedCard.Connector] = [.init("HDMI-A-1", modes: [.simulated(64, 48)])], crtcs: Int = 2,
    showsConsole: Bool = true, hasVBlanks: Bool = true, hasSequences: Bool = true, isAtomic: Bool = true,
    hasCursors: Bool = true, takesAsynchronousFlips: Bool = false
  ) {
    let clock = clock
    loop = FrameLoop(clock: .manual(clock))
    makeCard = {
      SimulatedCard(
        connectors: connectors, crtcs: crtcs, showsConsole: showsConsole, hasVBlanks: hasVBlanks,
        hasSequences: hasSequences, isAtomic: isAtomic, hasCursors: hasCursors,
        takesAsynchronousFlips: takesAsynchronousFlips, clock: .manual(clock))
    }
    card = makeCard()
    before = card.screens
    vblanks = SimulatedVBlanks(of: card, on: loop)
  }

  /// The device comes back, with nothing set.
  func replaceCard() {
    vblanks.invalidate()
    card = makeCard()
    before = card.screens
    vblanks = SimulatedVBlanks(of: card, on: loop)
  }

  /// Opens the card for good: once its device is gone, it does not come back.
  func open(hearsEvents: Bool = false, checkInterval: Nanoseconds? = nil) throws(KMSError) -> KMSCard {
    let access = CardAccess(
      open: { () throws(KMSError) in throw .noDevice }, hearsEvents: hearsEvents, checkInterval: checkInterval)
    return KMSCard(device: try card.open(), access: access)
  }

  /// The screens are as they were found, and nothing of ours is held.
  func expectNothingLeft(_ place: String = "", line: UInt = #line) {
    XCTAssertEqual(card.screens, before, place, line: line)
    XCTAssertEqual(card.holdings, SimulatedCard.Holdings(), place, line: line)
  }

  func openDisplay(_ connector: String? = nil) throws(KMSError) -> KMSDisplay {
    let display = try open().display(connector: connector, clock: .manual(clock))
    display.add(to: loop, mode: .default)
    return display
  }

  /// Lets time pass.
  func run(for duration: Nanoseconds) {
    let end = clock.now + duration
    while clock.now < end {
      if loop.run(mode: .default, until: end) == .finished { clock.advance(to: end) }
    }
  }

  /// Presents a frame of one colour in a rectangle and waits until it is seen.
  ///
  /// - Returns: nil when it was not seen within a tenth of a second.
  func show(_ color: UInt32, in rect: IntRect = .all, on display: KMSDisplay) throws -> PresentationFeedback? {
    var seen: PresentationFeedback?
    display.presenter.onEvent = { if case .presented(let feedback) = $0 { seen = feedback } }
    defer { display.presenter.onEvent = nil }
    guard let buffer = display.presenter.acquireBuffer(), let bitmap = buffer.target.bitmap else { return nil }
    fill(bitmap, rect, color)
    try display.presenter.present(buffer, damage: DamageRegion(rect), target: nil)
    _ = loop.run(timeout: .milliseconds(100)) { seen != nil }
    return seen
  }

  private func fill(_ bitmap: Bitmap, _ rect: IntRect, _ color: UInt32) {
    for y in Int(rect.minY)..<Int(rect.maxY) {
      let row = bitmap.row(y).assumingMemoryBound(to: UInt32.self)
      for x in Int(rect.minX)..<Int(rect.maxX) { row[x] = color }
    }
  }
}

/// Runs a test on an atomic driver, and on one with the legacy calls only.
func onEachInterface(_ body: @MainActor (_ isAtomic: Bool) throws -> Void) throws {
  try onMain { for isAtomic in [true, false] { try body(isAtomic) } }
}

/// Runs a test on every kind of driver.
func onEachDriver(_ body: @MainActor (_ isAtomic: Bool, _ hasVBlanks: Bool, _ place: String) throws -> Void) throws {
  try onMain {
    for (isAtomic, hasVBlanks) in [(true, true), (false, true), (true, false), (false, false)] {
      try body(isAtomic, hasVBlanks, "atomic \(isAtomic), vblanks \(hasVBlanks)")
    }
  }
}

extension KMSDisplay {
  /// Presents a frame with a small damage, if a buffer is free.
  func present() throws {
    guard let buffer = presenter.acquireBuffer() else { return }
    try presenter.present(buffer, damage: DamageRegion(IntRect(x: 1, y: 1, width: 8, height: 8)), target: nil)
  }
}

extension Image {
  func pixel(_ x: Int, _ y: Int) -> UInt32 { row(y).load(fromByteOffset: 4 * x, as: UInt32.self) }
}

extension IntRect {
  /// The whole screen of most tests.
  static var all: IntRect { IntRect(x: 0, y: 0, width: 64, height: 48) }
}
