/// A small, fast random generator with a printable seed: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
///
/// There are two uses: a sequence, for simulations and tests that must be repeatable, and `hash`, an independent number for
/// each index.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mix(state)
  }

  /// True with the given probability, 0…1.
  package mutating func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }

  /// The random number of `index` in the family of `seed`.
  package static func hash(seed: UInt64, index: UInt64) -> UInt64 {
    mix(seed ^ mix(index &+ 0x9E37_79B9_7F4A_7C15))
  }

  private static func mix(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
