// Changing a layer a hundred times costs one drawing, because a change only sets a mark. An observer of `beforeWaiting` does
// the work once, right before the loop sleeps. The engine does the same; this sample builds it from the loop alone.
import RunLoops
import LinuxSystem

@MainActor
final class Canvas {
  private(set) var drawings = 0
  private var isDirty = false
  private var observer: FrameLoop.Observer?

  init(loop: FrameLoop) {
    // This is Core Animation's order. An observer with a lower order may still change something for this commit.
    let observer = FrameLoop.Observer(
      [.beforeWaiting, .exit], order: ObserverOrder.commit, .onMain { [weak self] _, _ in self?.commit() })
    loop.add(observer, to: .common)
    self.observer = observer
  }

  func setNeedsDisplay() { isDirty = true }

  private func commit() {
    guard isDirty else { return }
    isDirty = false
    drawings += 1
  }
}

@main
struct Program {
  @MainActor
  static func main() {
    let loop = FrameLoop.main
    let canvas = Canvas(loop: loop)
    let start = loop.clock.now

    // Two turns with many marks each: one from a source, one from a timer.
    let source = FrameLoop.Source(.onMain { _ in for _ in 0..<100 { canvas.setNeedsDisplay() } })
    loop.add(source, to: .common)
    source.signal()
    loop.add(
      FrameLoop.Timer(fireTime: start + .milliseconds(20), .onMain { _ in for _ in 0..<100 { canvas.setNeedsDisplay() } }),
      to: .common)
    loop.run(mode: .default, until: start + .milliseconds(40))
    print("200 marks in two turns: \(canvas.drawings) drawings")
    guard canvas.drawings == 2 else { fatalError("expected one drawing a turn") }

    for _ in 0..<50 { canvas.setNeedsDisplay() }
    loop.run(mode: .default, until: loop.clock.now)
    print("50 marks before a poll: \(canvas.drawings - 2) drawing, made at the loop's exit")
    guard canvas.drawings == 3 else { fatalError("a run that never sleeps must commit at its exit") }
  }
}
