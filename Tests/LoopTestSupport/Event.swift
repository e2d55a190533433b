import Glibc
import LinuxSystem

/// An eventfd to wait for.
package final class Event: Sendable {
  private let descriptor: OwnedDescriptor

  package init() {
    do { descriptor = try .event() } catch { fatalError("\(error)") }
  }

  package var number: Int32 { descriptor.number }

  package func post() {
    var one: UInt64 = 1
    _ = write(number, &one, 8)
  }

  package func consume() {
    var count: UInt64 = 0
    _ = read(number, &count, 8)
  }
}
