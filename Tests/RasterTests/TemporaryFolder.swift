import Glibc
import LinuxSystem
import Testing

/// A temporary folder that is deleted with its owner.
final class TemporaryFolder {
  let path: String

  init() throws {
    path = "/tmp/framepace-raster-\(getpid())-\(UInt64.random(in: 0 ... .max))"
    try #require(mkdir(path, 0o700) == 0)
  }

  deinit {
    for name in (try? OwnedDescriptor.names(in: path)) ?? [] { unlink(path + "/" + name) }
    rmdir(path)
  }
}
