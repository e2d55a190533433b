import Framepace
import Geometry
import Glibc
import KMS
import KMSTesting
import LinuxSystem
import RenderTree
import Synchronization

// usage: exiting CASE [legacy]: a thread calls `exit` while the main thread uses a display. Prints what became of the screens.

/// A card whose connectors show the kernel's console.
enum Stage {
  static let card = SimulatedCard(
    connectors: [.init("HDMI-A-1", modes: [.simulated(64, 48)]), .init("DP-1", modes: [.simulated(64, 48)])],
    isAtomic: CommandLine.arguments.last != "legacy", clock: .monotonic)
  static let before = card.screens
  /// How far the thread that exits has come: 1 is in the middle of restoring a screen, 2 has restored all.
  static let progress = Atomic<Int>(0)

  static func wait(for step: Int) { while progress.load(ordering: .acquiring) < step { sched_yield() } }

  /// Time for what the main thread does.
  static func pause() { usleep(50_000) }

  /// Called before there is a display, so that the report comes after the screens are restored.
  static func reportAtExit() {
    _ = before
    atexit {
      let calls = Stage.card.callCount(of: .setCRTC)
      Stage.progress.store(2, ordering: .releasing)
      Stage.pause()
      print("as found: \(Stage.card.screens == Stage.before), restored by \(calls) calls")
    }
  }

  /// Has another thread exit.
  static func exitElsewhere() {
    card.resetCalls()
    card.before(next: .setCRTC) {
      progress.store(1, ordering: .releasing)
      pause()
    }
    var thread = pthread_t()
    pthread_create(&thread, nil, { _ in exit(3) }, nil)
  }
}

@MainActor
func present(on display: KMSDisplay) throws {
  guard let buffer = display.presenter.acquireBuffer() else { return }
  try display.presenter.present(buffer, damage: DamageRegion(IntRect(x: 0, y: 0, width: 64, height: 48)), target: nil)
}

Stage.reportAtExit()
let card = KMSCard(device: try Stage.card.open())
let displays = try card.displays().displays
let (display, other) = (displays[0], displays[1])
let vblanks = SimulatedVBlanks(of: Stage.card, on: .main)
display.add(to: .main, mode: .default)
try present(on: display)
FrameLoop.main.run(mode: .default, for: .milliseconds(100))
guard Stage.card.screens != Stage.before else { fatalError("nothing is shown") }

Stage.exitElsewhere()
switch CommandLine.arguments[1] {
case "frame":
  Stage.wait(for: 2)
  try present(on: display)
case "first-frame":
  Stage.wait(for: 2)
  try present(on: other)
case "switch-off":
  Stage.wait(for: 2)
  display.isPowered = false
case "cursor":
  Stage.wait(for: 2)
  display.cursor = Cursor(image: try Bitmap(width: 8, height: 8).freeze())
  FrameLoop.main.run(mode: .default, for: .milliseconds(20))
case "end":
  Stage.wait(for: 1)
  display.invalidate()
case "exit":
  Stage.wait(for: 1)
  exit(4)
default: exit(64)
}
while true { pause() }
