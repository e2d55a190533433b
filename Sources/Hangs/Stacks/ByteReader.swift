/// Reads numbers from bytes. Beyond their end everything is zero, and `failed` is set.
struct ByteReader {
  let bytes: [UInt8]
  /// The address in memory of the first byte, for numbers that are relative to their place.
  let address: UInt64
  var index = 0
  private(set) var failed = false

  init(_ bytes: [UInt8], at address: UInt64 = 0) {
    self.bytes = bytes
    self.address = address
  }

  var place: UInt64 { address &+ UInt64(index) }
  var isAtEnd: Bool { index >= bytes.count }

  mutating func fixed<Number: FixedWidthInteger>(_: Number.Type) -> Number {
    let size = MemoryLayout<Number>.size
    guard index >= 0, bytes.count - index >= size else { return fail() }
    defer { index += size }
    return bytes.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: index, as: Number.self)) }
  }

  mutating func byte() -> UInt8 { fixed(UInt8.self) }

  /// A LEB128 number. Bits beyond 64 are dropped.
  mutating func unsigned() -> UInt64 {
    var (result, shift): (UInt64, UInt64) = (0, 0)
    while !failed {
      let byte = byte()
      if shift < 64 { result |= UInt64(byte & 0x7F) << shift }
      shift += 7
      if byte & 0x80 == 0 { break }
    }
    return result
  }

  mutating func signed() -> Int64 {
    var (result, shift): (UInt64, UInt64) = (0, 0)
    while !failed {
      let byte = byte()
      if shift < 64 { result |= UInt64(byte & 0x7F) << shift }
      shift += 7
      guard byte & 0x80 == 0 else { continue }
      if byte & 0x40 != 0, shift < 64 { result |= ~0 << shift }
      break
    }
    return Int64(bitPattern: result)
  }

  mutating func text() -> [UInt8] {
    var result: [UInt8] = []
    while !failed {
      let byte = byte()
      if byte == 0 { break }
      result.append(byte)
    }
    return result
  }

  /// The bytes of a block whose length comes first.
  mutating func block() -> [UInt8] {
    let length = unsigned()
    guard length <= UInt64(max(bytes.count - index, 0)) else {
      failed = true
      return []
    }
    defer { index += Int(length) }
    return Array(bytes[index..<index + Int(length)])
  }

  mutating func skip(_ count: Int) {
    guard count >= 0, count <= bytes.count - index else {
      failed = true
      return
    }
    index += count
  }

  private mutating func fail<Number: FixedWidthInteger>() -> Number {
    failed = true
    return 0
  }

  /// A pointer as unwind tables encode it (DW_EH_PE); nil for an encoding that does not occur in memory of a process.
  mutating func pointer(_ encoding: UInt8, table: UInt64 = 0) -> UInt64? {
    let base: UInt64
    switch encoding & 0x70 {
    case 0x00: base = 0
    case 0x10: base = place
    case 0x30: base = table
    default: return nil
    }
    let value: UInt64
    switch encoding & 0x0F {
    case 0x00, 0x04, 0x0C: value = fixed(UInt64.self)
    case 0x02: value = UInt64(fixed(UInt16.self))
    case 0x03: value = UInt64(fixed(UInt32.self))
    case 0x0A: value = UInt64(bitPattern: Int64(fixed(Int16.self)))
    case 0x0B: value = UInt64(bitPattern: Int64(fixed(Int32.self)))
    default: return nil
    }
    return failed ? nil : base &+ value
  }
}
