// Why changing a layer a hundred times costs one drawing: changes only mark, and an observer of `beforeWaiting` does the work
// once, right before the loop sleeps. This is the engine's own trick, built by hand from the loop alone.
import RunLoops
import LinuxSystem

@MainActor
final class Canvas {
  private(set) var drawings = 0
  private var isDirty = false
  private var observer: FrameLoop.Observer?

  init(loop: FrameLoop) {
    // Core Animation's order: an observer with a lower one may still change something that belongs to this commit.
    let observer = FrameLoop.Observer(
      [.beforeWaiting, .exit], order: 2_000_000, onMain: { [weak self] _, _ in self?.commit() })
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

    // Three turns, each with many marks: from a source, from a timer, from a block.
    let source = FrameLoop.Source(onMain: { _ in for _ in 0..<100 { canvas.setNeedsDisplay() } })
    loop.add(source, to: .common)
    source.signal()
    loop.add(
      FrameLoop.Timer(fireTime: start + .milliseconds(20), onMain: { _ in for _ in 0..<100 { canvas.setNeedsDisplay() } }),
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
