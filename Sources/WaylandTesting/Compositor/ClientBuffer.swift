import CWaylandServer
import CWaylandTesting
import Glibc
import Raster

/// A client's buffer in shared memory, followed from its first commit to its end.
@MainActor
final class ClientBuffer {
  /// The resource; nil after its end.
  private(set) var resource: Resource?
  /// True from a commit to the release.
  private(set) var isHeld = false
  /// A number made of all pixels, at the time of the commit.
  private var sum: UInt64 = 0
  let width: Int
  let height: Int
  private let onEnd: (ClientBuffer) -> Void

  /// - Parameter onEnd: called when the client has destroyed it, with a buffer that still knows if it is held.
  init?(_ resource: Resource, onEnd: @escaping (ClientBuffer) -> Void) {
    guard let memory = wl_shm_buffer_get(resource) else { return nil }
    (self.resource, self.onEnd) = (resource, onEnd)
    (width, height) = (Int(wl_shm_buffer_get_width(memory)), Int(wl_shm_buffer_get_height(memory)))
    wayland_testing_on_resource_end(
      resource,
      { data in
        guard let data else { return }
        let buffer = Unmanaged<ClientBuffer>.fromOpaque(data)
        MainActor.assumeIsolated { buffer.takeRetainedValue().end() }
      }, Unmanaged.passRetained(self).toOpaque())
  }

  private func end() {
    resource = nil
    onEnd(self)
  }

  func hold() {
    (isHeld, sum) = (true, currentSum())
  }

  /// Gives it back.
  ///
  /// - Returns: false if its pixels changed meanwhile.
  func release() -> Bool {
    guard isHeld else { return true }
    isHeld = false
    guard let resource else { return true }
    let isSame = currentSum() == sum
    // Its only event.
    wl_resource_post_event_array(resource, 0, nil)
    return isSame
  }

  /// Gives the rows of pixels, each of four bytes in the order blue, green, red, alpha.
  func withRows<Result>(_ body: ((Int) -> UnsafeRawPointer) -> Result) -> Result? {
    guard let memory = resource.flatMap({ wl_shm_buffer_get($0) }) else { return nil }
    wl_shm_buffer_begin_access(memory)
    defer { wl_shm_buffer_end_access(memory) }
    guard let base = wl_shm_buffer_get_data(memory) else { return nil }
    let stride = Int(wl_shm_buffer_get_stride(memory))
    return body { UnsafeRawPointer(base + $0 * stride) }
  }

  /// FNV-1a by words: https://datatracker.ietf.org/doc/draft-eastlake-fnv/
  private func currentSum() -> UInt64 {
    withRows { row in
      var sum: UInt64 = 0xcbf2_9ce4_8422_2325
      for y in 0..<height {
        let pixels = row(y).assumingMemoryBound(to: UInt32.self)
        for x in 0..<width { sum = (sum ^ UInt64(pixels[x])) &* 0x100_0000_01b3 }
      }
      return sum
    } ?? 0
  }
}

extension Bitmap {
  /// Copies a part of a buffer of the same size.
  ///
  /// - Parameters:
  ///   - rect: the part, which may go beyond the edges.
  @MainActor
  func copy(_ buffer: ClientBuffer, minX: Int, minY: Int, maxX: Int, maxY: Int) {
    let (left, right) = (max(minX, 0), min(maxX, width))
    guard left < right else { return }
    _ = buffer.withRows { source in
      for y in max(minY, 0)..<max(min(maxY, height), max(minY, 0)) {
        memcpy(row(y) + 4 * left, source(y) + 4 * left, 4 * (right - left))
      }
    }
  }

  /// The first pixel at which a buffer of the same size differs; nil if none does.
  @MainActor
  func firstDifference(from buffer: ClientBuffer) -> (x: Int, y: Int)? {
    buffer.withRows { source -> (x: Int, y: Int)? in
      for y in 0..<height where memcmp(row(y), source(y), 4 * width) != 0 {
        let (ours, theirs) = (row(y).assumingMemoryBound(to: UInt32.self), source(y).assumingMemoryBound(to: UInt32.self))
        return ((0..<width).first { ours[$0] != theirs[$0] } ?? 0, y)
      }
      return nil
    } ?? nil
  }
}
