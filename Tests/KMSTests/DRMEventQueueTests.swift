import AllocationCounter
import CDRM
import Glibc
import LinuxSystem
import RunLoops
import XCTest

@testable import KMS

/// The queue on a pipe, which is read like a card: what was written is there at once. XCTest, because a loop of the main
/// thread must run on it.
final class DRMEventQueueTests: XCTestCase {
  @MainActor
  private final class Stage {
    let loop = FrameLoop(clock: .manual(ManualClock()))
    let queue: DRMEventQueue
    private(set) var seen: [String] = []
    private let reader: Int32
    private let writer: Int32

    init() throws {
      var ends: [Int32] = [0, 0]
      XCTAssertEqual(pipe(&ends), 0)
      (reader, writer) = (ends[0], ends[1])
      queue = DRMEventQueue(descriptor: reader, path: "a pipe")
      queue.onFlip = { [unowned self] token, _, _ in seen.append("flip \(token)") }
      queue.onSequence = { [unowned self] token, _, _ in seen.append("vblank \(token)") }
      queue.onError = { [unowned self] error in seen.append("\(error)") }
      queue.add(.flips, to: loop, mode: .default)
    }

    func write(_ events: [DRMEventBytes]) {
      let bytes = events.flatMap(\.bytes)
      XCTAssertEqual(Glibc.write(writer, bytes, bytes.count), bytes.count)
    }

    /// One pass: a ready descriptor is served once.
    func turn() { loop.run(mode: .default, until: loop.clock.now) }

    func close() {
      queue.invalidate()
      Glibc.close(reader)
      Glibc.close(writer)
    }
  }

  private func onMain(_ body: @MainActor (Stage) throws -> Void) throws {
    try MainActor.assumeIsolated {
      let stage = try Stage()
      try body(stage)
      stage.close()
    }
  }

  func testFlipsOfOneReadGoFirst() throws {
    try onMain { stage in
      stage.write([.vblank(token: 1), .flip(token: 2), .vblank(token: 3)])
      stage.turn()
      XCTAssertEqual(stage.seen, ["flip 2", "vblank 1", "vblank 3"])
    }
  }

  /// More than a read takes comes with the next ones, each event once.
  func testABurstIsServedInSeveralReads() throws {
    try onMain { stage in
      stage.write((1...100).map { .vblank(token: $0) })
      for _ in 1...4 { stage.turn() }
      XCTAssertEqual(stage.seen, (1...100).map { "vblank \($0)" })
    }
  }

  /// A handler that runs the loop is served in it, and the events behind its own are not lost.
  func testAHandlerMayRunTheLoop() throws {
    try onMain { stage in
      let queue = stage.queue
      let inner = queue.onFlip
      queue.onFlip = { token, time, sequence in
        inner?(token, time, sequence)
        guard token == 1 else { return }
        stage.write([.flip(token: 8), .vblank(token: 9)])
        stage.turn()
      }
      stage.write([.flip(token: 1), .flip(token: 2), .vblank(token: 3)])
      stage.turn()
      XCTAssertEqual(stage.seen, ["flip 1", "flip 8", "vblank 9", "flip 2", "vblank 3"])
    }
  }

  /// (A debug build allocates a few bytes for closures; no buffer.)
  func testNoBufferIsAllocatedForARead() throws {
    try XCTSkipUnless(allocation_counter_is_available(), "a sanitizer's allocator is in place")
    try onMain { stage in
      var events = 0
      stage.queue.onFlip = { _, _, _ in events += 1 }
      stage.queue.onSequence = { _, _, _ in events += 1 }
      var largest: UInt64 = 0
      for round in 0..<20 {
        stage.write([.vblank(token: 1), .flip(token: 2)])
        allocation_counter_begin()
        stage.turn()
        let counts = allocation_counter_end()
        // The first rounds are the loop's own beginning.
        if round >= 10 { largest = max(largest, counts.bytes) }
      }
      XCTAssertEqual(events, 40)
      XCTAssertLessThan(largest, 512)
    }
  }

  func testADescriptorThatCannotBeReadIsReportedOnceAndNotWaitedOn() throws {
    try onMain { stage in
      // A pipe's writing end without a reader: in error for ever.
      var ends: [Int32] = [0, 0]
      XCTAssertEqual(pipe(&ends), 0)
      close(ends[0])
      let queue = DRMEventQueue(descriptor: ends[1], path: "half a pipe")
      var errors: [String] = []
      queue.onError = { errors.append("\($0)") }
      queue.add(.vblanks, to: stage.loop, mode: "other")
      for _ in 1...3 { stage.loop.run(mode: "other", until: stage.loop.clock.now) }
      XCTAssertEqual(errors, ["read half a pipe: Bad file descriptor (9)"])
      XCTAssertEqual(stage.loop.run(mode: "other"), .finished)
      close(ends[1])
    }
  }
}

/// An event as the kernel writes it.
private struct DRMEventBytes {
  let bytes: [UInt8]

  static func vblank(token: UInt64) -> DRMEventBytes {
    let base = drm_event(type: UInt32(DRM_EVENT_CRTC_SEQUENCE), length: 32)
    return DRMEventBytes(drm_event_crtc_sequence(base: base, user_data: token, time_ns: 1, sequence: 1))
  }

  static func flip(token: UInt64) -> DRMEventBytes {
    let base = drm_event(type: UInt32(DRM_EVENT_FLIP_COMPLETE), length: 32)
    return DRMEventBytes(
      drm_event_vblank(base: base, user_data: token, tv_sec: 0, tv_usec: 0, sequence: 1, crtc_id: 1))
  }

  private init<Value: BitwiseCopyable>(_ value: Value) {
    bytes = withUnsafeBytes(of: value) { Array($0) }
  }
}
