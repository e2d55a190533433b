import CStackSamples

/// The memory that a walk may read: the copy of a stack, and the tables of files in this process's memory, which may be gone by now.
struct SampledMemory {
  let stack: UnsafeRawBufferPointer
  let stackAddress: UInt64

  init(_ sample: UnsafePointer<cstack_sample>) {
    stack = UnsafeRawBufferPointer(start: cstack_copy(sample), count: min(Int(sample.pointee.stack_size), Int(CSTACK_BYTES)))
    stackAddress = sample.pointee.stack_address
  }

  init(stack: UnsafeRawBufferPointer, stackAddress: UInt64) {
    self.stack = stack
    self.stackAddress = stackAddress
  }

  /// A word of the copied stack; nil outside.
  func word(at address: UInt64) -> UInt64? {
    guard address >= stackAddress, address - stackAddress <= UInt64(stack.count),
      stack.count - Int(address - stackAddress) >= 8
    else { return nil }
    return stack.loadUnaligned(fromByteOffset: Int(address - stackAddress), as: UInt64.self)
  }

  /// Bytes of the process; nil if they cannot be read.
  static func bytes(at address: UInt64, count: Int) -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      guard let base = buffer.baseAddress else { return }
      initialized = cstack_peek(address, base, count)
    }
    return bytes.count == count ? bytes : nil
  }
}
