import CDRM
import CEvdev
import Framepace
import Glibc
import Input
import KMS
import Seats

/// A display, a touch screen of uinput, and an engine between the two.
@MainActor
final class TouchStage {
  let display: KMSDisplay
  let engine: Engine
  let root = Layer()
  let screen: VirtualInput
  private var input: InputDevices?
  private var wanted: @MainActor () -> Bool = { false }

  var width: Int { display.geometry.pictureSize.width }
  var height: Int { display.geometry.pictureSize.height }

  init() throws {
    display = openDisplay()
    engine = Engine(display: display, root: root)
    screen = try VirtualInput(.touchScreen, name: "test screen")
    var isThere = false
    let input = try InputDevices(session: .direct(why: "a test")) { [engine] event in
      if case .added(let device) = event.action, device.name == "test screen" { isThere = true }
      engine.inputRouter.receive(event)
    }
    self.input = input
    input.add(to: engine.loop, mode: .common)
    run("the touch screen does not come") { isThere }
  }

  /// Runs the engine until a condition holds, which is looked at after each turn.
  func run(_ claim: String, until condition: @escaping @MainActor () -> Bool) {
    let timeout = FrameLoop.Timer(fireTime: engine.loop.clock.now + .seconds(20), .onMain { [engine] _ in engine.finish() })
    let turns = FrameLoop.Observer(
      [.beforeWaiting], order: ObserverOrder.turnEnd, .onMain { [engine] _, _ in if condition() { engine.finish() } })
    engine.loop.add(timeout, to: .common)
    engine.loop.add(turns, to: .common)
    engine.loop.wakeUp()
    engine.run()
    turns.invalidate()
    timeout.invalidate()
    Guest.expect(condition(), claim)
  }

  /// The device's value for the middle of a pixel.
  func value(_ pixel: Int, of length: Int) -> Int32 { Int32((Double(pixel) + 0.5) / Double(length) * 4096) }

  func down(x: Int, y: Int) {
    screen.write(
      (EV_ABS, ABS_MT_SLOT, 0), (EV_ABS, ABS_MT_TRACKING_ID, 1), (EV_ABS, ABS_MT_POSITION_X, value(x, of: width)),
      (EV_ABS, ABS_MT_POSITION_Y, value(y, of: height)), (EV_KEY, BTN_TOUCH, 1))
  }

  func up() { screen.write((EV_ABS, ABS_MT_SLOT, 0), (EV_ABS, ABS_MT_TRACKING_ID, -1), (EV_KEY, BTN_TOUCH, 0)) }

  func end() {
    input?.invalidate()
    engine.invalidate()
  }
}

/// Reads the framebuffer that a display scans out now.
@MainActor
func withScannedOut<Result>(_ display: KMSDisplay, _ body: (UnsafeRawPointer, _ bytesPerRow: Int) -> Result)
  -> Result?
{
  let descriptor = display.card.interface.descriptor
  guard let crtc = drmModeGetCrtc(descriptor, display.crtc) else { return nil }
  defer { drmModeFreeCrtc(crtc) }
  guard let framebuffer = drmModeGetFB(descriptor, crtc.pointee.buffer_id) else { return nil }
  defer { drmModeFreeFB(framebuffer) }
  var offset: UInt64 = 0
  let size = Int(framebuffer.pointee.pitch) * Int(framebuffer.pointee.height)
  guard drmModeMapDumbBuffer(descriptor, framebuffer.pointee.handle, &offset) == 0,
    let map = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, Int(offset)), map != MAP_FAILED
  else { return nil }
  defer { munmap(map, size) }
  return body(map, Int(framebuffer.pointee.pitch))
}
