import LinuxSystem
import Metering
import RunLoops
import XCTest

@testable import FrameTiming

/// The ticks of a display at 100 Hz on a busy loop, in pictures: each gives the vblanks and the busy times, and says when each
/// tick is delivered.
///
/// - `vblank`: `|` is one, `o` one whose event is lost, `d` one whose event comes twice, `z` one without a stamp.
/// - `work`: the duration of a tick's callback.
/// - `busy`: other work of the loop.
/// - `paused`: the time in which no link wants frames.
final class TickerDiagramTests: ManualLoopCase {
  func testPictures() throws {
    // Ticks come with their vblanks.
    try check(
      """
      vblank  |         |         |         |         |
      work    ###       ###       ###       ###       ###
      tick    1         2         3         4         5
      """)
    // The vblanks during a callback are missed; after them comes one tick, and no burst.
    try check(
      """
      vblank  |         |         |         |         |         |         |
      work              #######################
      tick    1         2                             5         6         7
      """)
    // The tick was requested before the loop was busy: it comes at once afterwards, for the vblank of that moment.
    try check(
      """
      vblank  |         |         |         |         |         |         |
      busy                   ##########################
      tick    1         2                              5        6         7
      """)
    // A stall shorter than an interval makes the tick late, and costs none.
    try check(
      """
      vblank  |         |         |         |         |
      busy                   ########      ####
      tick    1         2            3         4      5
      """)
    // Every event twice: every tick once.
    try check(
      """
      vblank  d         d         d         d         d
      tick    1         2         3         4         5
      """)
    // A later vblank answers the request: frame numbers count the missed ones.
    try check(
      """
      vblank  |         |         o         |         o         o         |
      tick    1         2                   4                             7
      """)
    // A stall over a lost event, and an event twice after it.
    try check(
      """
      vblank  |         o         |         |         d         |
      busy        ############################
      tick    1                               4       5         6
      """)
    // The stamp is missing, but the vblank was.
    try check(
      """
      vblank  |         |         z         |         z         |
      tick    1         2         3         4         5         6
      """)
    // While nobody wants frames there is no tick, and numbers advance.
    try check(
      """
      vblank  |         |         |         |         |         |         |
      paused             ==========================
      tick    1         2                             5         6         7
      """)
  }

  // MARK: - Playing

  private func check(_ text: String, file: StaticString = #filePath, line: UInt = #line) throws {
    let stage = Stage()
    let start = stage.time.now + .milliseconds(5)
    let given = try FrameDiagram(parsing: text, start: start)
    var played = given
    played.clear("tick")
    let ticker = DisplayTicker(source: DrawnSource(given, clock: stage.clock))
    let work = given.spans(in: "work")
    let link = DisplayLink(ticker: ticker) { link in
      guard let tick = link.tick else { return }
      played.mark(Character("\(tick.frameNumber % 10)"), at: tick.delivered, in: "tick")
      if let work = work.first(where: { $0.begin == tick.delivered }) { stage.time.advance(to: work.end) }
    }
    link.add(to: stage.loop, mode: .default)
    func at(_ time: MonotonicTime, _ body: @escaping @MainActor () -> Void) {
      stage.loop.add(FrameLoop.Timer(fireTime: time, .onMain { _ in body() }), to: .default)
    }
    for busy in given.spans(in: "busy") { at(busy.begin) { stage.time.advance(to: busy.end) } }
    for pause in given.spans(in: "paused") {
      at(pause.begin) { link.isPaused = true }
      at(pause.end) { link.isPaused = false }
    }
    stage.run(given.time(ofColumn: given.columns) - stage.time.now)
    XCTAssertEqual(played.description, given.description, file: file, line: line)
    link.invalidate()
  }
}

/// A display whose vblanks are the marks of a diagram.
@MainActor
private final class DrawnSource: AnsweringSource {
  private let vblanks: [(kind: Character, vblank: VBlank)]
  private var pending: (kind: Character, vblank: VBlank)?

  init(_ diagram: FrameDiagram, clock: SystemClock) {
    vblanks = diagram.marks(in: "vblank").enumerated().map { index, mark in
      (mark.character, VBlank(timestamp: mark.time, sequence: UInt64(index) + 1))
    }
    super.init(name: "drawn vblanks", clock: clock)
  }

  override func answerTime() -> MonotonicTime? {
    pending = vblanks.first { $0.kind != "o" && $0.vblank.timestamp > clock.now }
    return pending?.vblank.timestamp
  }

  override func answer() {
    guard var event = pending else { return }
    pending = nil
    if event.kind == "z" { event.vblank.timestamp = .zero }
    onVBlank?(event.vblank)
    if event.kind == "d" { onVBlank?(event.vblank) }
  }
}
