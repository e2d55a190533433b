import CStackSamples

/// How the registers of a caller are found at one instruction: the result of a frame description's instructions.
struct UnwindRules {
  enum Rule {
    case same
    case undefined
    /// Saved at an offset from the frame's address.
    case saved(Int64)
    /// The frame's address with an offset.
    case value(Int64)
    case register(Int)
    /// Saved at the address that an expression yields.
    case savedAt([UInt8])
    case expression([UInt8])
  }

  enum FrameAddress {
    case register(Int, Int64)
    case expression([UInt8])
  }

  var frameAddress = FrameAddress.register(0, 0)
  var rules = [Rule](repeating: .same, count: Int(CSTACK_PC))

  /// The rules at an address of the function; nil for instructions that are not understood.
  init?(_ description: FrameDescription, at address: UInt64) {
    var place = description.function.lowerBound
    var remembered: [UnwindRules] = []
    guard
      run(description.initial, description, nil, &place, &remembered, until: .max)
    else { return nil }
    let initial = self
    guard run(description.instructions, description, initial, &place, &remembered, until: address) else { return nil }
  }

  private mutating func set(_ register: UInt64, _ rule: Rule) -> Bool {
    // Vector registers and the like have no part in a walk.
    if register < UInt64(rules.count) { rules[Int(register)] = rule }
    return true
  }

  /// Runs instructions (DW_CFA) until one that is for addresses beyond `end`.
  private mutating func run(
    _ bytes: [UInt8], _ description: FrameDescription, _ initial: UnwindRules?, _ place: inout UInt64,
    _ remembered: inout [UnwindRules], until end: UInt64
  ) -> Bool {
    var reader = ByteReader(bytes)
    func scaled(_ number: UInt64) -> Int64 { Int64(truncatingIfNeeded: number) &* description.dataAlignment }
    while !reader.isAtEnd {
      let code = reader.byte()
      let low = UInt64(code & 0x3F)
      var step: UInt64?
      var isKnown = true
      switch (code & 0xC0, code) {
      case (0x40, _): step = low
      case (0x80, _): isKnown = set(low, .saved(scaled(reader.unsigned())))
      case (0xC0, _): isKnown = set(low, initial?.rules[safe: low] ?? .same)
      case (_, 0x00): break
      case (_, 0x01):
        guard let address = reader.pointer(description.encoding) else { return false }
        if address > end { return true }
        place = address
      case (_, 0x02): step = UInt64(reader.byte())
      case (_, 0x03): step = UInt64(reader.fixed(UInt16.self))
      case (_, 0x04): step = UInt64(reader.fixed(UInt32.self))
      case (_, 0x05):
        let register = reader.unsigned()
        isKnown = set(register, .saved(scaled(reader.unsigned())))
      case (_, 0x06):
        let register = reader.unsigned()
        isKnown = set(register, initial?.rules[safe: register] ?? .same)
      case (_, 0x07): isKnown = set(reader.unsigned(), .undefined)
      case (_, 0x08): isKnown = set(reader.unsigned(), .same)
      case (_, 0x09):
        let register = reader.unsigned()
        isKnown = set(register, .register(Int(truncatingIfNeeded: reader.unsigned())))
      case (_, 0x0A):
        guard remembered.count < 64 else { return false }
        remembered.append(self)
      case (_, 0x0B):
        guard let last = remembered.popLast() else { return false }
        self = last
      case (_, 0x0C):
        let register = Int(truncatingIfNeeded: reader.unsigned())
        frameAddress = .register(register, Int64(truncatingIfNeeded: reader.unsigned()))
      case (_, 0x0D):
        guard case .register(_, let offset) = frameAddress else { return false }
        frameAddress = .register(Int(truncatingIfNeeded: reader.unsigned()), offset)
      case (_, 0x0E):
        guard case .register(let register, _) = frameAddress else { return false }
        frameAddress = .register(register, Int64(truncatingIfNeeded: reader.unsigned()))
      case (_, 0x0F): frameAddress = .expression(reader.block())
      case (_, 0x10):
        let register = reader.unsigned()
        isKnown = set(register, .savedAt(reader.block()))
      case (_, 0x11):
        let register = reader.unsigned()
        isKnown = set(register, .saved(reader.signed() &* description.dataAlignment))
      case (_, 0x12):
        let register = Int(truncatingIfNeeded: reader.unsigned())
        frameAddress = .register(register, reader.signed() &* description.dataAlignment)
      case (_, 0x13):
        guard case .register(let register, _) = frameAddress else { return false }
        frameAddress = .register(register, reader.signed() &* description.dataAlignment)
      case (_, 0x14):
        let register = reader.unsigned()
        isKnown = set(register, .value(scaled(reader.unsigned())))
      case (_, 0x15):
        let register = reader.unsigned()
        isKnown = set(register, .value(reader.signed() &* description.dataAlignment))
      case (_, 0x16):
        let register = reader.unsigned()
        isKnown = set(register, .expression(reader.block()))
      // ARM's signed return addresses: the signature is taken off every return address.
      case (_, 0x2D): break
      // GNU_args_size.
      case (_, 0x2E): _ = reader.unsigned()
      default: isKnown = false
      }
      guard isKnown, !reader.failed else { return false }
      if let step {
        let next = place &+ step &* description.codeAlignment
        if next > end { return true }
        place = next
      }
    }
    return true
  }
}

extension Array {
  fileprivate subscript(safe index: UInt64) -> Element? { index < UInt64(count) ? self[Int(index)] : nil }
}
