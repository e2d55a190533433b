import Geometry
import LinuxSystem
import Raster

// Mistakes that show as an empty or a soft layer. See `DebugHint`: a release build does not look for them.

extension Layer {
  /// Gives a hint that begins with the layer's description, once for each kind of layer.
  @inline(__always)
  func hint(_ mistake: StaticString, if isMistaken: @autoclosure () -> Bool) {
    #if DEBUG
      if isMistaken() { DebugHint.give("\(description) \(mistake)", kind: "\(type(of: self)) \(mistake)") }
    #endif
  }

  /// Looks at a layer that is about to be displayed, or would be if it had a size.
  func hintAtEmptyText() {
    #if DEBUG
      guard let text = self as? TextLayer, !text.string.isEmpty, !isHidden else { return }
      let hasFont = text.font.map { $0.size > 0 } ?? false
      hint("shows nothing: its text has no font, or one of size 0; set `font`", if: !hasFont)
      hint(
        "shows nothing: its text has no room; set the size of `bounds`, to `preferredSize` for instance",
        if: hasFont && bounds.isEmpty)
    #endif
  }

  /// Looks at a layer that a committed tree has for the first time.
  func hintAtMissingMark() {
    #if DEBUG
      let isEmpty = contents == nil && !needsDisplay && !asynchronous.isDrawing
      hint(
        "is shown without contents: its `draw(in:)` or `makeDrawing()` is not called before `setNeedsDisplay()` asks for it",
        if: isEmpty && !isHidden && !bounds.isEmpty && DrawingMethods.areOverridden(by: type(of: self)))
    #endif
  }
}

#if DEBUG
  /// The methods that draw a layer's contents, as entries in the method tables of classes. Swift cannot be asked whether a
  /// subclass overrides a method; but its table has another entry then.
  @MainActor
  private enum DrawingMethods {
    static func areOverridden(by kind: Layer.Type) -> Bool {
      let entries = words(of: kind)
      // Text and shapes mark themselves.
      let own = [words(of: Layer.self), words(of: TextLayer.self), words(of: ShapeLayer.self)]
      return indices.contains { index in !own.contains { $0[index] == entries[index] } }
    }

    /// The words that differ in a subclass with both methods, and are the same in one without. None if the tables are not as
    /// expected: no hint is given then.
    private static let indices: [Int] = {
      let (plain, drawing) = (words(of: PlainLayer.self), words(of: DrawingLayer.self))
      let changed = zip(words(of: Layer.self), zip(plain, drawing)).enumerated().compactMap { index, word in
        word.0 == word.1.0 && word.0 != word.1.1 ? index : nil
      }
      return changed.count == 2 ? changed : []
    }()

    /// The metadata of a class, as far as `Layer` has it too.
    private static func words(of kind: Layer.Type) -> UnsafeBufferPointer<UInt> {
      // The fifth word has the size in bytes in its lower half, and in its upper half the bytes before the address.
      let sizes = unsafeBitCast(Layer.self, to: UnsafePointer<UInt>.self)[4]
      let bytes = Int(UInt32(truncatingIfNeeded: sizes)) - Int(sizes >> 32)
      return UnsafeBufferPointer(
        start: unsafeBitCast(kind, to: UnsafePointer<UInt>.self), count: bytes / MemoryLayout<UInt>.stride)
    }

    private final class PlainLayer: Layer {}

    private final class DrawingLayer: Layer {
      override func draw(in context: DrawingContext) {}
      override func makeDrawing() -> (any Drawing)? { nil }
    }
  }
#endif
