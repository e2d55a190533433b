internal import Glibc
public import LinuxSystem

/// Answers on disk within a budget of bytes, in a folder of their own. When they have more, the one that was used longest ago leaves
/// first.
///
/// Several processes may share a folder. An entry is written beside its place and then renamed, and has a checksum: after a crash or a
/// loss of power it is whole or it is refused and removed. The functions read and write files, so call them on workers.
///
/// Safe to share although unchecked: the index and the count are used only while `mutex` is held.
public final class DownloadCache: @unchecked Sendable {
  public let folder: String
  /// The budget in bytes, the entries' fields included.
  public let limit: Int
  /// Nanoseconds since 1970, for the order of use.
  private let now: @Sendable () -> Int64

  // A `Lock` is held for some instructions; here files are written meanwhile.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let lockFile: OwnedDescriptor
  private var index: CacheIndex
  /// The number of changes that the index knows. The lock's file has that of all processes.
  private var changes: UInt64?

  /// Opens a cache, whose folder is made if there is none; its parent must be there.
  ///
  /// - Throws: the error of making the folder, or of opening the lock's file in it.
  public convenience init(folder: String, limit: Int) throws(SystemError) {
    try self.init(folder: folder, limit: limit) {
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
  }

  init(folder: String, limit: Int, now: @escaping @Sendable () -> Int64) throws(SystemError) {
    (self.folder, self.limit, self.now) = (folder, max(limit, 0), now)
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw .last(call: "mkdir", subject: folder) }
    lockFile = try OwnedDescriptor.open("\(folder)/lock", flags: O_RDWR | O_CREAT, permissions: 0o600)
    index = CacheIndex(limit: max(limit, 0))
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// The bytes of all entries, those of other processes included.
  public var bytes: Int { (try? locked { index.bytes }) ?? 0 }
  /// The number of entries.
  public var count: Int { (try? locked { index.count }) ?? 0 }

  /// Removes all entries.
  public func removeAll() throws(SystemError) {
    try changing { () throws(SystemError) in
      for name in index.names { removeFile(name) }
    }
  }

  /// The entry of a key, which counts as a use; nil if there is none, or if it was damaged, which removes it.
  func entry(for key: String) -> CacheEntry? {
    let name = CacheEntry.fileName(of: key)
    switch read(name, key) {
    case .success(let entry):
      let time = now()
      pthread_mutex_lock(mutex)
      index.use(name, at: time)
      pthread_mutex_unlock(mutex)
      // For other processes, and the next one.
      touch(name, time)
      return entry
    case .failure(.otherKey), nil: return nil
    case .failure:
      // Another process may have replaced it meanwhile.
      try? changing { () throws(SystemError) in
        if case .failure(let damage)? = read(name, key), damage != .otherKey { removeFile(name) }
      }
      return nil
    }
  }

  /// Adds or replaces an entry, and lets others leave if need be. One that is larger than the budget is not kept.
  ///
  /// - Throws: the error of writing, such as `ENOSPC`; the former entry stays then.
  func store(_ entry: CacheEntry) throws(SystemError) {
    let name = CacheEntry.fileName(of: entry.key)
    guard let file = entry.encoded, file.count <= limit else { return remove(entry.key) }
    try changing { () throws(SystemError) in
      // The budget is kept at every moment, but for the former file of the name, which is there until the new one is.
      index.remove(name)
      makeRoom(for: file.count)
      let time = now()
      index.insert(name, size: file.count, used: time)
      do throws(SystemError) {
        try write(file, name)
      } catch {
        // The former file may be there or not.
        changes = nil
        throw error
      }
      touch(name, time)
    }
  }

  /// Removes an entry if there is one.
  func remove(_ key: String) {
    try? changing { () throws(SystemError) in removeFile(CacheEntry.fileName(of: key)) }
  }

  // MARK: Files

  /// - Returns: nil without a file.
  private func read(_ name: String, _ key: String) -> Result<CacheEntry, CacheEntry.Damage>? {
    let most = limit + CacheEntry.headSize
    let file: [UInt8]
    do throws(SystemError) {
      file = try OwnedDescriptor.contents(of: path(name), limit: most)
    } catch {
      return error.errno == ENOENT ? nil : .failure(.notWhole)
    }
    do throws(CacheEntry.Damage) { return .success(try CacheEntry(file: file, key: key)) } catch { return .failure(error) }
  }

  /// Without waiting for the disk: the sum tells whether a file is whole after a loss of power.
  private func write(_ file: [UInt8], _ name: String) throws(SystemError) {
    let temporary = path(Self.temporary)
    do throws(SystemError) {
      let output = try OwnedDescriptor.open(temporary, flags: O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, permissions: 0o600)
      var written = 0
      while written < file.count {
        let count = file.withUnsafeBytes {
          Glibc.write(output.number, $0.baseAddress.map { $0 + written }, $0.count - written)
        }
        if count < 0 {
          let error = SystemError.last(call: "write", subject: temporary)
          if error.errno == EINTR { continue }
          throw error
        }
        written += count
      }
      guard rename(temporary, path(name)) == 0 else { throw .last(call: "rename", subject: path(name)) }
    } catch {
      unlink(temporary)
      throw error
    }
  }

  /// Written under the lock alone, so that one name is enough. A crash leaves one file, which the next write overwrites.
  private static let temporary = "new"

  private func path(_ name: String) -> String { "\(folder)/\(name)" }

  private func touch(_ name: String, _ time: Int64) {
    let stamp = timespec(tv_sec: Int(time / 1_000_000_000), tv_nsec: Int(time % 1_000_000_000))
    let times = [stamp, stamp]
    utimensat(AT_FDCWD, path(name), times, 0)
  }

  /// The size of a file and the time of its last use.
  private func status(_ name: String) -> (size: Int, used: Int64)? {
    var status = stat()
    guard lstat(path(name), &status) == 0 else { return nil }
    return (Int(status.st_size), Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec))
  }

  private func removeFile(_ name: String) {
    if unlink(path(name)) != 0, errno == EISDIR { rmdir(path(name)) }
    index.remove(name)
  }

  private func makeRoom(for size: Int) {
    let time = now()
    while let name = index.nextToLeave(roomFor: size) {
      // Another process may have used it.
      if let used = status(name)?.used, index.use(name, at: min(used, time)) { continue }
      removeFile(name)
    }
  }

  // MARK: Lock

  /// Runs `body` with an index that is right, while no other thread and no other process changes the folder.
  private func locked<Value>(_ body: () throws(SystemError) -> Value) throws(SystemError) -> Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while flock(lockFile.number, LOCK_EX) != 0 {
      let error = SystemError.last(call: "flock", subject: folder)
      if error.errno != EINTR { throw error }
    }
    defer { flock(lockFile.number, LOCK_UN) }
    var count: UInt64 = 0
    let size = withUnsafeMutableBytes(of: &count) { pread(lockFile.number, $0.baseAddress, $0.count, 0) }
    if size != 8 { count = 0 }
    if changes != count {
      try readFolder()
      changes = count
      // The folder is that of a larger cache.
      if index.bytes > limit {
        noteChange()
        makeRoom(for: 0)
      }
    }
    return try body()
  }

  /// The same for a body that changes the folder.
  private func changing(_ body: () throws(SystemError) -> Void) throws(SystemError) {
    try locked { () throws(SystemError) in
      noteChange()
      try body()
    }
  }

  /// Counts a change before it is made: a crash in the midst of it makes others look again.
  private func noteChange() {
    let count = (changes ?? 0) &+ 1
    let written = withUnsafeBytes(of: count) { pwrite(lockFile.number, $0.baseAddress, $0.count, 0) }
    changes = written == 8 ? count : nil
  }

  private func readFolder() throws(SystemError) {
    index = CacheIndex(limit: limit)
    let time = now()
    for name in try OwnedDescriptor.names(in: folder) where CacheEntry.isFileName(name) {
      guard let (size, used) = status(name) else { continue }
      // The clock may have gone back since.
      index.insert(name, size: size, used: min(used, time))
    }
  }
}
