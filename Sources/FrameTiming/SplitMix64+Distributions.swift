import Glibc
import LinuxSystem

extension SplitMix64 {
  /// The number of `index` in the family named by `seed`, from 0 to below 1.
  static func unit(seed: UInt64, index: UInt64) -> Double { Double(hash(seed: seed, index: index) >> 11) * 0x1p-53 }

  /// The number of `index` in the family named by two seeds, of mean 0 and standard deviation 1, by G. E. P. Box and
  /// M. E. Muller, "A Note on the Generation of Random Normal Deviates", 1958.
  static func normal(seeds: (UInt64, UInt64), index: UInt64) -> Double {
    (-2 * log(1 - unit(seed: seeds.0, index: index))).squareRoot() * cos(2 * .pi * unit(seed: seeds.1, index: index))
  }
}
