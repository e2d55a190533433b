import Glibc
import LinuxSystem
import RunLoops

/// Makes loops and modes while the process has too few descriptors left: an error, and nothing is leaked.
@MainActor
enum NoDescriptorsProgram {
  private static var open: [Int32] = []

  /// Leaves the process this number of descriptors.
  private static func leave(_ count: Int) {
    for number in open { close(number) }
    open = []
    while true {
      let number = dup(0)
      if number < 0 { break }
      open.append(number)
    }
    for number in open.suffix(count) { close(number) }
    open.removeLast(min(count, open.count))
  }

  /// The number of descriptors that are left.
  private static var left: Int {
    var numbers: [Int32] = []
    while true {
      let number = dup(0)
      if number < 0 { break }
      numbers.append(number)
    }
    for number in numbers { close(number) }
    return numbers.count
  }

  /// - Returns: the exit status.
  static func run() -> Int32 {
    var limit = rlimit(rlim_cur: 40, rlim_max: 40)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    for count in 0..<3 {
      leave(count)
      do throws(SystemError) {
        _ = try LoopThread(name: "none")
        return 1
      } catch {
        print(error)
        guard error.errno == EMFILE, left == count else { return 2 }
      }
    }
    leave(3)
    guard let thread = try? LoopThread(name: "one") else { return 3 }
    for count in 0..<2 {
      leave(count)
      do throws(PerformError) {
        try thread.loop.performLater(in: ["new"]) {}
        return 4
      } catch {
        print(error)
        guard case .system(let error) = error, error.errno == EMFILE, left == count else { return 5 }
      }
      let source = FrameLoop.DescriptorSource(descriptor: 0, .onLoop { _, _ in })
      thread.loop.add(source, to: "new")
      guard source.error?.errno == EMFILE, !source.isValid, left == count else { return 6 }
    }
    leave(2)
    guard (try? thread.loop.performLater(in: ["new", .default], {})) != nil else { return 7 }
    thread.stop()
    thread.waitUntilEnded()
    return 0
  }
}
