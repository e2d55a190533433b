import Glibc
import LinuxSystem

/// The machine and the program that figures belong to.
package struct RunEnvironment: Sendable {
  package var processor: String
  package var cores: Int
  package var kernel: String
  /// "debug" or "release".
  package var build: String
  package var version: String

  /// The version of this package.
  package static let packageVersion = "0.1.0"

  package init(processor: String, cores: Int, kernel: String, build: String, version: String) {
    (self.processor, self.cores, self.kernel, self.build, self.version) = (processor, cores, kernel, build, version)
  }

  package static func current(version: String) -> RunEnvironment {
    var system = utsname()
    uname(&system)
    let kernel = withUnsafeBytes(of: &system.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    let machine = withUnsafeBytes(of: &system.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    #if DEBUG
      let build = "debug"
    #else
      let build = "release"
    #endif
    return RunEnvironment(
      processor: processorName ?? machine, cores: sysconf(Int32(_SC_NPROCESSORS_ONLN)), kernel: kernel, build: build,
      version: version)
  }

  /// The model of the first processor; nil where the kernel does not tell, as on ARM.
  private static var processorName: String? {
    guard let bytes = try? OwnedDescriptor.contents(of: "/proc/cpuinfo", limit: 1 << 22) else { return nil }
    let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("model name") }
    return line?.split(separator: ":").last.map { String($0.drop { $0 == " " }) }
  }
}
