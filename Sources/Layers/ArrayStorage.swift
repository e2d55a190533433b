/// Asks an array whether a change would copy it.
enum ArrayStorage {
  /// Stands for the class of the storage, which has no public name.
  private final class Storage {}

  /// Whether nobody else holds the array's memory. An empty array that never had any counts as held, and so does a constant.
  ///
  /// The standard library knows this and has no name for it. On Linux an array is one reference to its native storage, and
  /// nothing else: that reference is asked, never changed. The answer is used to choose an array only, which is then
  /// changed in the usual way: were it wrong, a change would copy.
  @inline(__always)
  static func isUniquelyReferenced<Element>(_ array: inout [Element]) -> Bool {
    guard MemoryLayout<[Element]>.size == MemoryLayout<Storage>.size else { return false }
    return withUnsafeMutablePointer(to: &array) { pointer in
      pointer.withMemoryRebound(to: Storage.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
    }
  }
}
