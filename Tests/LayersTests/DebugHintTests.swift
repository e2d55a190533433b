#if DEBUG
  import Geometry
  import Glibc
  import Layers
  import LinuxSystem
  import Raster
  import RenderTree
  import XCTest

  /// Mistakes that show as nothing on the screen are named on the standard error output of a debug build.
  @preconcurrency @MainActor final class DebugHintTests: XCTestCase {
    func testTextWithoutFontOrSize() throws {
      let stage = Stage()
      let hints = DebugHint.collect {
        for name in ["first", "second"] {
          let text = TextLayer(frame: Rect(x: 0, y: 0, width: 20, height: 20))
          (text.name, text.string) = (name, "Hill")
          stage.root.addSublayer(text)
        }
        stage.turn()
      }
      XCTAssertEqual(hints.count, 1, "once for a kind of layer: \(hints)")
      XCTAssertTrue(hints.first?.contains("TextLayer \"first\" #") ?? false, "\(hints)")
      XCTAssertTrue(hints.first?.contains("set `font`") ?? false, "\(hints)")

      let font = try SystemFonts.font(.sans, size: 10)
      let text = TextLayer()
      (text.font, text.string) = (font, "Hill")
      XCTAssertEqual(hintsOfShowing(text).map { $0.contains("set the size of `bounds`") }, [true])
      text.setNeedsDisplay()
      text.font?.size = 0
      XCTAssertEqual(hintsOfShowing(text).map { $0.contains("set `font`") }, [true])
      text.string = ""
      XCTAssertEqual(hintsOfShowing(text), [], "there is nothing to show")
      let whole = TextLayer()
      (whole.font, whole.string) = (font, "Hill")
      whole.bounds.size = whole.preferredSize
      XCTAssertEqual(hintsOfShowing(whole), [])
    }

    func testMissingGlyphs() throws {
      let text = TextLayer(frame: Rect(x: 0, y: 0, width: 90, height: 20))
      (text.font, text.string) = (try SystemFonts.font(.sans, size: 10), "a日本\n")
      let hints = hintsOfShowing(text)
      XCTAssertEqual(hints.map { $0.contains("DejaVuSans.ttf has no glyph for “日本”") }, [true], "\(hints)")
      text.string = "aé\n"
      XCTAssertEqual(hintsOfShowing(text), [])
    }

    func testTooLargeALayer() {
      let layer = RecordingLayer("ribbon")
      layer.bounds.size = Size(16_384, 2)
      layer.setNeedsDisplay()
      XCTAssertEqual(hintsOfShowing(layer, scale: 1), [])
      layer.setNeedsDisplay()
      let hints = hintsOfShowing(layer, scale: 2)
      XCTAssertEqual(hints.map { $0.contains("\"ribbon\"") && $0.contains("more coarsely") }, [true], "\(hints)")
    }

    /// The bitmap would be of 256 MiB.
    func testNoMemoryForALayer() throws {
      let layer = RecordingLayer("wall")
      var failures = 0
      let stage = Stage(root: layer)
      stage.turn()
      layer.bounds.size = Size(4000, 4000)
      let hints = try withMemory(of: 1 << 27) {
        DebugHint.collect {
          for _ in 0..<2 {
            layer.setNeedsDisplay()
            stage.turn()
          }
          stage.context.onDisplayFailure = { _, _ in failures += 1 }
          layer.setNeedsDisplay()
          stage.turn()
        }
      }
      XCTAssertEqual(hints.map { $0.contains("\"wall\"") && $0.contains("no memory for") }, [true], "\(hints)")
      XCTAssertEqual(failures, 1)
    }

    /// A picture of text without memory for it is missing in all its parts, also in those that are painted later.
    func testNoMemoryForAnImageOfText() throws {
      let text = TextContent([], area: Rect(x: 0, y: 0, width: 8000, height: 8000), width: 8000, height: 8000, scale: 1)
      XCTAssertNil(try withMemory(of: 1 << 27) { text.image })
      XCTAssertNil(text.image)
      XCTAssertNotNil(TextContent(text.parts, area: text.area, width: 8, height: 8, scale: 1e-3).image)
    }

    func testDrawingThatIsNeverAskedFor() {
      let hints = hintsOfShowing(RecordingLayer("chart"))
      XCTAssertEqual(hints.map { $0.contains("\"chart\"") && $0.contains("`setNeedsDisplay()`") }, [true], "\(hints)")
      XCTAssertEqual(hintsOfShowing(Worker(frame: Rect(x: 0, y: 0, width: 5, height: 5))).count, 1)

      let marked = RecordingLayer("marked")
      marked.setNeedsDisplay()
      let hidden = RecordingLayer("hidden")
      hidden.isHidden = true
      let picture = RecordingLayer("picture")
      picture.contents = try? Bitmap(width: 1, height: 1).freeze()
      let frame = Rect(x: 0, y: 0, width: 5, height: 5)
      let row = Row(frame: frame)
      row.addSublayer(Layer())
      for layer in [
        marked, hidden, picture, RecordingLayer("without size", size: 0), Layer(frame: frame), row,
        TextLayer(frame: frame), ShapeLayer(frame: frame),
      ] {
        XCTAssertEqual(hintsOfShowing(layer), [])
      }
    }

    func testCommitWithoutBegin() {
      let line = #line + 1
      let hints = DebugHint.collect { Transaction.commit() }
      XCTAssertEqual(hints.map { $0.contains("LayersTests/DebugHintTests.swift:\(line) ") }, [true], "\(hints)")
    }

    func testOpenTransaction() {
      let line = #line + 3
      let hints = DebugHint.collect {
        Transaction.withoutActions {}
        Transaction.begin()
        Stage().turn()
        Stage().turn()
        Transaction.commit()
        Stage().turn()
      }
      XCTAssertEqual(hints.map { $0.contains("LayersTests/DebugHintTests.swift:\(line) ") }, [true], "\(hints)")
    }
  }

  /// Draws by other means than `draw(in:)`.
  private final class Worker: Layer {
    override func makeDrawing() -> (any Drawing)? { nil }
  }

  /// A layer that does not draw.
  private final class Row: Layer {
    var spacing = 2.0
    override init() { super.init() }
    override func layoutSublayers() {}
  }

  @MainActor
  private func hintsOfShowing(_ layer: Layer, scale: Double = 1) -> [String] {
    DebugHint.collect {
      let stage = Stage(scale: scale)
      stage.root.addSublayer(layer)
      stage.turn()
      layer.removeFromSuperlayer()
    }
  }

  /// Runs `body` while the process may map only so many bytes more than it has mapped.
  private func withMemory<Result>(of bytes: Int, _ body: () -> Result) throws -> Result {
    let status = try OwnedDescriptor.contents(of: "/proc/self/statm", limit: 4096)
    let pages = try XCTUnwrap(Int(String(decoding: status.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)))
    let addressSpace = __rlimit_resource_t(RLIMIT_AS.rawValue)
    var limit = rlimit()
    XCTAssertEqual(getrlimit(addressSpace, &limit), 0)
    var lower = limit
    lower.rlim_cur = rlim_t(pages * Int(getpagesize()) + bytes)
    XCTAssertEqual(setrlimit(addressSpace, &lower), 0)
    defer { setrlimit(addressSpace, &limit) }
    return body()
  }
#endif
