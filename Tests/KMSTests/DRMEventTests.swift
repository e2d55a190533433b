import CDRM
import LinuxSystem
import Testing

@testable import KMS

/// The bytes of a value, such as an event, as the kernel writes them.
func bytes<Value: BitwiseCopyable>(_ value: Value) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }

func sequenceEvent(token: UInt64, time: Int64, sequence: UInt64) -> [UInt8] {
  let base = drm_event(type: UInt32(DRM_EVENT_CRTC_SEQUENCE), length: 32)
  return bytes(drm_event_crtc_sequence(base: base, user_data: token, time_ns: time, sequence: sequence))
}

func flipEvent(
  token: UInt64, seconds: UInt32, microseconds: UInt32, sequence: UInt32, type: Int32 = DRM_EVENT_FLIP_COMPLETE
) -> [UInt8] {
  let base = drm_event(type: UInt32(type), length: 32)
  return bytes(
    drm_event_vblank(
      base: base, user_data: token, tv_sec: seconds, tv_usec: microseconds, sequence: sequence, crtc_id: 35))
}

@Suite struct DRMEventTests {
  private func parse(_ bytes: [UInt8]) -> [DRMEvent] {
    bytes.withUnsafeBytes { buffer in
      var parser = DRMEventParser(buffer)
      var events: [DRMEvent] = []
      while let event = parser.next() { events.append(event) }
      return events
    }
  }

  @Test func eventsInOneRead() {
    let unknown = bytes(drm_event(type: 0x8000_0001, length: 16)) + [UInt8](repeating: 9, count: 8)
    let read =
      sequenceEvent(token: .max, time: 5_000_000_001, sequence: 1 << 40) + unknown
      + flipEvent(token: 7, seconds: 4_000_000_000, microseconds: 999_999, sequence: .max)
      + flipEvent(token: 8, seconds: 1, microseconds: 2, sequence: 3, type: DRM_EVENT_VBLANK)
    #expect(
      parse(read) == [
        .sequence(token: .max, time: MonotonicTime(nanoseconds: 5_000_000_001), sequence: 1 << 40),
        .other(type: 0x8000_0001),
        .flip(token: 7, time: MonotonicTime(nanoseconds: 4_000_000_000_999_999_000), sequence: .max),
        .vblank(token: 8, time: MonotonicTime(nanoseconds: 1_000_002_000), sequence: 3),
      ])
  }

  /// Truncated bytes: whole events in front are found, and nothing is read beyond the end.
  @Test func truncation() {
    let whole =
      sequenceEvent(token: 1, time: 10, sequence: 2) + flipEvent(token: 3, seconds: 1, microseconds: 2, sequence: 4)
      + sequenceEvent(token: 5, time: 20, sequence: 6)
    let all = parse(whole)
    #expect(all.count == 3)
    for count in 0...whole.count { #expect(parse(Array(whole[..<count])) == Array(all[..<(count / 32)])) }
  }

  @Test func wrongLengthsEndTheWalk() {
    for length: UInt32 in [0, 1, 7, 8, 31, 33, 4096, .max] {
      for type in [DRM_EVENT_CRTC_SEQUENCE, DRM_EVENT_FLIP_COMPLETE, DRM_EVENT_VBLANK] {
        var read = sequenceEvent(token: 1, time: 2, sequence: 3)
        read.replaceSubrange(0..<8, with: bytes(drm_event(type: UInt32(type), length: length)))
        #expect(parse(read) == [], "length \(length)")
      }
    }
  }

  @Test func noiseNeitherTrapsNorRunsForEver() {
    for seed: UInt64 in 1...2000 {
      var random = SplitMix64(seed: seed)
      // Types and lengths are small numbers: make them likely.
      let noise = (0..<97).map { index -> UInt8 in
        index % 4 == 0 ? .random(in: 0..<32, using: &random) : random.chance(0.25) ? .random(in: 0...255, using: &random) : 0
      }
      #expect(parse(noise).count <= noise.count / 8, "seed \(seed)")
    }
  }

  @Test(arguments: [
    (0 as UInt32, 0 as UInt64, 0 as UInt64), (5, 3, 5), (3, 5, 3), (0, 0xFFFF_FFFF, 0x1_0000_0000),
    (0xFFFF_FFFF, 0x1_0000_0000, 0xFFFF_FFFF), (7, 0x5_0000_0002, 0x5_0000_0007), (0xFFFF_FFF0, 4, 0xFFFF_FFF0),
    (1, .max, 1),
  ])
  func wideSequence(low: UInt32, reference: UInt64, expected: UInt64) {
    #expect(UInt64(widening: low, near: reference) == expected)
  }
}
