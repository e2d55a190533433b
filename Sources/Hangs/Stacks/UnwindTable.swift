import CStackSamples

/// An unwind table's entry (.eh_frame) for a function: how to find, at each of its instructions, the frame of its caller.
struct FrameDescription {
  /// The function's addresses.
  var function: Range<UInt64>
  /// The shared part's instructions, then the function's own.
  var initial: [UInt8]
  var instructions: [UInt8]
  var codeAlignment: UInt64
  var dataAlignment: Int64
  var returnRegister: Int
  /// True for the kernel's trampoline: the frame outside was interrupted, and did not call.
  var isSignalFrame: Bool
  /// The encoding of addresses in the instructions.
  var encoding: UInt8
}

enum UnwindTable {
  /// Finds the description of the function that an address is in; nil if its file has none.
  ///
  /// The file's sorted table (.eh_frame_hdr) is searched in place. Everything is read through the kernel, since the file may be
  /// closed meanwhile.
  static func description(of address: UInt64) -> FrameDescription? {
    var module = cstack_module()
    guard cstack_module_of(address, &module), module.unwind_table != 0 else { return nil }
    return description(of: address, table: module.unwind_table)
  }

  static func description(of address: UInt64, table: UInt64) -> FrameDescription? {
    guard let header = SampledMemory.bytes(at: table, count: 20) else { return nil }
    var reader = ByteReader(header, at: table)
    // Version 1, and the encodings that all linkers use: a table of pairs of 32-bit offsets from the table's beginning.
    guard reader.byte() == 1 else { return nil }
    let (sectionEncoding, countEncoding, pairEncoding) = (reader.byte(), reader.byte(), reader.byte())
    guard pairEncoding == 0x3B, reader.pointer(sectionEncoding, table: table) != nil,
      let count = reader.pointer(countEncoding, table: table), count > 0, count < 1 << 28
    else { return nil }
    let pairs = reader.place
    func pair(_ index: UInt64) -> (function: UInt64, description: UInt64)? {
      guard let bytes = SampledMemory.bytes(at: pairs &+ index * 8, count: 8) else { return nil }
      var reader = ByteReader(bytes)
      let offsets = (reader.fixed(Int32.self), reader.fixed(Int32.self))
      return (table &+ UInt64(bitPattern: Int64(offsets.0)), table &+ UInt64(bitPattern: Int64(offsets.1)))
    }
    // The last function that begins at the address or before.
    var (low, high): (UInt64, UInt64) = (0, count)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      guard let entry = pair(middle) else { return nil }
      if entry.function <= address { low = middle } else { high = middle }
    }
    guard let entry = pair(low), entry.function <= address, let found = read(entry.description),
      found.function.contains(address)
    else { return nil }
    return found
  }

  /// Reads a description (FDE) with its shared part (CIE).
  private static func read(_ address: UInt64) -> FrameDescription? {
    guard var own = record(at: address) else { return nil }
    let sharedPlace = own.place
    let offset = own.fixed(UInt32.self)
    guard offset != 0, var shared = record(at: sharedPlace &- UInt64(offset)), shared.fixed(UInt32.self) == 0 else {
      return nil
    }

    let version = shared.byte()
    guard version == 1 || version == 3 else { return nil }
    let augmentation = shared.text()
    let (codeAlignment, dataAlignment) = (shared.unsigned(), shared.signed())
    let returnRegister = version == 1 ? UInt64(shared.byte()) : shared.unsigned()
    var (encoding, isSignalFrame): (UInt8, Bool) = (0, false)
    let isAugmented = augmentation.first == UInt8(ascii: "z")
    guard isAugmented || augmentation.isEmpty else { return nil }
    if isAugmented {
      let length = shared.unsigned()
      let end = shared.index &+ Int(truncatingIfNeeded: length)
      for letter in augmentation.dropFirst() {
        switch letter {
        case UInt8(ascii: "R"): encoding = shared.byte()
        case UInt8(ascii: "L"): _ = shared.byte()
        case UInt8(ascii: "P"):
          let personality = shared.byte()
          guard shared.pointer(personality & 0x0F) != nil else { return nil }
        case UInt8(ascii: "S"): isSignalFrame = true
        // ARM's other key for return addresses.
        case UInt8(ascii: "B"): break
        default: return nil
        }
      }
      guard end >= shared.index else { return nil }
      shared.skip(end - shared.index)
    }

    guard let start = own.pointer(encoding), let size = own.pointer(encoding & 0x0F) else { return nil }
    if isAugmented { _ = own.block() }
    guard !own.failed, !shared.failed, returnRegister < UInt64(CSTACK_PC) else { return nil }
    return FrameDescription(
      function: start..<max(start, start &+ size), initial: Array(shared.bytes[shared.index...]),
      instructions: Array(own.bytes[own.index...]), codeAlignment: codeAlignment, dataAlignment: dataAlignment,
      returnRegister: Int(returnRegister), isSignalFrame: isSignalFrame, encoding: encoding)
  }

  /// A record without its length, of which no compiler makes long ones.
  private static func record(at address: UInt64) -> ByteReader? {
    guard let prefix = SampledMemory.bytes(at: address, count: 4) else { return nil }
    var reader = ByteReader(prefix)
    let length = reader.fixed(UInt32.self)
    guard length >= 8, length <= 1 << 20, let bytes = SampledMemory.bytes(at: address &+ 4, count: Int(length)) else {
      return nil
    }
    return ByteReader(bytes, at: address &+ 4)
  }
}
