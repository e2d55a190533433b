import CStackSamples
import LinuxSystem
import Testing

@testable import Hangs

@Suite(.serialized) struct StackWalkTests {
  /// The registers and the stack of the calling thread, copied by its own handler.
  private func own(_ stack: cstack_range? = nil) throws -> (registers: [UInt64?], stack: [UInt8], address: UInt64) {
    let thread = try SampledThread.current()
    return try SampledThread.withBuffer {
      let sample = try #require(cstack_take(thread.number, stack ?? thread.stack, 10_000))
      let registers = withUnsafeBytes(of: sample.pointee.registers) { Array($0.bindMemory(to: UInt64.self)) }
      let copy = UnsafeRawBufferPointer(start: cstack_copy(sample), count: Int(sample.pointee.stack_size))
      return (registers, Array(copy), sample.pointee.stack_address)
    }
  }

  private func walk(_ registers: [UInt64?], _ stack: [UInt8], _ address: UInt64) -> StackWalk {
    stack.withUnsafeBytes { StackWalk(registers: registers, memory: SampledMemory(stack: $0, stackAddress: address)) }
  }

  @Test func theCallerIsInItsOwnStack() throws {
    let (registers, stack, address) = try own()
    let found = walk(registers, stack, address)
    var report = HangReport(kind: .hang, start: .zero, duration: .zero, processorShare: 0, phase: .woken)
    report.frames = found.frames.map { HangReport.Frame(address: $0.address, share: 1) }
    report.findSymbols()
    #expect(found.isComplete, "\(report.text())")
    #expect(report.frames.contains { $0.function?.contains("StackWalkTests.(own in ") == true }, "\(report.text())")
  }

  /// A thread that is not within its stack, as on that of a coroutine: nothing is copied.
  @Test func aForeignStackIsNotRead() throws {
    let whole = try SampledThread.current().stack
    for (low, high): (UInt64, UInt64) in [(0, 0), (0, whole.low), (whole.high, .max)] {
      let (registers, copy, address) = try own(cstack_range(low: low, high: high))
      #expect(copy.isEmpty)
      let found = walk(registers, copy, address)
      #expect(found.frames.count == 1 && !found.isComplete)
    }
  }

  /// Whatever stands in registers and on the stack, a walk ends, and reads nothing outside.
  @Test func aDamagedStackIsHarmless() throws {
    var random = SplitMix64(seed: 17)
    let (registers, stack, address) = try own()
    for _ in 0..<300 {
      var (registers, stack) = (registers, Array(stack.prefix(Int.random(in: 0...stack.count, using: &random))))
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        // Any number, or an address in the stack, so that chains lead in circles.
        let near = address &+ UInt64.random(in: 0...4_096, using: &random)
        registers[Int.random(in: 0..<17, using: &random)] = Bool.random(using: &random) ? near : random.next()
      }
      for _ in 0..<(stack.count / 64) {
        let place = Int.random(in: 0..<stack.count, using: &random)
        stack[place] = UInt8.random(in: 0...255, using: &random)
      }
      #expect(walk(registers, stack, address).frames.count <= 256)
    }
  }

  @Test func instructionsThatNobodyWritesAreRefused() {
    var random = SplitMix64(seed: 23)
    for _ in 0..<20_000 {
      func bytes() -> [UInt8] {
        (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      }
      let description = FrameDescription(
        function: 0x1000..<0x2000, initial: bytes(), instructions: bytes(), codeAlignment: 1, dataAlignment: -8,
        returnRegister: 16, isSignalFrame: false, encoding: 0x1B)
      if let rules = UnwindRules(description, at: 0x1800) { #expect(rules.rules.count == Int(CSTACK_PC)) }
      let memory = SampledMemory(stack: UnsafeRawBufferPointer(start: nil, count: 0), stackAddress: 0)
      _ = UnwindExpression.value(of: bytes(), start: 0x1000, registers: [UInt64?](repeating: 8, count: 34), memory: memory)
    }
    // A state that is remembered for ever.
    let endless = FrameDescription(
      function: 0x1000..<0x2000, initial: [UInt8](repeating: 0x0A, count: 100_000), instructions: [], codeAlignment: 1,
      dataAlignment: -8, returnRegister: 16, isSignalFrame: false, encoding: 0x1B)
    #expect(UnwindRules(endless, at: 0x1800) == nil)
  }
}
