extension UInt64 {
  /// The 64-bit number with these low 32 bits that lies nearest to `reference`: flip events carry only half a sequence.
  init(widening low: UInt32, near reference: UInt64) {
    let distance = Int64(Int32(bitPattern: low &- UInt32(truncatingIfNeeded: reference)))
    let (sum, overflow) = reference.addingReportingOverflow(UInt64(distance.magnitude))
    if distance >= 0 {
      self = overflow ? UInt64(low) : sum
    } else {
      self = reference >= distance.magnitude ? reference - distance.magnitude : UInt64(low)
    }
  }
}
