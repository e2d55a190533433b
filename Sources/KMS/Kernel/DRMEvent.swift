import CDRM
import LinuxSystem

/// One event that the kernel put into a DRM descriptor.
enum DRMEvent: Equatable, Sendable {
  /// A requested vblank: stamp in nanoseconds, 64-bit sequence.
  case sequence(token: UInt64, time: MonotonicTime, sequence: UInt64)
  /// A flip is complete: stamp in microseconds, the sequence's low 32 bits. Drivers without vblank send sequence 0.
  case flip(token: UInt64, time: MonotonicTime, sequence: UInt32)
  /// A vblank that was requested by the older call, stamped like a flip.
  case vblank(token: UInt64, time: MonotonicTime, sequence: UInt32)
  /// A kind that is never requested here.
  case other(type: UInt32)
}

/// Walks over the events in the bytes of one `read`. Ends at the first event that is cut off or too short for its type.
struct DRMEventParser: IteratorProtocol {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  mutating func next() -> DRMEvent? {
    guard bytes.count - offset >= MemoryLayout<drm_event>.size else { return nil }
    let header = bytes.loadUnaligned(fromByteOffset: offset, as: drm_event.self)
    let length = Int(header.length)
    // A length below the header's would loop for ever.
    guard length >= MemoryLayout<drm_event>.size, length <= bytes.count - offset else { return nil }
    defer { offset += length }
    switch Int32(bitPattern: header.type) {
    case DRM_EVENT_CRTC_SEQUENCE:
      guard length >= MemoryLayout<drm_event_crtc_sequence>.size else { return nil }
      let event = bytes.loadUnaligned(fromByteOffset: offset, as: drm_event_crtc_sequence.self)
      return .sequence(
        token: event.user_data, time: MonotonicTime(nanoseconds: event.time_ns), sequence: event.sequence)
    case let type where type == DRM_EVENT_FLIP_COMPLETE || type == DRM_EVENT_VBLANK:
      guard length >= MemoryLayout<drm_event_vblank>.size else { return nil }
      let event = bytes.loadUnaligned(fromByteOffset: offset, as: drm_event_vblank.self)
      let time = MonotonicTime(nanoseconds: Int64(event.tv_sec) * 1_000_000_000 + Int64(event.tv_usec) * 1_000)
      return type == DRM_EVENT_VBLANK
        ? .vblank(token: event.user_data, time: time, sequence: event.sequence)
        : .flip(token: event.user_data, time: time, sequence: event.sequence)
    default:
      return .other(type: header.type)
    }
  }
}
