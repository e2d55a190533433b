import Synchronization

/// Pixels that never change, as a bitmap has them: rows from top to bottom, each pixel the bytes B, G, R, A with alpha
/// multiplied in. Any thread may use an image.
///
/// An image comes from `Bitmap.freeze()` or `PNG.read(path:maximumPixels:)`, and is shown as the contents of a layer.
public final class Image: Sendable {
  /// A number that no other image of this process has. Two images with the same number have the same pixels.
  public let id: UInt64
  public let width: Int
  public let height: Int
  public let bytesPerRow: Int
  /// True if every alpha is 255, so that the image by itself hides everything below it. For the middle of a larger image this says
  /// nothing about what lies around it, which is mixed in at its edges when a layer shows it in another size.
  public let isOpaque: Bool
  /// The image that this one is the middle of; nil for one by itself.
  package let whole: Whole?

  /// A larger image. A layer that does not mask to its bounds shows it around the place of its middle.
  package struct Whole: Sendable {
    package let image: Image
    /// The left upper pixel of the middle.
    package let x: Int
    package let y: Int
  }

  private let memory: PixelMemory
  /// The bytes in `memory` before the first row.
  private let offset: Int
  /// The halves of the width, of the height and of both.
  private let halves = InlineArray<3, AtomicLazyReference<Image>> { _ in AtomicLazyReference() }
  private static let lastID = Atomic<UInt64>(0)

  init(width: Int, height: Int, bytesPerRow: Int, memory: PixelMemory, isOpaque: Bool?) {
    id = Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
    self.width = width
    self.height = height
    self.bytesPerRow = bytesPerRow
    self.memory = memory
    (offset, whole) = (0, nil)
    self.isOpaque =
      isOpaque ?? Self.allOpaque(base: memory.base, width: width, height: height, bytesPerRow: bytesPerRow)
  }

  private init(middleOf whole: Whole, width: Int, height: Int) {
    id = Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
    (self.width, self.height, bytesPerRow) = (width, height, whole.image.bytesPerRow)
    (self.whole, memory) = (whole, whole.image.memory)
    offset = whole.image.offset + whole.y * bytesPerRow + whole.x * 4
    isOpaque = Self.allOpaque(base: memory.base + offset, width: width, height: height, bytesPerRow: bytesPerRow)
  }

  /// The middle of the image as an image of its own, which shares its memory: what a layer shows in place, with all other pixels
  /// around it. Nil where some of the middle lies outside of the image.
  package func middle(x: Int, y: Int, width: Int, height: Int) -> Image? {
    guard whole == nil, x >= 0, y >= 0, width > 0, height > 0, width <= self.width - x, height <= self.height - y else {
      return nil
    }
    return Image(middleOf: Whole(image: self, x: x, y: y), width: width, height: height)
  }

  /// The address of the top row; valid while the image lives.
  public var base: UnsafeRawPointer { UnsafeRawPointer(memory.base + offset) }

  /// The address of a row.
  @inline(__always)
  public func row(_ y: Int) -> UnsafeRawPointer { base + y * bytesPerRow }

  /// The image at half its width, half its height or both, rounded up: each pixel is the mean of two or four. Nil if no side
  /// that is to be halved is longer than a pixel.
  ///
  /// It is made at the first call and then kept, for an image that is shown smaller in every frame. Halves of both sides take
  /// a third of the image's memory in all, those of one side at most as much as the image, and a layer whose width and
  /// height have all ratios in turn makes three times as much. The first half of 3840×2160 pixels takes about 3.5 ms, all
  /// the others together a millisecond. (Threads that ask at the same time may each make it; one is kept.)
  package func halved(width halvesWidth: Bool, height halvesHeight: Bool) -> Image? {
    let (halvesWidth, halvesHeight) = (halvesWidth && width > 1, halvesHeight && height > 1)
    guard halvesWidth || halvesHeight else { return nil }
    let place = (halvesWidth ? 1 : 0) + (halvesHeight ? 2 : 0) - 1
    if let image = halves[place].load() { return image }
    let (columns, rows) = (halvesWidth ? 2 : 1, halvesHeight ? 2 : 1)
    guard let bitmap = try? Bitmap(width: (width + columns - 1) / columns, height: (height + rows - 1) / rows) else {
      return nil
    }
    for y in 0..<bitmap.height {
      let above = row(y * rows).assumingMemoryBound(to: UInt32.self)
      let below = row(min(y * rows + rows - 1, height - 1)).assumingMemoryBound(to: UInt32.self)
      let target = bitmap.row(y).assumingMemoryBound(to: UInt32.self)
      // Each call is compiled with its number.
      if halvesWidth { average(above, below, columns: 2, to: target) } else { average(above, below, columns: 1, to: target) }
    }
    return halves[place].storeIfNil(bitmap.freeze(isOpaque: isOpaque))
  }

  /// The means of two rows, which may be the same, and of so many columns.
  @inline(__always)
  private func average(
    _ above: UnsafePointer<UInt32>, _ below: UnsafePointer<UInt32>, columns: Int, to target: UnsafeMutablePointer<UInt32>
  ) {
    let count = width / columns
    var x = 0
    while x < count {
      let (left, right) = (x &* columns, x &* columns &+ columns &- 1)
      target[x] = Self.mean(above[left], above[right], below[left], below[right])
      x &+= 1
    }
    // The last column of an odd width is alone.
    let last = width - 1
    if x &* columns == last { target[x] = Self.mean(above[last], above[last], below[last], below[last]) }
  }

  /// The mean of four pixels in each channel, rounded to the nearest.
  @inline(__always)
  private static func mean(_ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: UInt32) -> UInt32 {
    // Two channels at a time, each with room for its sum.
    let mask: UInt32 = 0x00FF_00FF
    let even = (a & mask) &+ (b & mask) &+ (c & mask) &+ (d & mask) &+ 0x0002_0002
    let odd = (a >> 8 & mask) &+ (b >> 8 & mask) &+ (c >> 8 & mask) &+ (d >> 8 & mask) &+ 0x0002_0002
    return even >> 2 & mask | (odd >> 2 & mask) << 8
  }

  private static func allOpaque(base: UnsafeMutableRawPointer, width: Int, height: Int, bytesPerRow: Int) -> Bool {
    for y in 0..<height {
      let row = (base + y * bytesPerRow).assumingMemoryBound(to: UInt32.self)
      var all: UInt32 = 0xFF00_0000
      var x = 0
      while x < width {
        all &= row[x]
        x += 1
      }
      if all != 0xFF00_0000 { return false }
    }
    return true
  }
}
