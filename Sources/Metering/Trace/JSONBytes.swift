package import LinuxSystem

/// JSON as bytes, written piece by piece.
package enum JSONBytes {
  /// Appends a string with its quotes. Also "<" is escaped, so that no text ends the element of a page that has the JSON in it.
  package static func append(quoted text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case ..<0x20, 0x7F, UInt8(ascii: "<"):
        append("\\u00", to: &bytes)
        bytes.append(digits[Int(byte >> 4)])
        bytes.append(digits[Int(byte & 15)])
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Appends text as it is.
  package static func append(_ text: StaticString, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends a whole number.
  package static func append(_ number: Int64, to bytes: inout [UInt8]) {
    // The longest has a sign and 19 digits.
    var digits: InlineArray<20, UInt8> = .init(repeating: 0)
    var first = digits.count
    var rest = number.magnitude
    repeat {
      first -= 1
      digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    if number < 0 {
      first -= 1
      digits[first] = UInt8(ascii: "-")
    }
    digits.span.withUnsafeBufferPointer { bytes.append(contentsOf: $0[first...]) }
  }

  /// Appends a duration in milliseconds, to the nanosecond.
  package static func appendMilliseconds(_ duration: Nanoseconds, to bytes: inout [UInt8]) {
    if duration.count < 0 { bytes.append(UInt8(ascii: "-")) }
    let (whole, rest) = duration.count.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
    append(Int64(whole), to: &bytes)
    guard rest > 0 else { return }
    bytes.append(UInt8(ascii: "."))
    var place: UInt64 = 100_000
    while place > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(rest / place % 10))
      place /= 10
    }
  }

  private static let digits = Array("0123456789abcdef".utf8)
}
