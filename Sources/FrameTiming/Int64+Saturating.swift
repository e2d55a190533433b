extension Int64 {
  /// The nearest whole number; what lies out of range the nearest end of it, NaN 0.
  init(saturating value: Double) {
    let rounded = value.rounded()
    self = Int64(exactly: rounded) ?? (rounded.isNaN ? 0 : rounded < 0 ? .min : .max)
  }
}
