import CStackSamples

/// The frames of a sampled thread, found on another thread in the copy of its stack.
struct StackWalk {
  /// From the innermost frame outwards; at most 256.
  private(set) var frames: [StackFrame] = []
  /// True if the walk came to the outermost frame.
  private(set) var isComplete = false

  private static let capacity = 256

  #if arch(x86_64)
    private static let (stackPointer, framePointer) = (7, 6)
  #else
    private static let (stackPointer, framePointer) = (31, 29)
  #endif

  init(_ sample: UnsafePointer<cstack_sample>) {
    let registers: [UInt64?] = withUnsafeBytes(of: sample.pointee.registers) { Array($0.bindMemory(to: UInt64.self)) }
    self.init(registers: registers, memory: SampledMemory(sample))
  }

  /// - Parameter registers: by their DWARF numbers, the last is the address of the interrupted instruction; nil where unknown.
  init(registers: [UInt64?], memory: SampledMemory) {
    var registers = registers
    // A call returns to the instruction behind it, which may belong to another function.
    var wasCall = false
    while frames.count < Self.capacity, let address = registers[Int(CSTACK_PC)], address > 4096 {
      let place = wasCall ? address - 1 : address
      let description = UnwindTable.description(of: place)
      frames.append(StackFrame(address: address, function: description?.function.lowerBound ?? address))
      let caller: [UInt64?]?
      switch description.map({ Self.caller($0, at: place, registers, memory) }) {
      case .found(let found)?: caller = found
      case .outermost?:
        isComplete = true
        return
      case .unknown?, nil: caller = Self.callerByFramePointer(registers, memory)
      }
      guard let caller, let before = registers[Self.stackPointer], let after = caller[Self.stackPointer],
        // Stacks grow downwards: anything else is no chain.
        after > before
      else {
        isComplete = description == nil && registers[Self.framePointer] == 0
        return
      }
      wasCall = description?.isSignalFrame != true
      registers = caller
    }
    isComplete = (registers[Int(CSTACK_PC)] ?? 1) == 0
  }

  private enum Caller {
    case found([UInt64?])
    case outermost
    case unknown
  }

  private static func caller(
    _ description: FrameDescription, at address: UInt64, _ registers: [UInt64?], _ memory: SampledMemory
  ) -> Caller {
    guard let rules = UnwindRules(description, at: address) else { return .unknown }
    let frame: UInt64?
    switch rules.frameAddress {
    case .register(let register, let offset):
      frame = registers[safe: register].map { $0 &+ UInt64(bitPattern: offset) }
    case .expression(let bytes):
      frame = UnwindExpression.value(of: bytes, start: nil, registers: registers, memory: memory)
    }
    guard let frame else { return .unknown }
    var result = registers
    for (register, rule) in rules.rules.enumerated() {
      switch rule {
      case .same: break
      case .undefined: result[register] = nil
      case .saved(let offset): result[register] = memory.word(at: frame &+ UInt64(bitPattern: offset))
      case .value(let offset): result[register] = frame &+ UInt64(bitPattern: offset)
      case .register(let other): result[register] = registers[safe: other]
      case .savedAt(let bytes):
        result[register] = UnwindExpression.value(of: bytes, start: frame, registers: registers, memory: memory)
          .flatMap(memory.word)
      case .expression(let bytes):
        result[register] = UnwindExpression.value(of: bytes, start: frame, registers: registers, memory: memory)
      }
    }
    if case .undefined = rules.rules[description.returnRegister] { return .outermost }
    guard let address = result[description.returnRegister] else { return .unknown }
    result[Int(CSTACK_PC)] = withoutSignature(address)
    // The caller's stack ends at the frame's address, unless its own rule says otherwise.
    if case .same = rules.rules[stackPointer] { result[stackPointer] = frame }
    return address == 0 ? .outermost : .found(result)
  }

  /// For code without a table: the caller's frame pointer and the return address stand where the frame pointer points.
  private static func callerByFramePointer(_ registers: [UInt64?], _ memory: SampledMemory) -> [UInt64?]? {
    guard let pointer = registers[framePointer], pointer % 8 == 0, let outer = memory.word(at: pointer),
      let address = memory.word(at: pointer &+ 8)
    else { return nil }
    var result = [UInt64?](repeating: nil, count: registers.count)
    result[framePointer] = outer
    result[stackPointer] = pointer &+ 16
    result[Int(CSTACK_PC)] = withoutSignature(address)
    return result
  }

  private static func withoutSignature(_ address: UInt64) -> UInt64 {
    #if arch(arm64)
      address & 0x0000_FFFF_FFFF_FFFF
    #else
      address
    #endif
  }
}

extension [UInt64?] {
  fileprivate subscript(safe index: Int) -> UInt64? { indices.contains(index) ? self[index] : nil }
}
