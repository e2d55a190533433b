/// How a file's rows lie in the picture that is shown: the numbers of EXIF. A decoded picture is upright.
public enum ImageOrientation: Int, CaseIterable, Sendable {
  case up = 1
  case upMirrored
  case down
  case downMirrored
  case leftMirrored
  case right
  case rightMirrored
  case left

  /// True if the file's rows are columns of the picture.
  var swapsSides: Bool { rawValue >= 5 }

  /// The place, in the picture that is shown, of the first pixel of row `y`, and the way from one pixel of that row to the next.
  /// `size` is that of the picture as the file has it.
  func place(ofRow y: Int, in size: PixelSize) -> (x: Int, y: Int, stepX: Int, stepY: Int) {
    let (right, bottom) = (size.width - 1, size.height - 1)
    return switch self {
    case .up: (0, y, 1, 0)
    case .upMirrored: (right, y, -1, 0)
    case .down: (right, bottom - y, -1, 0)
    case .downMirrored: (0, bottom - y, 1, 0)
    case .leftMirrored: (y, 0, 0, 1)
    case .right: (bottom - y, 0, 0, 1)
    case .rightMirrored: (bottom - y, right, 0, -1)
    case .left: (y, right, 0, -1)
    }
  }

  /// Reads the orientation in EXIF's data: a TIFF file, of whose first directory one entry is looked at. Anything that is not
  /// as it should be counts as upright.
  init(exif: UnsafeRawBufferPointer) {
    self = Self.entry(in: exif).flatMap(Self.init(rawValue:)) ?? .up
  }

  private static func entry(in exif: UnsafeRawBufferPointer) -> Int? {
    guard exif.count >= 8 else { return nil }
    let isLittleEndian: Bool
    switch (exif[0], exif[1]) {
    case (0x49, 0x49): isLittleEndian = true
    case (0x4D, 0x4D): isLittleEndian = false
    default: return nil
    }
    func number(at offset: Int, bytes: Int) -> Int? {
      guard offset >= 0, offset + bytes <= exif.count else { return nil }
      return (0..<bytes).reduce(0) { $0 << 8 | Int(exif[offset + (isLittleEndian ? bytes - 1 - $1 : $1)]) }
    }
    guard number(at: 2, bytes: 2) == 42, let directory = number(at: 4, bytes: 4),
      let count = number(at: directory, bytes: 2)
    else { return nil }
    for index in 0..<count {
      // Each has 12 bytes: tag, kind of number, count and value. 0x0112 is the orientation, kind 3 a number of two bytes.
      let entry = directory + 2 + 12 * index
      guard let tag = number(at: entry, bytes: 2) else { return nil }
      if tag == 0x0112, number(at: entry + 2, bytes: 2) == 3 { return number(at: entry + 8, bytes: 2) }
    }
    return nil
  }
}
