import CDRM
import FrameTiming
import Glibc
import KMS
import LinuxSystem
import Presentation
import Raster
import RunLoops

/// Opens the first screen, or ends the test.
///
/// - Parameters:
///   - old: as on a kernel before 4.15, which has the older calls for vblanks only.
///   - mode: as the command takes it: "640x480@60".
@MainActor
func openDisplay(
  on device: DRMDevice? = nil, legacy: Bool = false, old: Bool = false, mode: String? = nil
) -> KMSDisplay {
  do {
    if let device { return try KMSCard(device: device).display() }
    guard let path = try DRMDevice.cardPaths().first else { throw KMSError.noDevice }
    let card = try DRMDevice(LibDRM(path: path, knowsSequences: !old), allowsAtomic: !legacy)
    return try KMSCard(device: card).display(mode: mode.flatMap(modeRequest))
  } catch {
    Guest.expect(false, "cannot open a display: \(error)")
    Guest.finish()
  }
}

func modeRequest(_ text: String) -> ModeRequest? {
  let parts = text.split { "x@".contains($0) }
  guard parts.count >= 2, let width = Int(parts[0]), let height = Int(parts[1]) else { return nil }
  return ModeRequest(
    width: width, height: height, rate: parts.count > 2 ? Double(parts[2]).flatMap(RefreshRate.init(hertz:)) : nil)
}

/// Every one of so many vblanks ticks, on the mode's grid; and none comes while nobody asks.
@MainActor
func vblanks(_ count: Int, old: Bool, mode: String?) {
  let display = openDisplay(old: old, mode: mode)
  if old { Guest.say(display.reason) }
  Guest.expect(display.hasVBlankEvents, "\(display.name) has no vblank events")
  Animation.show(1, on: display)

  var ticks: [DisplayLink.Tick] = []
  let link = DisplayLink(ticker: display.ticker) { link in
    if let tick = link.tick { ticks.append(tick) }
    if ticks.count == count { FrameLoop.main.stop() }
  }
  link.add(to: .main, mode: .default)
  FrameLoop.main.run(mode: .default, until: FrameLoop.main.clock.now + .seconds(Double(count) / 20 + 2))
  link.isPaused = true

  let missed = ticks.reduce(0) { $0 + $1.missed }
  Guest.expect(ticks.count == count, "\(ticks.count) ticks of \(count)")
  if let first = ticks.first, let last = ticks.last {
    let rate = display.ticker.refreshRate
    let intervals = Int64(last.frameNumber - first.frameNumber)
    let deviation = (last.timestamp - first.timestamp - rate.offset(ofInterval: intervals)).microseconds
    let lateness = ticks.map { ($0.delivered - $0.timestamp).microseconds }.sorted()
    Guest.say(
      "\(ticks.count) ticks, \(intervals) intervals, missed \(missed), \(rate) off by \(deviation) us in all; "
        + "lateness us: median \(lateness[lateness.count / 2]), max \(lateness[lateness.count - 1])")
    // A nanosecond and a bit an interval is the rounding of the kernel's own interval.
    Guest.expect(abs(deviation) <= Double(intervals) * 0.002 + 1, "the stamps are off the mode's grid")
    if getenv("exact") != nil { Guest.expect(missed == 0 && Int(intervals) == count - 1, "\(missed) missed") }
  }

  // A vblank that was requested before the pause may still come.
  FrameLoop.main.run(mode: .default, until: FrameLoop.main.clock.now + .milliseconds(50))
  let idle = FrameLoop.main.run(
    mode: .default, until: FrameLoop.main.clock.now + .seconds(1), returnAfterSourceHandled: true)
  Guest.expect(idle == .timedOut, "something woke the loop while nobody wanted frames")
  display.invalidate()
}

/// The picture is turned every way. vkms has planes that do it in Linux 6.12, and not in 6.1.
@MainActor
func rotations() throws {
  let display = openDisplay(legacy: false)
  for rotation in [DisplayRotation.right, .half, .left, .none] {
    display.rotation = rotation
    let animation = Animation(display, frames: 3)
    animation.run(limit: .seconds(5))
    Guest.expect(animation.feedback.count == 3, "\(animation.feedback.count) frames of 3 were shown")
    Guest.say("turned by \(rotation.rawValue), by the \(display.geometry.rotatedBy)")
    // vkms of Linux 6.12 writes rows back upside down where a plane reads them from below.
    if rotation == .half || rotation == .left { continue }
    let panel = try display.capture()
    let bitmap = try Bitmap(width: panel.width, height: panel.height)
    for y in 0..<panel.height { memcpy(bitmap.row(y), panel.row(y), panel.width * 4) }
    compareWriteback(display, with: bitmap)
  }
  display.invalidate()
}

/// Shows frames with partial damage; flips and ticks are one to one, and the scanned out memory is what was painted.
///
/// - Parameter dump: a name for the host, which gets what was composited and what the screen shows.
@MainActor
func frames(_ count: Int, legacy: Bool, old: Bool, dump: String?) {
  let started = SystemClock.monotonic.now
  let display = openDisplay(legacy: legacy, old: old)
  let animation = Animation(display, frames: count)
  animation.run(limit: .seconds(Double(count) / 10 + 5))
  Guest.expect(animation.error == nil, "\(animation.error.map { "\($0)" } ?? "")")
  Guest.expect(animation.feedback.count == count, "\(animation.feedback.count) frames of \(count) were shown")

  // The mode-set and the first painting of each buffer, which is whole, take an emulated processor several intervals.
  let start = 4
  let missed = animation.ticks.dropFirst(start).reduce(0) { $0 + $1.missed }
  let steps = zip(animation.feedback, animation.feedback.dropFirst()).map {
    ($1.sequence &- $0.sequence, $1.timestamp - $0.timestamp)
  }
  let skips = steps.dropFirst(start).filter { $0.0 != 1 }.count
  let backwards = steps.filter { $0.1 <= .zero || Int64(bitPattern: $0.0) <= 0 }.count
  Guest.expect(backwards == 0, "\(backwards) feedbacks without progress")
  let interval = display.ticker.refreshRate.interval
  let worst = steps.map { abs(($0.1 - interval * Int64(clamping: $0.0)).microseconds) }.max() ?? 0
  Guest.expect(worst <= 3, "feedback stamps are \(worst) us off the mode's grid")
  if getenv("exact") != nil {
    Guest.expect(missed == 0, "\(missed) ticks missed")
    Guest.expect(skips == 0, "\(skips) vblanks without a frame")
  }

  guard let last = animation.last else { return }
  let wrong = animation.pattern.wrongRows(count - 1, in: last)
  Guest.expect(wrong == 0, "\(wrong) rows of the composited frame differ from a full render")
  compareShown(display, with: last, dump: dump)
  let took = (SystemClock.monotonic.now - started).milliseconds
  Guest.say(
    "\(display.name); \(display.reason); \(legacy ? "legacy" : "atomic \(display.card.isAtomic)")\n"
      + "\(animation.feedback.count) frames, \(animation.ticks.count) ticks, missed \(missed), without buffer \(animation.blocked), "
      + "vblanks skipped \(skips), stamp error \(worst) us, sequence \(animation.feedback.first?.sequence ?? 0)"
      + "...\(animation.feedback.last?.sequence ?? 0), \(took) ms")
  display.invalidate()
}

/// Compares what a display shows with a bitmap, in every way that the driver has.
///
/// - Parameter dump: a name for the host, which gets the bitmap and what the screen shows.
@MainActor
func compareShown(_ display: KMSDisplay, with bitmap: Bitmap, dump: String?) {
  compareScannedOut(display, with: bitmap)
  compareWriteback(display, with: bitmap)
  guard let dump else { return }
  let rows = (0..<bitmap.height).map { UnsafeRawBufferPointer(start: bitmap.row($0), count: bitmap.width * 4) }
  Guest.write("/out/\(dump).bgrx", rows)
  Guest.shell("screendump \(dump)")
}

/// Compares the framebuffer that the CRTC scans out, as the kernel names it, with a bitmap: all bytes.
@MainActor
func compareScannedOut(_ display: KMSDisplay, with bitmap: Bitmap) {
  let descriptor = display.card.interface.descriptor
  guard let crtc = drmModeGetCrtc(descriptor, display.crtc) else { return Guest.expect(false, "no CRTC") }
  defer { drmModeFreeCrtc(crtc) }
  guard let framebuffer = drmModeGetFB(descriptor, crtc.pointee.buffer_id) else {
    return Guest.expect(false, "no framebuffer is scanned out")
  }
  defer { drmModeFreeFB(framebuffer) }
  var offset: UInt64 = 0
  let size = Int(framebuffer.pointee.pitch) * Int(framebuffer.pointee.height)
  guard drmModeMapDumbBuffer(descriptor, framebuffer.pointee.handle, &offset) == 0,
    let map = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, Int(offset)), map != MAP_FAILED
  else { return Guest.expect(false, "cannot map the framebuffer") }
  defer { munmap(map, size) }
  Guest.expect(
    Int(framebuffer.pointee.width) == bitmap.width && Int(framebuffer.pointee.height) == bitmap.height,
    "the framebuffer has another size")
  let rows = (0..<bitmap.height).filter {
    memcmp(map + $0 * Int(framebuffer.pointee.pitch), bitmap.row($0), bitmap.width * 4) != 0
  }
  Guest.expect(rows.isEmpty, "\(rows.count) rows of the scanned out buffer differ from the composited one")
}

/// Shows a picture of another program: sets it, gives up master, and waits to be killed.
@MainActor
func hold() {
  let display = openDisplay()
  Animation.show(12, on: display)
  do throws(KMSError) {
    try display.card.dropMaster()
  } catch {
    Guest.expect(false, "\(error)")
  }
  Guest.shell("touch /tmp/held")
  // Releasing the display would restore the screen.
  withExtendedLifetime(display) { while true { pause() } }
}

/// Shows other frames, and ends: by `invalidate()`, by `exit` in the middle of a flip, or by `exit` on another thread while
/// this one goes on with frames.
@MainActor
func leave(_ way: String?) {
  if way == "elsewhere" { waitAtExit() }
  let display = openDisplay()
  Animation.show(41, on: display)
  Guest.shell("screendump between")
  if way == "invalidate" { display.invalidate() }
  if way == "elsewhere" {
    exitOnAnotherThread()
    Animation(display, frames: 10_000).run(limit: .seconds(5))
    Guest.expect(false, "the process goes on")
  }
  Guest.finish()
}

/// After the screens are restored the process has time, in which a frame of the main thread would be seen.
private nonisolated func waitAtExit() { atexit { usleep(200_000) } }

private nonisolated func exitOnAnotherThread() {
  var thread = pthread_t()
  pthread_create(
    &thread, nil,
    { _ in
      usleep(50_000)
      exit(0)
    }, nil)
}

/// A display that is released without `invalidate()` closes its card, leaves the loop, and restores the screen.
@MainActor
func abandon() {
  let before = openCards()
  let mode: FrameLoop.Mode = "abandoned"
  var shown: UInt32 = 0
  var crtc: UInt32 = 0
  do {
    let display = openDisplay()
    crtc = display.crtc
    shown = framebuffer(of: crtc, on: display.card)
    display.add(to: .main, mode: mode)
    // An application's link keeps the ticker.
    Animation.show(12, on: display)
    Guest.expect(framebuffer(of: crtc, on: display.card) != shown, "the screen shows what it showed before")
  }
  Guest.expect(openCards() == before, "\(openCards() - before) cards are left open")
  let result = FrameLoop.main.run(mode: mode, until: FrameLoop.main.clock.now + .milliseconds(100))
  Guest.expect(result == .finished, "something is left in the loop: \(result)")
  let again = openDisplay()
  Guest.expect(framebuffer(of: crtc, on: again.card) == shown, "another picture was left behind")
  again.invalidate()
}

/// Opening a display changes nothing with atomic commits, and sets the mode with the legacy calls. So both refuse while
/// another display can still be chosen.
@MainActor
func opening() {
  for legacy in [false, true] {
    let display = openDisplay(legacy: legacy)
    let shown = framebuffer(of: display.crtc, on: display.card)
    display.invalidate()
    let before = framebuffer(of: display.crtc, on: display.card)
    Guest.expect(before != 0, "the screen shows nothing at first")
    Guest.expect((shown != before) == legacy, "legacy \(legacy): framebuffer \(shown) is shown, before it was \(before)")
  }
}

/// Another program's cursor on the screen is hidden while we show, and restored afterwards.
@MainActor
func leftovers() throws {
  guard let path = try DRMDevice.cardPaths().first else { return Guest.expect(false, "no card") }
  let other = try DRMDevice(path: path)
  let crtc = openDisplay(on: other).crtc
  try other.becomeMaster()
  guard let plane = addPlane(to: crtc, on: other) else { return Guest.expect(false, "cannot show another plane") }
  let before = state(of: plane, on: other)
  Guest.expect(before.crtc == crtc && before.framebuffer != 0, "the plane is not shown: \(before)")
  try other.dropMaster()

  let display = openDisplay()
  Animation.show(5, on: display)
  Guest.expect(state(of: plane, on: other).crtc == 0, "another program's plane is above the picture")
  display.invalidate()
  Guest.expect(state(of: plane, on: other) == before, "the plane is not as it was found: \(state(of: plane, on: other))")
}

/// Shows a small picture on a free plane of a CRTC.
@MainActor
private func addPlane(to crtc: UInt32, on device: DRMDevice) -> UInt32? {
  guard let resources = drmModeGetPlaneResources(device.interface.descriptor) else { return nil }
  defer { drmModeFreePlaneResources(resources) }
  let planes = UnsafeBufferPointer(start: resources.pointee.planes, count: Int(resources.pointee.count_planes))
  guard let plane = planes.first(where: { state(of: $0, on: device).crtc == 0 }) else { return nil }

  let side: UInt32 = 64
  var (handle, pitch, size, framebuffer) = (UInt32(0), UInt32(0), UInt64(0), UInt32(0))
  guard drmModeCreateDumbBuffer(device.interface.descriptor, side, side, 32, 0, &handle, &pitch, &size) == 0,
    drmModeAddFB(device.interface.descriptor, side, side, 32, 32, pitch, handle, &framebuffer) == 0
  else { return nil }
  let shown = drmModeSetPlane(
    device.interface.descriptor, plane, crtc, framebuffer, 0, 0, 0, side, side, 0, 0, side << 16, side << 16)
  return shown == 0 ? plane : nil
}

private struct PlaneState: Equatable {
  var crtc: UInt32 = 0
  var framebuffer: UInt32 = 0
}

@MainActor
private func state(of plane: UInt32, on device: DRMDevice) -> PlaneState {
  guard let answer = drmModeGetPlane(device.interface.descriptor, plane) else { return PlaneState() }
  defer { drmModeFreePlane(answer) }
  return PlaneState(crtc: answer.pointee.crtc_id, framebuffer: answer.pointee.fb_id)
}

/// The framebuffer that a CRTC shows; 0 for none.
@MainActor
private func framebuffer(of crtc: UInt32, on device: DRMDevice) -> UInt32 {
  guard let answer = drmModeGetCrtc(device.interface.descriptor, crtc) else { return 0 }
  defer { drmModeFreeCrtc(answer) }
  return answer.pointee.buffer_id
}

/// The number of the process's open cards.
private func openCards() -> Int {
  var target = [CChar](repeating: 0, count: 256)
  return (0..<1024).filter { number in
    let length = readlink("/proc/self/fd/\(number)", &target, target.count)
    let bytes = target.prefix(max(length, 0)).map { UInt8(bitPattern: $0) }
    return String(decoding: bytes, as: UTF8.self).hasPrefix("/dev/dri/card")
  }.count
}

/// The errors of a card with another master, and of a card that the program has opened twice.
@MainActor
func busy() {
  var other: DRMDevice?
  do {
    other = try DRMDevice(path: try DRMDevice.cardPaths().first ?? "")
    _ = try Displays.kms()
    Guest.expect(false, "two masters")
  } catch {
    Guest.say("\(error)")
    if case KMSError.notMaster = error {} else { Guest.expect(false, "\(error)") }
  }
  Guest.expect(other?.isMaster == true, "the first program is master no more")
  other = nil

  let display = openDisplay()
  do throws(KMSError) {
    _ = try Displays.kms()
    Guest.expect(false, "a card was opened twice")
  } catch {
    Guest.say("\(error)")
    if case .openTwice = error {} else { Guest.expect(false, "\(error)") }
  }
  display.invalidate()
}
