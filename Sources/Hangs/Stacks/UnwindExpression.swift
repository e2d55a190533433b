/// Evaluates the expressions (DW_OP) in unwind tables: those that compilers and the C library use.
enum UnwindExpression {
  /// - Parameters:
  ///   - start: the number that is on the stack at first; nil for none.
  ///   - registers: nil where unknown.
  static func value(
    of bytes: [UInt8], start: UInt64?, registers: [UInt64?], memory: SampledMemory
  ) -> UInt64? {
    var stack = start.map { [$0] } ?? []
    var reader = ByteReader(bytes)
    // Branches may go back, but no expression is long.
    for _ in 0..<1_000 {
      if reader.isAtEnd { return reader.failed ? nil : stack.last }
      let code = reader.byte()
      switch code {
      case 0x06:
        guard let address = stack.popLast(), let word = memory.word(at: address) else { return nil }
        stack.append(word)
      case 0x03: stack.append(reader.fixed(UInt64.self))
      case 0x08: stack.append(UInt64(reader.byte()))
      case 0x09: stack.append(UInt64(bitPattern: Int64(reader.fixed(Int8.self))))
      case 0x0A: stack.append(UInt64(reader.fixed(UInt16.self)))
      case 0x0B: stack.append(UInt64(bitPattern: Int64(reader.fixed(Int16.self))))
      case 0x0C: stack.append(UInt64(reader.fixed(UInt32.self)))
      case 0x0D: stack.append(UInt64(bitPattern: Int64(reader.fixed(Int32.self))))
      case 0x10: stack.append(reader.unsigned())
      case 0x11: stack.append(UInt64(bitPattern: reader.signed()))
      case 0x12:
        guard let top = stack.last else { return nil }
        stack.append(top)
      case 0x13: guard stack.popLast() != nil else { return nil }
      case 0x14:
        guard stack.count > 1 else { return nil }
        stack.append(stack[stack.count - 2])
      case 0x16:
        guard stack.count > 1 else { return nil }
        stack.swapAt(stack.count - 1, stack.count - 2)
      case 0x1F:
        guard let top = stack.popLast() else { return nil }
        stack.append(0 &- top)
      case 0x23:
        guard let top = stack.popLast() else { return nil }
        stack.append(top &+ reader.unsigned())
      case 0x28:
        let distance = Int(reader.fixed(Int16.self))
        guard let top = stack.popLast() else { return nil }
        if top != 0 { reader.index += distance }
      case 0x2F: reader.index += Int(reader.fixed(Int16.self))
      case 0x1A, 0x1C, 0x1E, 0x21, 0x22, 0x24...0x27, 0x29...0x2E:
        guard let right = stack.popLast(), let left = stack.popLast() else { return nil }
        stack.append(combine(code, left, right))
      case 0x30...0x4F: stack.append(UInt64(code - 0x30))
      case 0x70...0x8F:
        let offset = reader.signed()
        guard let value = registers[Int(code - 0x70)] else { return nil }
        stack.append(value &+ UInt64(bitPattern: offset))
      case 0x92:
        let (register, offset) = (reader.unsigned(), reader.signed())
        guard register < UInt64(registers.count), let value = registers[Int(register)] else { return nil }
        stack.append(value &+ UInt64(bitPattern: offset))
      case 0x96: break
      default: return nil
      }
      if reader.failed || reader.index < 0 || stack.count > 64 { return nil }
    }
    return nil
  }

  private static func combine(_ code: UInt8, _ left: UInt64, _ right: UInt64) -> UInt64 {
    let (signedLeft, signedRight) = (Int64(bitPattern: left), Int64(bitPattern: right))
    return switch code {
    case 0x1A: left & right
    case 0x1C: left &- right
    case 0x1E: left &* right
    case 0x21: left | right
    case 0x22: left &+ right
    case 0x24: right < 64 ? left << right : 0
    case 0x25: right < 64 ? left >> right : 0
    case 0x26: UInt64(bitPattern: signedLeft >> Int64(min(right, 63)))
    case 0x27: left ^ right
    case 0x29: left == right ? 1 : 0
    case 0x2A: signedLeft >= signedRight ? 1 : 0
    case 0x2B: signedLeft > signedRight ? 1 : 0
    case 0x2C: signedLeft <= signedRight ? 1 : 0
    case 0x2D: signedLeft < signedRight ? 1 : 0
    default: left == right ? 0 : 1
    }
  }
}
