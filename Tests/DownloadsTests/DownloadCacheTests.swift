import Glibc
import LinuxSystem
import TestLength
import Testing

@testable import Downloads

/// A folder of a test's own, which goes with it.
final class TemporaryFolder: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/framepace-downloads-XXXXXX".utf8CString)
    path = mkdtemp(&template).map { String(cString: $0) } ?? ""
  }

  var names: [String] { ((try? OwnedDescriptor.names(in: path)) ?? []).sorted() }
  var entries: [String] { names.filter(CacheEntry.isFileName) }

  func write(_ bytes: [UInt8], _ name: String) {
    guard let file = fopen("\(path)/\(name)", "w") else { return }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }

  func read(_ name: String) -> [UInt8] { (try? OwnedDescriptor.contents(of: "\(path)/\(name)", limit: 1 << 24)) ?? [] }

  deinit {
    for name in names { unlink("\(path)/\(name)") }
    for name in names { rmdir("\(path)/\(name)") }
    rmdir(path)
  }
}

/// A clock of which each look is later, so that the order of use is known.
final class CountingClock: Sendable {
  private let time = Lock<Int64>(1_000_000_000)
  var look: @Sendable () -> Int64 {
    { [self] in
      time.withLock { time in
        time += 1_000
        return time
      }
    }
  }
}

@Suite struct DownloadCacheTests {
  private func entry(_ key: String, _ bytes: [UInt8], tag: String? = nil, freshUntil: Int64 = 5) -> CacheEntry {
    CacheEntry(
      key: key, freshness: Freshness(freshUntil: freshUntil, entityTag: tag, lastModified: nil), bytes: bytes)
  }

  @Test func anEntryComesBack() throws {
    let folder = TemporaryFolder()
    let stored = entry("http://a/", [1, 2, 3], tag: "\"x\"")
    do {
      let cache = try DownloadCache(folder: folder.path, limit: 10_000)
      #expect(cache.entry(for: "http://a/") == nil)
      try cache.store(stored)
      #expect(cache.entry(for: "http://a/") == stored)
      #expect(cache.entry(for: "http://b/") == nil)
    }
    // As after a start of the program.
    let cache = try DownloadCache(folder: folder.path, limit: 10_000)
    #expect(cache.entry(for: "http://a/") == stored)
    #expect(cache.count == 1)
    try cache.store(entry("http://a/", []))
    #expect(cache.entry(for: "http://a/") == entry("http://a/", []))
    try cache.removeAll()
    #expect(cache.entry(for: "http://a/") == nil && cache.bytes == 0 && folder.entries.isEmpty)
  }

  @Test func aFolderThatCannotBeMadeIsAnError() {
    #expect(throws: SystemError.self) { try DownloadCache(folder: "/nowhere/at/all", limit: 10) }
    #expect(throws: SystemError.self) { try DownloadCache(folder: "/dev/null", limit: 10) }
  }

  /// Every damage of a byte and every cut is seen.
  @Test func damagedFilesAreRefusedAndRemoved() throws {
    let folder = TemporaryFolder()
    let cache = try DownloadCache(folder: folder.path, limit: 10_000)
    let stored = entry("http://a/", Array("some bytes".utf8), tag: "t")
    let name = CacheEntry.fileName(of: stored.key)
    try cache.store(stored)
    let good = folder.read(name)
    var damaged: [[UInt8]] = []
    for place in good.indices {
      var bytes = good
      bytes[place] ^= 1 << UInt8(place % 8)
      damaged.append(bytes)
      damaged.append(Array(good[..<place]))
    }
    damaged.append(good + [0])
    damaged.append([UInt8](repeating: 0xFF, count: 100))
    for bytes in damaged {
      folder.write(bytes, name)
      #expect(cache.entry(for: stored.key) == nil)
      #expect(folder.entries.isEmpty)
    }
    folder.write(good, name)
    #expect(cache.entry(for: stored.key) == stored)
    // Another key's file under this name is not this key's, and not damaged.
    folder.write(entry("http://b/", [1]).encoded ?? [], name)
    #expect(cache.entry(for: stored.key) == nil)
    #expect(folder.entries == [name])
    // A folder in the place of a file.
    unlink("\(folder.path)/\(name)")
    mkdir("\(folder.path)/\(name)", 0o700)
    #expect(cache.entry(for: stored.key) == nil)
    try cache.store(stored)
    #expect(cache.entry(for: stored.key) == stored)
  }

  /// Random programs against a dictionary, on two caches in one folder, as two processes have them.
  @Test func randomProgramsGoAsADictionary() throws {
    for round in 0..<(isLongRun ? 400 : 40) {
      let seed = UInt64(runSeed) << 20 | UInt64(round)
      var random = SplitMix64(seed: seed)
      let folder = TemporaryFolder()
      let clock = CountingClock()
      let limit = Int.random(in: 0...3_000, using: &random)
      func open() throws -> DownloadCache { try DownloadCache(folder: folder.path, limit: limit, now: clock.look) }
      var caches = [try open(), try open()]
      // The entries in the order of their use, that of longest ago first.
      var plain: [CacheEntry] = []
      func size(_ entry: CacheEntry) -> Int { entry.encoded?.count ?? 0 }
      for step in 0..<200 {
        let cache = caches[Int.random(in: 0..<2, using: &random)]
        let key = "http://host/\(Int.random(in: 0..<12, using: &random))"
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<5:
          let bytes = (0..<Int.random(in: 0...900, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
          let stored = entry(key, bytes, tag: random.chance(0.5) ? "\(step)" : nil, freshUntil: Int64(step))
          try cache.store(stored)
          plain.removeAll { $0.key == key }
          if size(stored) <= limit {
            while plain.reduce(size(stored), { $0 + size($1) }) > limit { plain.removeFirst() }
            plain.append(stored)
          }
        case 5..<9:
          let found = plain.first { $0.key == key }
          #expect(cache.entry(for: key) == found, "seed \(seed), step \(step)")
          plain.removeAll { $0.key == key }
          if let found { plain.append(found) }
        case 9:
          cache.remove(key)
          plain.removeAll { $0.key == key }
        case 10:
          // A file is damaged, and found so when it is asked for.
          guard let found = plain.first(where: { $0.key == key }) else { continue }
          let name = CacheEntry.fileName(of: key)
          var file = folder.read(name)
          file[Int.random(in: 0..<file.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
          folder.write(file, name)
          #expect(cache.entry(for: found.key) == nil, "seed \(seed), step \(step)")
          plain.removeAll { $0.key == key }
        default:
          // A start of the program, after a crash in the midst of writing.
          folder.write([1, 2, 3], "new")
          caches[Int.random(in: 0..<2, using: &random)] = try open()
        }
        let bytes = plain.reduce(0) { $0 + size($1) }
        #expect(Set(folder.entries) == Set(plain.map { CacheEntry.fileName(of: $0.key) }), "seed \(seed), step \(step)")
        let counted = caches[step % 2]
        #expect(counted.bytes == bytes && counted.count == plain.count && bytes <= limit, "seed \(seed), step \(step)")
      }
    }
  }

  /// Files that are none of the cache's stay, and a folder that was filled by a larger cache is brought into the budget.
  @Test func aSmallerBudgetHoldsFromTheStart() throws {
    let folder = TemporaryFolder()
    let clock = CountingClock()
    let large = try DownloadCache(folder: folder.path, limit: 100_000, now: clock.look)
    for number in 0..<20 { try large.store(entry("http://a/\(number)", [UInt8](repeating: 1, count: 1_000))) }
    folder.write([1], "README")
    folder.write([1], "x.entry")
    let small = try DownloadCache(folder: folder.path, limit: 5_500, now: clock.look)
    #expect(small.count == 5)
    #expect(small.entry(for: "http://a/19") != nil && small.entry(for: "http://a/0") == nil)
    #expect(folder.names.contains("README") && folder.names.contains("x.entry"))
    #expect(large.entry(for: "http://a/0") == nil && large.count == 5)
  }
}

@Suite struct DownloadCacheThreadsTests {
  /// Threads of two caches in one folder: an entry is one that was stored under its key, and the budget holds.
  @Test func threadsOfTwoCachesDoNotDisturbEachOther() throws {
    let folder = TemporaryFolder()
    let caches = try (0..<2).map { _ in try DownloadCache(folder: folder.path, limit: 6_000) }
    let wrong = Lock<[String]>([])
    let threads = try (0..<4).map { thread in
      try SystemThread(name: "cache") {
        let cache = caches[thread % 2]
        var random = SplitMix64(seed: UInt64(thread))
        for _ in 0..<(isLongRun ? 5_000 : 150) {
          let number = UInt8.random(in: 0..<10, using: &random)
          let key = "http://a/\(number)"
          if random.chance(0.4) {
            let count = Int.random(in: 0...1_000, using: &random)
            let freshness = Freshness(freshUntil: Int64(count), entityTag: nil, lastModified: nil)
            do throws(SystemError) {
              try cache.store(CacheEntry(key: key, freshness: freshness, bytes: [UInt8](repeating: number, count: count)))
            } catch {
              wrong.withLock { $0.append("\(error)") }
            }
          } else if let entry = cache.entry(for: key) {
            let isRight = entry.bytes.count == entry.freshness.freshUntil && entry.bytes.allSatisfy { $0 == number }
            if !isRight { wrong.withLock { $0.append(key) } }
          }
          if cache.bytes > 6_000 { wrong.withLock { $0.append("too many bytes") } }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(wrong.withLock { $0 }.isEmpty)
    #expect(caches[0].bytes == caches[1].bytes && caches[0].count == folder.entries.count)
  }
}
