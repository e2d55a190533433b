import Glibc
import LinuxSystem
import XCTest

/// A simulated full disk: a limit of the process on the size of its files. It is a separate XCTest class, because no other
/// test runs at the same time there.
final class FileSizeLimitTests: XCTestCase {
  func testOldFileSurvivesAFullDisk() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/file"
    try AtomicFile.write(Array("old".utf8), to: path)

    var old = rlimit()
    XCTAssertEqual(getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &old), 0)
    let handler = signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: 10_000, rlim_max: old.rlim_max)
    XCTAssertEqual(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit), 0)
    let result = Result { try AtomicFile.write([UInt8](repeating: 7, count: 50_000), to: path) }
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &old)
    signal(SIGXFSZ, handler)

    XCTAssertThrowsError(try result.get()) { error in
      XCTAssertEqual(error as? SystemError, SystemError(call: "write", subject: path, errno: EFBIG))
    }
    XCTAssertEqual(try OwnedDescriptor.contents(of: path, limit: 100), Array("old".utf8))
    XCTAssertEqual(folder.names, ["file"])
  }
}
