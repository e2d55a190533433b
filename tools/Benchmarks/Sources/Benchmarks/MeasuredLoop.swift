import CPeers

/// A loop that can be measured. Each function repeats its operation inside, so that calls through this protocol do not
/// count. A loop belongs to the thread that made it; `signal` and `wakeUp` may be called from any thread.
protocol MeasuredLoop: AnyObject {
  /// Runs until the loop's source is signalled, and calls `body` in the source's callback.
  func serve(_ body: () -> Void)
  /// Signals the source, with the library's function for any thread.
  func signal()
  /// Wakes the loop `repeats` times.
  func wakeUp(repeats: Int)
  /// Runs while the source's callback signals the source again, `repeats` times.
  func signalAndPass(repeats: Int)
  /// Looks for something to do, `repeats` times.
  func poll(repeats: Int)
  /// Queues `count` blocks and runs them.
  ///
  /// - Returns: false if the loop has no blocks.
  func runBlocks(_ count: Int) -> Bool

  /// Adds `count` callbacks that are called once in every pass.
  func addObservers(_ count: Int)

  /// Makes timers without adding them. Times are nanoseconds on CLOCK_MONOTONIC.
  func makeTimers(at times: [Int64])
  func addTimers()
  func moveTimers(_ which: ArraySlice<Int32>, to times: ArraySlice<Int64>)
  /// Adds a repeating timer and runs for `count` ticks of it.
  ///
  /// - Returns: the lateness of each tick.
  func tick(every interval: Int64, count: Int) -> [Int64]
}

/// The columns of the loop's table.
enum LoopKind: Int, CaseIterable {
  case framepace, raw, coreFoundation, libuv, glib

  static let peers = Array(allCases.dropFirst())
  /// The index of a peer's column.
  var column: Int { rawValue - 1 }

  var title: String {
    switch self {
    case .framepace: "framepace"
    case .raw: "raw"
    case .coreFoundation: "CF"
    case .libuv: "libuv"
    case .glib: "GLib"
    }
  }

  /// Makes a loop on the calling thread.
  func make() throws -> any MeasuredLoop {
    switch self {
    case .framepace: FramepaceLoop()
    case .raw: try CLoop(peer_raw_loop)
    case .coreFoundation: CoreFoundationLoop()
    case .libuv: try CLoop(peer_uv_loop)
    case .glib: try CLoop(peer_glib_loop)
    }
  }
}

/// A loop written in C.
final class CLoop: MeasuredLoop {
  private let functions: PeerLoop
  private let loop: UnsafeMutableRawPointer

  init(_ functions: PeerLoop) throws {
    guard let loop = functions.make() else { throw BenchmarkError("\(String(cString: functions.name)) makes no loop") }
    self.functions = functions
    self.loop = loop
  }

  deinit {
    functions.destroy(loop)
  }

  func serve(_ body: () -> Void) {
    withoutActuallyEscaping(body) { body in
      var body = body
      withUnsafeMutablePointer(to: &body) { body in
        functions.serve(loop, { $0?.assumingMemoryBound(to: (() -> Void).self).pointee() }, body)
      }
    }
  }

  func signal() { functions.signal(loop) }
  func wakeUp(repeats: Int) { functions.wake_up(loop, Int32(repeats)) }
  func signalAndPass(repeats: Int) { functions.signal_and_pass(loop, Int32(repeats)) }
  func poll(repeats: Int) { functions.poll(loop, Int32(repeats)) }

  func runBlocks(_ count: Int) -> Bool {
    functions.run_blocks?(loop, Int32(count))
    return functions.run_blocks != nil
  }

  func addObservers(_ count: Int) { functions.add_observers(loop, Int32(count)) }
  func makeTimers(at times: [Int64]) { functions.make_timers(loop, times, Int32(times.count)) }
  func addTimers() { functions.add_timers(loop) }

  func moveTimers(_ which: ArraySlice<Int32>, to times: ArraySlice<Int64>) {
    which.withUnsafeBufferPointer { which in
      times.withUnsafeBufferPointer { times in
        guard let first = which.baseAddress, let time = times.baseAddress else { return }
        functions.move_timers(loop, first, time, Int32(which.count))
      }
    }
  }

  func tick(every interval: Int64, count: Int) -> [Int64] {
    var lateness = [Int64](repeating: 0, count: count)
    functions.tick(loop, interval, Int32(count), &lateness)
    return lateness
  }
}
