public import LinuxSystem

/// Figures that are compared are plain nanoseconds here; in a program a bare number would be taken for seconds.
extension Nanoseconds: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: Int64) { self.init(value) }
}
