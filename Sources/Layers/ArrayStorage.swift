/// Asks an array whether a change would copy it.
enum ArrayStorage {
  /// Whether nobody else holds the array's memory. An empty array that never had any counts as held.
  ///
  /// The standard library knows this and has no name for it. On Linux an array is one reference to its native storage, and
  /// nothing else: that reference is asked here, never changed. A test holds this to be so.
  @inline(__always)
  static func isUniquelyReferenced<Element>(_ array: inout [Element]) -> Bool {
    assert(MemoryLayout<[Element]>.size == MemoryLayout<AnyObject>.size)
    return withUnsafeMutablePointer(to: &array) { pointer in
      pointer.withMemoryRebound(to: AnyObject.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
    }
  }
}
