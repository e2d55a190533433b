/// The files of a cache, in the order of their use, within a budget of bytes.
struct CacheIndex: Sendable {
  /// The budget in bytes.
  let limit: Int
  /// The bytes of all files.
  private(set) var bytes = 0

  private struct File: Sendable {
    var size: Int
    /// When it was used last, in nanoseconds since 1970.
    var used: Int64
  }

  private struct Use: Comparable, Sendable {
    var used: Int64
    var name: String
    static func < (left: Use, right: Use) -> Bool { (left.used, left.name) < (right.used, right.name) }
  }

  private var files: [String: File] = [:]
  private var uses = BinaryHeap<Use>()

  init(limit: Int) { self.limit = limit }

  var count: Int { files.count }
  var names: Set<String> { Set(files.keys) }
  func contains(_ name: String) -> Bool { files[name] != nil }

  /// Adds a file, or replaces it.
  mutating func insert(_ name: String, size: Int, used: Int64) {
    remove(name)
    files[name] = File(size: size, used: used)
    bytes += size
    enter(name, used)
  }

  /// Notes that a file was used.
  ///
  /// - Returns: false if it is not known, or was used later.
  @discardableResult
  mutating func use(_ name: String, at time: Int64) -> Bool {
    guard let file = files[name], file.used < time else { return false }
    files[name]?.used = time
    enter(name, time)
    return true
  }

  mutating func remove(_ name: String) {
    guard let file = files.removeValue(forKey: name) else { return }
    bytes -= file.size
  }

  /// The file that was used longest ago, if the files leave no room for so many further bytes.
  mutating func nextToLeave(roomFor size: Int) -> String? {
    guard bytes > limit - size else { return nil }
    while let use = uses.first {
      if files[use.name]?.used == use.used { return use.name }
      uses.removeFirst()
    }
    return nil
  }

  private mutating func enter(_ name: String, _ used: Int64) {
    uses.insert(Use(used: used, name: name))
    guard uses.count > 4 * files.count + 64 else { return }
    uses = BinaryHeap()
    for (name, file) in files { uses.insert(Use(used: file.used, name: name)) }
  }
}
