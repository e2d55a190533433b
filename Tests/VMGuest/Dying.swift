import Glibc
import KMS
import LinuxSystem
import Presentation
import RunLoops

/// Shows frames, and ends in one way or another while one pends.
///
/// - Parameter withCursor: true if the legacy calls show a cursor.
@MainActor
func die(_ way: String, withCursor: Bool) throws {
  let display = openDisplay(legacy: withCursor)
  if withCursor { display.cursor = Cursor(image: try pointer()) }
  Animation.show(41, on: display)
  if withCursor { Guest.expect(shownCursors(on: display.card).count == 1, "no cursor is shown") }
  Guest.shell("screendump between")
  let timer = FrameLoop.Timer(
    fireTime: FrameLoop.main.clock.now + .milliseconds(100),
    .onMain { _ in
      switch way {
      case "exit": exit(3)
      case "segv": UnsafeMutablePointer<Int>(bitPattern: 0x10)?.pointee = 1
      case "abort": abort()
      case "trap": preconditionFailure("meant to fail")
      case "term": kill(getpid(), SIGTERM)
      case "int": kill(getpid(), SIGINT)
      case "kill": kill(getpid(), SIGKILL)
      case "thread":
        faultOnAnotherThread()
        pause()
      default: Guest.expect(false, "there is no such end")
      }
    })
  FrameLoop.main.add(timer, to: .default)
  // More frames, one of which pends at the end.
  Animation(display, frames: 10_000).run(limit: .seconds(5))
  Guest.expect(false, "the process goes on")
  withExtendedLifetime(display) { Guest.finish() }
}

/// Expects that no cursor is shown.
@MainActor
func noCursor() throws {
  for path in try DRMDevice.cardPaths() {
    let shown = shownCursors(on: try DRMDevice(path: path))
    Guest.expect(shown.isEmpty, "left behind on \(path): \(shown)")
  }
}

private func faultOnAnotherThread() {
  var thread = pthread_t()
  pthread_create(
    &thread, nil,
    { _ in
      UnsafeMutablePointer<Int>(bitPattern: 0x10)?.pointee = 1
      return nil
    }, nil)
}
