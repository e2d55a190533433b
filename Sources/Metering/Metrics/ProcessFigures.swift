import Glibc
public import LinuxSystem

/// The memory, descriptors, threads and processor time of this process, by the kernel's account.
public struct ProcessFigures: Equatable, Sendable {
  /// Physical memory that is mapped, in bytes: what `ps` calls RSS.
  public var residentMemory: Int
  /// Open file descriptors, without the one that counts them.
  public var descriptors: Int
  /// How many descriptors the process may have open.
  public var descriptorLimit: Int
  public var threads: Int
  /// The processor time of all its threads, in the program and in the kernel.
  public var processorTime: Nanoseconds

  /// Reads them from /proc, in a few tenths of a millisecond. From any thread.
  ///
  /// - Throws: if /proc is not mounted, or no descriptor is left.
  public static func read() throws(SystemError) -> ProcessFigures {
    let status = String(decoding: try OwnedDescriptor.contents(of: statusPath, limit: 1 << 16), as: UTF8.self)
    func value(_ name: String) -> Int? {
      let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") }
      return line?.split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Int($0) }
    }
    guard let kibibytes = value("VmRSS"), let threads = value("Threads") else {
      throw SystemError(call: "read", subject: statusPath, errno: ENODATA)
    }
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    return ProcessFigures(
      residentMemory: kibibytes << 10,
      descriptors: try OwnedDescriptor.names(in: "/proc/self/fd").count - 1,
      descriptorLimit: Int(clamping: limit.rlim_cur), threads: threads,
      processorTime: Nanoseconds(usage.ru_utime) + Nanoseconds(usage.ru_stime))
  }

  private static let statusPath = "/proc/self/status"
}

extension Nanoseconds {
  fileprivate init(_ time: timeval) {
    self = .seconds(Double(time.tv_sec)) + .microseconds(Int64(time.tv_usec))
  }
}

extension MetricsPage {
  /// Adds the figures of the process under the names that all client libraries of Prometheus use.
  public mutating func add(_ process: ProcessFigures) {
    add(
      .gauge, "process_resident_memory_bytes", help: "Resident memory size in bytes.",
      [Sample(Double(process.residentMemory))])
    add(.gauge, "process_open_fds", help: "Number of open file descriptors.", [Sample(Double(process.descriptors))])
    add(
      .gauge, "process_max_fds", help: "Maximum number of open file descriptors.",
      [Sample(Double(process.descriptorLimit))])
    add(.gauge, "process_threads", help: "Number of threads.", [Sample(Double(process.threads))])
    add(
      .counter, "process_cpu_seconds_total", help: "Total user and system CPU time spent in seconds.",
      [Sample(process.processorTime.seconds)])
  }
}
