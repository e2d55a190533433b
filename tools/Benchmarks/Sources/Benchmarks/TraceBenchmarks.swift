import FrameTiming
import Glibc
import LinuxSystem
import Metering

/// Measures what a trace costs a frame, and its writing at the end.
@MainActor
enum TraceBenchmarks {
  static let all = Benchmark(name: "trace") {
    guard let rate = RefreshRate(hertz: 60) else { throw BenchmarkError("60 Hz is a refresh rate") }
    var timeline = FrameTimeline(capacity: 10_000)
    var number: UInt64 = 0
    func add() {
      number += 1
      Self.add(number, to: &timeline, rate: rate)
    }
    for _ in 0..<10_000 { add() }
    let trace = FrameTrace(title: "benchmark", facts: [], timeline: timeline, interval: rate.interval)
    var bytes: [UInt8] = []
    try trace.write { (piece) throws(SystemError) in bytes += piece }
    let megabytes = (bytes.count + 500_000) / 1_000_000
    return [
      Harness.time("a frame, its tick and four activities kept", repeats: 100_000) { add() },
      Harness.allocations("allocations in that", frames: 10_000) { add() },
      // The peer writes the finished bytes.
      try Harness.compare("10,000 frames written, \(megabytes) MB") {
        try toFile { write in try trace.write { (piece) throws(SystemError) in write(piece) } }
      } peer: {
        try toFile { write in bytes.withUnsafeBytes { write($0) } }
      },
    ]
  }

  nonisolated private static func add(_ number: UInt64, to timeline: inout FrameTimeline, rate: RefreshRate) {
    let stamp = MonotonicTime.zero + rate.offset(ofInterval: Int64(number))
    timeline.add(
      DisplayLink.Tick(
        timestamp: stamp, targetTimestamp: stamp + rate.interval, duration: rate.interval, frameNumber: number,
        delivered: stamp + .microseconds(90), missed: 0))
    var record = FrameRecord()
    record.frameNumber = number
    (record.tickTimestamp, record.start, record.delivered) = (stamp, stamp, stamp + .microseconds(90))
    record.promised = stamp + rate.interval
    record.target = stamp + rate.interval
    record.animationTime = record.target
    record.submitted = stamp + .milliseconds(5)
    record.presented = number % 53 == 0 ? record.target + rate.interval : record.target
    for phase in FrameRecord.Phase.allCases { record.phases[phase] = .microseconds(Int64(100 + number % 700)) }
    record.paintedPixels = 100_000
    var frame = LoggedFrame(record: record, outcome: .presented)
    frame.causes = record.causes(interval: rate.interval)
    timeline.add(frame)
    for (index, activity) in [FrameTimeline.LoopActivity.wakes, .sleeps, .wakes, .sleeps].enumerated() {
      timeline.add(activity, at: stamp + .milliseconds(Int64(index)))
    }
  }

  /// Writes a file as the command does: it is on the disk afterwards.
  private static func toFile(_ body: ((UnsafeRawBufferPointer) -> Void) throws -> Void) throws {
    let path = "/tmp/framepace-trace-\(getpid())"
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw BenchmarkError("cannot write to \(path)") }
    defer {
      close(file)
      unlink(path)
    }
    try body { piece in
      var rest = piece
      while !rest.isEmpty {
        let count = Glibc.write(file, rest.baseAddress, rest.count)
        guard count > 0 else { return }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      }
    }
    guard fsync(file) == 0 else { throw BenchmarkError("cannot write to \(path)") }
  }
}
