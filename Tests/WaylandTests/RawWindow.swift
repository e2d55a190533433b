import CWaylandTesting
import Glibc
import LinuxSystem
import WaylandTesting

/// A window of a raw client, which does nothing by itself but acknowledge and answer pings.
@MainActor
final class RawWindow {
  let client: RawClient
  let surface: RawObject
  let shellSurface: RawObject
  let toplevel: RawObject
  private let shell: RawObject
  private let memory: RawObject
  private let presentation: RawObject?
  /// The size that was asked for last, in points.
  private(set) var size = (width: 0, height: 0)
  private(set) var states: [UInt32] = []
  /// The serials that came.
  private(set) var serials: [UInt32] = []
  /// False to leave acknowledging to the test.
  var acknowledges = true
  private(set) var doneCallbacks = 0
  /// The answers of feedback, a line for each: the commit with the nanoseconds and the refresh, or that it was discarded.
  private(set) var feedback: [String] = []
  private(set) var clockNumber: UInt32?

  init(_ client: RawClient) throws {
    guard let compositor = client.bind("wl_compositor", version: 5), let shell = client.bind("xdg_wm_base", version: 6),
      let memory = client.bind("wl_shm", version: 1), let surface = compositor.send("create_surface", .new),
      let shellSurface = shell.send("get_xdg_surface", .new, .object(surface)),
      let toplevel = shellSurface.send("get_toplevel", .new)
    else { throw SystemError(call: "bind", errno: EPROTO) }
    (self.client, self.surface, self.shellSurface, self.toplevel, self.shell) = (
      client, surface, shellSurface, toplevel, shell
    )
    (self.memory, presentation) = (memory, client.bind("wp_presentation", version: 2))
    shell.onEvent = { if $0.name == "ping" { shell.send("pong", .uint($0.uint(0))) } }
    toplevel.onEvent = { [unowned self] event in
      if event.name == "configure" { (size, states) = ((event.int(0), event.int(1)), event.array(2)) }
    }
    shellSurface.onEvent = { [unowned self] event in
      serials.append(event.uint(0))
      if acknowledges { acknowledge() }
    }
    presentation?.onEvent = { [unowned self] in clockNumber = $0.uint(0) }
  }

  func acknowledge() {
    if let serial = serials.last { shellSurface.send("ack_configure", .uint(serial)) }
  }

  /// Commits without a buffer, and waits for the answer.
  func begin() {
    surface.send("commit")
    client.run(for: .milliseconds(1))
  }

  func makeBuffer(_ width: Int, _ height: Int) throws -> RawBuffer { try RawBuffer(memory, width, height) }

  /// Commits a buffer with damage, a callback and feedback.
  func commit(_ buffer: RawBuffer, damage: [(Int, Int, Int, Int)] = [(0, 0, 1 << 20, 1 << 20)]) {
    surface.send("attach", .object(buffer.object), .int(0), .int(0))
    for (x, y, width, height) in damage {
      surface.send("damage_buffer", .int(x), .int(y), .int(width), .int(height))
    }
    requestAnswers()
    surface.send("commit")
  }

  func requestAnswers() {
    surface.send("frame", .new)?.onEvent = { [unowned self] _ in doneCallbacks += 1 }
    requests += 1
    let number = requests
    presentation?.send("feedback", .object(surface), .new)?.onEvent = { [unowned self] event in
      switch event.name {
      case "presented":
        let time = Int64(event.uint(1)) * 1_000_000_000 + Int64(event.uint(2))
        feedback.append("\(number) at \(time), refresh \(event.uint(3)), vblank \(event.uint(5))")
      case "discarded": feedback.append("\(number) discarded")
      default: break
      }
    }
  }

  private var requests = 0
}

/// A buffer of a raw client, with a pool of its own.
@MainActor
final class RawBuffer {
  let object: RawObject
  let width: Int
  let height: Int
  let pixels: UnsafeMutableBufferPointer<UInt32>
  private(set) var releases = 0

  init(_ memory: RawObject, _ width: Int, _ height: Int) throws {
    (self.width, self.height) = (width, height)
    let zeros = [CChar](repeating: 0, count: 4 * width * height)
    let file = wayland_testing_file(zeros, zeros.count)
    defer { close(file) }
    guard let base = mmap(nil, zeros.count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), base != MAP_FAILED,
      let pool = memory.send("create_pool", .new, .descriptor(file), .int(zeros.count)),
      let buffer = pool.send("create_buffer", .new, .int(0), .int(width), .int(height), .int(4 * width), .uint(0))
    else { throw SystemError(call: "mmap", errno: ENOMEM) }
    pool.send("destroy")
    object = buffer
    pixels = UnsafeMutableBufferPointer(start: base.assumingMemoryBound(to: UInt32.self), count: width * height)
    object.onEvent = { [weak self] _ in self?.releases += 1 }
  }

  isolated deinit { munmap(pixels.baseAddress, 4 * pixels.count) }

  func fill(_ color: UInt32) {
    for index in pixels.indices { pixels[index] = color }
  }
}
