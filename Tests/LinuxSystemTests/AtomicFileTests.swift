import Glibc
import LinuxSystem
import Testing

@Suite struct AtomicFileTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func contents(of path: String) throws -> String {
    String(decoding: try OwnedDescriptor.contents(of: path, limit: 1 << 20), as: UTF8.self)
  }

  @Test func makesAndReplaces() throws {
    let path = folder.path + "/file"
    try AtomicFile.write(Array("first".utf8), to: path)
    #expect(try contents(of: path) == "first")
    try AtomicFile.write(Array("2".utf8), to: path)
    #expect(try contents(of: path) == "2")
    try AtomicFile.write([], to: path)
    #expect(try contents(of: path).isEmpty)
    #expect(folder.names == ["file"])
  }

  /// Readers see the old file until the last byte is written. So a kill at any moment leaves the old file.
  @Test func oldContentsStayUntilTheEnd() throws {
    let path = folder.path + "/file"
    try AtomicFile.write(Array("old".utf8), to: path)
    try AtomicFile.replace(path) { output throws(SystemError) in
      for part in 0..<100 {
        try output.write(Array("new \(part)\n".utf8))
        #expect((try? contents(of: path)) == "old")
      }
    }
    #expect(try contents(of: path).hasSuffix("new 99\n"))
    #expect(folder.names == ["file"])
  }

  @Test func failureKeepsTheOldFileAndLeavesNothing() throws {
    let path = folder.path + "/file"
    try AtomicFile.write(Array("old".utf8), to: path)
    let failure = SystemError(call: "write", subject: path, errno: ENOSPC)
    #expect(throws: failure) {
      try AtomicFile.replace(path) { output throws(SystemError) in
        try output.write([1, 2, 3])
        throw failure
      }
    }
    #expect(try contents(of: path) == "old")
    #expect(throws: failure) { try AtomicFile.replace(folder.path + "/new") { _ throws(SystemError) in throw failure } }
    #expect(folder.names == ["file"])
  }

  /// A file that grows under its name: it is there from the beginning, keeps its permissions, and a link is followed.
  @Test func aFileGrowsUnderItsName() throws {
    let path = folder.path + "/file"
    try AtomicFile.write(Array("old".utf8), to: path)
    chmod(path, 0o640)
    let link = folder.path + "/link"
    #expect(symlink("file", link) == 0)
    let old = try OwnedDescriptor.open(path, flags: O_RDONLY)
    let file = try AtomicFile.begin(link)
    #expect(try contents(of: path).isEmpty)
    try file.write(Array("one ".utf8))
    #expect(try contents(of: path) == "one ")
    try file.write(Array("two".utf8))
    #expect(try contents(of: link) == "one two")
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o640)
    // A reader of the old one keeps it.
    var bytes = [UInt8](repeating: 0, count: 4)
    #expect(read(old.number, &bytes, 4) == 3)
    #expect(folder.names == ["file", "link"])
    for path in [folder.path, folder.path + "/none/file"] {
      #expect(throws: SystemError.self) { _ = try AtomicFile.begin(path) }
    }
    #expect(folder.names == ["file", "link"])
  }

  @Test func errorsNameThePathThatWasGiven() {
    for (path, code) in [
      (folder.path + "/none/file", ENOENT), (folder.path, EISDIR), ("/proc/file", ENOENT), ("", ENOENT),
      (folder.path + "/" + String(repeating: "x", count: 300), ENAMETOOLONG),
    ] {
      let error = #expect(throws: SystemError.self) { try AtomicFile.write([1], to: path) }
      #expect(error?.subject == path && error?.errno == code, "\(String(describing: error))")
    }
    #expect(folder.names.isEmpty)
  }

  @Test func longestNameWorks() throws {
    let path = folder.path + "/" + String(repeating: "x", count: 255)
    try AtomicFile.write([1], to: path)
    #expect(try contents(of: path) == "\u{1}")
  }

  @Test func permissionsAndLinksAreKept() throws {
    let path = folder.path + "/file"
    let link = folder.path + "/link"
    try AtomicFile.write([1], to: path)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o111 == 0)
    chmod(path, 0o640)
    #expect(symlink("file", link) == 0)
    try AtomicFile.write(Array("through".utf8), to: link)
    #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o640)
    #expect(try contents(of: path) == "through")
  }

  /// A link without a target is followed too, also to a name that is not UTF-8.
  @Test(arguments: [[0x6E, 0x65, 0x77], [-1, -2]])
  func linksWithoutATargetAreFollowed(name: [CChar]) throws {
    let link = folder.path + "/link"
    #expect(symlink(name + [0], link) == 0)
    #expect(symlink("link", folder.path + "/second") == 0)
    try AtomicFile.write(Array("through".utf8), to: folder.path + "/second")
    try AtomicFile.write(Array("again".utf8), to: link)
    var status = stat()
    #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(try contents(of: link) == "again")
    #expect(unlink((folder.path + "/").utf8CString.dropLast() + name + [0]) == 0)
    #expect(folder.names == ["link", "second"])
  }

  @Test func aPipeWithoutAReaderIsRefused() throws {
    let pipe = folder.path + "/pipe"
    #expect(mkfifo(pipe, 0o600) == 0)
    #expect(throws: SystemError(call: "open", subject: pipe, errno: ENXIO)) { try AtomicFile.write([1], to: pipe) }
    #expect(throws: SystemError(call: "open", subject: pipe, errno: ENXIO)) { _ = try AtomicFile.check(pipe) }
    let reader = try OwnedDescriptor.open(pipe, flags: O_RDONLY | O_NONBLOCK)
    try AtomicFile.write([1, 2, 3], to: pipe)
    var bytes = [UInt8](repeating: 0, count: 4)
    #expect(read(reader.number, &bytes, 4) == 3)
  }

  @Test func theCheckFindsTheErrorOfTheWriteAndLeavesNothing() throws {
    let file = folder.path + "/file"
    try AtomicFile.write(Array("old".utf8), to: file)
    for path in [
      folder.path, folder.path + "/none/file", folder.path + "/" + String(repeating: "x", count: 300), "/dev/full",
    ] {
      let error = try #require(throws: SystemError.self) { try AtomicFile.write([1], to: path) }
      #expect(throws: error) { _ = try AtomicFile.check(path) }
    }
    for path in [file, folder.path + "/new"] { #expect(try AtomicFile.check(path)?.number == nil) }
    #expect(try contents(of: file) == "old")
    #expect(folder.names == ["file"])
  }

  @Test func theSameFileIsKnownByEveryPath() throws {
    let link = folder.path + "/link"
    #expect(symlink("file", link) == 0)
    for exists in [false, true] {
      if exists { try AtomicFile.write([1], to: link) }
      #expect(AtomicFile.isSame(folder.path + "/file", folder.path + "/./file"))
      #expect(AtomicFile.isSame(link, folder.path + "/file"))
      #expect(!AtomicFile.isSame(folder.path + "/other", folder.path + "/file"))
    }
    #expect(!AtomicFile.isSame("/dev/null", "/dev/null"))
  }

  /// A device is written to and not replaced. This device is always full.
  @Test func devicesAreWrittenTo() throws {
    try AtomicFile.write([1, 2, 3], to: "/dev/null")
    #expect(throws: SystemError(call: "write", subject: "/dev/full", errno: ENOSPC)) {
      try AtomicFile.write([1, 2, 3], to: "/dev/full")
    }
    var status = stat()
    #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
  }

  @Test func wholeFilesAreReadUpToTheLimit() throws {
    let path = folder.path + "/file"
    var bytes = [UInt8](repeating: 0, count: 300_000)
    for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index &* 31) }
    try AtomicFile.write(bytes, to: path)
    #expect(try OwnedDescriptor.contents(of: path, limit: 300_000) == bytes)
    #expect(throws: SystemError(call: "read", subject: path, errno: EFBIG)) {
      try OwnedDescriptor.contents(of: path, limit: 299_999)
    }
    // These files do not know their size, or have no end.
    #expect(try !OwnedDescriptor.contents(of: "/proc/self/maps", limit: 1 << 24).isEmpty)
    #expect(throws: SystemError(call: "read", subject: "/dev/zero", errno: EFBIG)) {
      try OwnedDescriptor.contents(of: "/dev/zero", limit: 1_000_000)
    }
    #expect(throws: SystemError(call: "read", subject: folder.path, errno: EISDIR)) {
      try OwnedDescriptor.contents(of: folder.path, limit: 10)
    }
    #expect(throws: SystemError(call: "open", subject: folder.path + "/none", errno: ENOENT)) {
      try OwnedDescriptor.contents(of: folder.path + "/none", limit: 10)
    }
  }
}

/// A temporary folder that is deleted with its owner.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = "/tmp/framepace-test-\(getpid())-\(UInt64.random(in: 0 ... .max))"
    guard mkdir(path, 0o700) == 0 else { throw SystemError.last(call: "mkdir", subject: path) }
  }

  deinit {
    for name in names { unlink(path + "/" + name) }
    rmdir(path)
  }

  /// The names of its files, sorted.
  var names: [String] { (try? OwnedDescriptor.names(in: path).sorted()) ?? [] }
}
