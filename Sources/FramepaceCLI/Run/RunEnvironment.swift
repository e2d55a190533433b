import ArgumentParser
import Framepace
import Glibc

/// The machine and the program that figures belong to.
struct RunEnvironment {
  var processor: String
  var cores: Int
  var kernel: String
  /// "debug" or "release".
  var build: String
  var version: String

  static var current: RunEnvironment {
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
      version: FramepaceCommand.configuration.version)
  }

  /// The model of the first processor; nil where the kernel does not tell, as on ARM.
  private static var processorName: String? {
    guard let bytes = try? OwnedDescriptor.contents(of: "/proc/cpuinfo", limit: 1 << 22) else { return nil }
    let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("model name") }
    return line?.split(separator: ":").last.map { String($0.drop { $0 == " " }) }
  }

  var json: JSONValue {
    .object([
      ("processor", .text(processor)), ("cores", .count(cores)), ("kernel", .text(kernel)), ("build", .text(build)),
      ("version", .text(version)),
    ])
  }
}
