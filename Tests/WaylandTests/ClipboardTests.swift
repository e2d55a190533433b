import Framepace
import Glibc
import Input
import Interaction
import LinuxSystem
import Simulation
import TestLength
import WaylandTesting
import XCTest

@testable import Wayland

/// Text that goes from program to program.
@preconcurrency @MainActor final class ClipboardTests: XCTestCase {
  @MainActor
  private final class Stage {
    let seat: SeatStage
    var input: WaylandInput { seat.input }
    var clipboard: WaylandClipboard { input.clipboard }
    var desktop: CompositorClipboard { seat.window.compositor.clipboard }
    /// The texts that came; nil for an answer without one.
    private(set) var answers: [String?] = []

    init(globals: CompositorGlobals = .all) throws {
      seat = try SeatStage(globals: globals)
      seat.seat.focusKeyboard(seat.window.window)
      seat.wait()
    }

    func press() {
      seat.seat.key(30, isDown: true)
      seat.seat.key(30, isDown: false)
      seat.wait()
    }

    /// Copies as a person does, and lets the desktop hear of it.
    func copy(_ text: String) {
      press()
      clipboard.offer(text)
      seat.wait()
    }

    @discardableResult
    func request() -> Bool { clipboard.request { [unowned self] in answers.append($0) } }

    func taken(after milliseconds: Int64 = 5) -> [String?] {
      seat.wait(milliseconds)
      defer { answers = [] }
      return answers
    }

    /// Everything that the desktop's other program reads.
    func pasted(_ type: String = "UTF8_STRING") -> String? {
      guard let paste = desktop.paste(type) else { return nil }
      seat.wait(50)
      XCTAssertTrue(paste.isEnded)
      return paste.text
    }

    func end() { seat.end() }
  }

  func testOtherProgramsHaveWhatIsCopiedHere() throws {
    let stage = try Stage()
    XCTAssertNil(stage.desktop.paste("UTF8_STRING"))
    stage.copy("one ü 字")
    for type in CompositorClipboard.textTypes { XCTAssertEqual(stage.pasted(type), "one ü 字") }
    XCTAssertEqual(stage.pasted("image/png"), "")
    // The own text comes without a pipe, and at once.
    stage.request()
    XCTAssertEqual(stage.desktop.requestCount, 0)
    XCTAssertEqual(stage.taken(after: 0), ["one ü 字"])
    stage.copy("two")
    XCTAssertEqual(stage.pasted(), "two")
    stage.request()
    XCTAssertEqual(stage.taken(), ["two"])
    XCTAssertEqual(stage.desktop.offerCount, 1)
    stage.end()
  }

  func testWhatOtherProgramsCopyComesHere() throws {
    let stage = try Stage()
    XCTAssertTrue(stage.request())
    XCTAssertEqual(stage.taken(), [nil])
    stage.copy("own")
    stage.desktop.copy("theirs")
    stage.seat.wait()
    XCTAssertNil(stage.desktop.clientTypes)
    stage.request()
    XCTAssertEqual(stage.taken(), ["theirs"])
    // Two pastes of one text are one transfer.
    stage.desktop.copy(
      "in pieces: ü", types: ["text/html", "text/plain"], delivery: .pieces(of: 5, every: .milliseconds(50)))
    stage.seat.wait()
    stage.request()
    stage.request()
    XCTAssertEqual(stage.taken(after: 90), [])
    XCTAssertEqual(stage.taken(after: 90), ["in pieces: ü", "in pieces: ü"])
    XCTAssertEqual(stage.desktop.requestCount, 2)
    stage.desktop.copy("a picture", types: ["image/png"])
    stage.seat.wait()
    stage.request()
    XCTAssertEqual(stage.taken(), [nil])
    stage.desktop.clear()
    stage.seat.wait()
    stage.request()
    XCTAssertEqual(stage.taken(), [nil])
    XCTAssertEqual(stage.desktop.offerCount, 0)
    stage.end()
  }

  /// Whatever the other program does, the window goes on, and the answer comes in time.
  func testProgramsThatHandNothingOverAreGivenUp() throws {
    let stage = try Stage()
    stage.seat.window.animate()
    stage.desktop.copy("never", delivery: .silent)
    stage.seat.wait()
    stage.request()
    let frames = stage.seat.window.shown.count
    XCTAssertEqual(stage.taken(after: 1950), [])
    XCTAssertGreaterThan(stage.seat.window.shown.count, frames + 110)
    XCTAssertEqual(stage.taken(after: 100), [nil])
    for delivery in [CompositorClipboard.Delivery.gone, .endless] {
      stage.desktop.copy("never", delivery: delivery)
      stage.seat.wait()
      stage.request()
      XCTAssertEqual(stage.taken(after: 100), [nil])
    }
    stage.desktop.copy(String(repeating: "x", count: 1 << 20))
    stage.seat.wait()
    stage.request()
    XCTAssertEqual(stage.taken(after: 100).map { $0?.utf8.count }, [1 << 20])
    stage.desktop.copy("late", delivery: .silent)
    stage.seat.wait()
    stage.request()
    stage.seat.window.compositor.disconnectAll()
    XCTAssertEqual(stage.taken(), [nil])
    XCTAssertFalse(stage.request())
    stage.end()
  }

  func testAProgramThatDoesNotReadHoldsNobodyUp() throws {
    let stage = try Stage()
    let text = String(repeating: "0123456789", count: 100_000)
    stage.copy(text)
    let before = Self.openFiles
    let unread = try XCTUnwrap(stage.desktop.paste("UTF8_STRING", isRead: false))
    stage.seat.wait()
    XCTAssertEqual(stage.pasted(), text)
    // The text of before is handed over to its end, though there is another one.
    let slow = try XCTUnwrap(stage.desktop.paste("UTF8_STRING"))
    stage.copy("other")
    stage.seat.wait(50)
    XCTAssertEqual(slow.text, text)
    XCTAssertEqual(stage.pasted(), "other")
    XCTAssertEqual(Self.openFiles, before + 3)
    stage.seat.wait(11_000)
    XCTAssertEqual(Self.openFiles, before + 2)
    XCTAssertFalse(unread.isEnded)
    stage.end()
  }

  private static var openFiles: Int { (try? OwnedDescriptor.names(in: "/proc/self/fd").count) ?? 0 }

  func testATextWaitsForTheFirstKey() throws {
    let stage = try Stage()
    stage.clipboard.offer("early")
    stage.request()
    XCTAssertEqual(stage.taken(), ["early"])
    XCTAssertNil(stage.desktop.clientTypes)
    stage.press()
    XCTAssertEqual(stage.pasted(), "early")
    stage.end()
  }

  /// A desktop that does not take a text says nothing; then the other one's counts.
  func testATextThatTheDesktopDoesNotTakeIsNotTheSelection() throws {
    let stage = try Stage()
    stage.desktop.copy("theirs")
    stage.press()
    stage.seat.seat.focusKeyboard(nil)
    stage.seat.wait()
    stage.clipboard.offer("not focused")
    stage.seat.wait()
    stage.seat.seat.focusKeyboard(stage.seat.window.window)
    stage.seat.wait()
    stage.request()
    XCTAssertEqual(stage.taken(), ["theirs"])
    stage.end()
  }

  func testWithoutAClipboardOfTheDesktopThereIsTheOwn() throws {
    let stage = try Stage(globals: .all.without("wl_data_device_manager"))
    XCTAssertFalse(stage.request())
    let clipboard = Clipboard()
    clipboard.exchange = Clipboard.Exchange(
      offer: { stage.clipboard.offer($0) }, request: { stage.clipboard.request($0) })
    clipboard.string = "own"
    var read: [String] = []
    clipboard.read { read.append($0) }
    XCTAssertEqual(read, ["own"])
    stage.end()
  }

  func testTextFieldsShareItWithOtherPrograms() throws {
    let stage = try Stage()
    let field = TextField()
    field.frame = Rect(x: 0, y: 0, width: 100, height: 30)
    stage.seat.window.root.addSublayer(field)
    field.clipboard = Clipboard()
    field.clipboard.exchange = Clipboard.Exchange(
      offer: { stage.clipboard.offer($0) }, request: { stage.clipboard.request($0) })
    field.string = "mine"
    stage.press()
    field.beginEditing()
    field.perform(.selectAll)
    field.perform(.cut)
    stage.seat.wait()
    XCTAssertEqual(stage.pasted(), "mine")
    stage.desktop.copy("yours", delivery: .pieces(of: 2, every: .milliseconds(10)))
    stage.seat.wait()
    field.perform(.paste)
    XCTAssertEqual(field.string, "")
    stage.seat.wait(50)
    XCTAssertEqual(field.string, "yours")
    field.removeFromSuperlayer()
    stage.seat.wait(50)
    stage.seat.input.invalidate()
    stage.seat.window.end()
  }

  /// Whatever happens in whatever order: each request is answered once and in time, no text comes that nobody copied, nothing is left open.
  func testRandomScripts() throws {
    for seed in some(40, of: 0..<10_000) {
      let before = Self.openFiles
      try play(UInt64(seed))
      XCTAssertEqual(Self.openFiles, before, "seed \(seed)")
      if testRun?.totalFailureCount ?? 0 > 0 { return }
    }
  }

  private func play(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let stage = try Stage(globals: random.chance(0.5) ? .all : .sway)
    let deliveries: [CompositorClipboard.Delivery] = [
      .whole, .whole, .pieces(of: 3, every: .milliseconds(7)), .silent, .gone, .endless,
    ]
    var (copied, asked, answered) = (Set<String>(), 0, 0)
    var kept: [CompositorPaste] = []
    for step in 0..<Int.random(in: 1...40, using: &random) {
      let text = "\(step) " + String(repeating: "é", count: random.chance(0.1) ? 100_000 : step)
      switch Int.random(in: 0..<10, using: &random) {
      case 0, 1:
        copied.insert(text)
        stage.clipboard.offer(text)
      case 2, 3:
        copied.insert(text)
        stage.desktop.copy(text, delivery: deliveries.randomElement(using: &random) ?? .whole)
      case 4, 5:
        if stage.clipboard.request({ text in
          answered += 1
          if let text { XCTAssertTrue(copied.contains(text), "seed \(seed): \(text.prefix(20))") }
        }) {
          asked += 1
        }
      case 6: if let paste = stage.desktop.paste("UTF8_STRING", isRead: random.chance(0.7)) { kept.append(paste) }
      case 7:
        stage.seat.seat.focusKeyboard(random.chance(0.4) ? nil : stage.seat.window.window)
      case 8: stage.desktop.clear()
      default:
        if random.chance(0.2) {
          stage.seat.window.compositor.disconnectAll()
          stage.seat.wait()
          try stage.seat.window.restart()
          stage.input.reconnect(to: stage.seat.window.display.connection)
          stage.seat.wait(100)
        } else {
          stage.seat.seat.key(30, isDown: true)
          stage.seat.seat.key(30, isDown: false)
        }
      }
      stage.seat.wait(Int64.random(in: 0...30, using: &random))
    }
    stage.seat.wait(2_100)
    XCTAssertEqual(answered, asked, "seed \(seed)")
    stage.seat.seat.focusKeyboard(stage.seat.window.window)
    stage.seat.wait()
    stage.copy("the last")
    XCTAssertEqual(stage.pasted(), "the last", "seed \(seed)")
    XCTAssertLessThanOrEqual(stage.desktop.offerCount, 1, "seed \(seed)")
    kept = []
    stage.end()
  }
}
