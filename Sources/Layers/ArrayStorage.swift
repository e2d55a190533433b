/// Tests whether changing an array would copy it.
enum ArrayStorage {
  /// A stand-in for the class of the storage, which has no public name.
  private final class Storage {}

  /// True if nothing else references the array's memory. False for an empty array that never had memory, and for a constant.
  ///
  /// The standard library has no public function for this. On Linux an array is a single reference to its native storage;
  /// that reference is tested and never changed. The result only selects an array, which is then changed in the usual way:
  /// if the result were wrong, the change would make a copy.
  @inline(__always)
  static func isUniquelyReferenced<Element>(_ array: inout [Element]) -> Bool {
    guard MemoryLayout<[Element]>.size == MemoryLayout<Storage>.size else { return false }
    return withUnsafeMutablePointer(to: &array) { pointer in
      pointer.withMemoryRebound(to: Storage.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
    }
  }
}
