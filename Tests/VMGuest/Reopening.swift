import CDRM
import Geometry
import Glibc
import KMS
import LinuxSystem
import Presentation
import RenderTree
import RunLoops

/// Opens a card, shows frames and closes it, many times, and changes the mode on one as often: nothing is left of it, in the
/// kernel or here.
@MainActor
func reopen(_ count: Int) throws {
  Guest.shell("grep -q debugfs /proc/mounts || mount -t debugfs debugfs /sys/kernel/debug")
  guard let path = try? DRMDevice.cardPaths().first else { return Guest.expect(false, "no card") }
  let modes = ["160x120", "640x480@59.94"]
  // Objects that are made once and kept.
  for mode in modes { showOnce(openDisplay(mode: mode)) }
  let observer = try DRMDevice(path: path)
  try observer.dropMaster()
  var before = try Leftovers(on: observer)
  for _ in 0..<count { showOnce(openDisplay(mode: modes[0])) }
  var after = try Leftovers(on: observer)
  Guest.expect(after == before, "after \(count) times of opening and closing \(after), before \(before)")
  Guest.say("opened and closed \(count) times: \(after)")

  let card = try DRMDevice(path: path)
  before = try Leftovers(on: card)
  for index in 0..<count {
    guard let mode = modeRequest(modes[index % modes.count]) else { return Guest.expect(false, "no mode") }
    showOnce(try KMSCard(device: card).display(mode: mode))
  }
  after = try Leftovers(on: card)
  Guest.expect(after == before, "after \(count) changes of the mode \(after), before \(before)")
  Guest.say("changed the mode \(count) times: \(after)")
}

/// A frame that sets the mode, and one that is flipped to, under a cursor. What they show is of no interest.
@MainActor
private func showOnce(_ display: KMSDisplay) {
  var shown = 0
  attempt { display.cursor = Cursor(image: try pointer()) }
  display.presenter.onEvent = { event in
    guard case .presented = event else { return }
    shown += 1
    FrameLoop.main.stop()
  }
  display.add(to: .main, mode: .default)
  for frame in 1...2 {
    guard let buffer = display.presenter.acquireBuffer() else { return Guest.expect(false, "no buffer is free") }
    do {
      try display.presenter.present(
        buffer, damage: DamageRegion(IntRect(x: 0, y: 0, width: 16, height: 16)), target: nil)
    } catch { return Guest.expect(false, "\(error)") }
    FrameLoop.main.run(mode: .default, until: FrameLoop.main.clock.now + .seconds(1))
    Guest.expect(shown == frame, "frame \(frame) was not shown on \(display.name)")
  }
  display.invalidate()
}

/// Objects that a display could leak, found by the lowest free numbers: the kernel gives those out first.
private struct Leftovers: Equatable {
  /// The lowest free number of framebuffers, blobs and all other objects of a card.
  let object: UInt32
  /// The lowest free number of a client's buffers.
  let handle: UInt32
  /// The kernel's count.
  let framebuffers: Int
  /// The program's descriptors, and its mappings of cards.
  let descriptors: Int
  let mappings: Int

  @MainActor
  init(on device: DRMDevice) throws {
    let interface = device.interface
    object = try withUnsafeBytes(of: 0) { try interface.createBlob($0) }
    try interface.destroyBlob(object)
    handle = try interface.createDumbBuffer(width: 16, height: 16).handle
    try interface.destroyDumbBuffer(handle)
    func lines(_ path: String, with text: String) throws -> Int {
      let bytes = try OwnedDescriptor.contents(of: path, limit: 1 << 20)
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter { $0.contains(text) }.count
    }
    framebuffers = try lines("/sys/kernel/debug/dri/0/framebuffer", with: "framebuffer[")
    mappings = try lines("/proc/self/maps", with: "/dev/dri/")
    descriptors = (0..<1024).filter { fcntl($0, F_GETFD) >= 0 }.count
  }
}
