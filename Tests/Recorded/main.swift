import Framepace
import Glibc

// usage: recorded runs | hangs | ends: a program that moves a layer until a signal ends it, and tells when ten frames were seen. One that
// hangs does so then; one that ends does that by itself when it gets SIGTERM.

let display = try VirtualDisplay(width: 64, height: 64, refreshRate: .hertz60, reason: "a test")
let root = Layer()
let square = Layer(frame: Rect(x: 0, y: 0, width: 16, height: 16))
square.backgroundColor = .white
root.addSublayer(square)
let engine = Engine(display: display, root: root)

var frames = 0
let observation = engine.output.observe { event in
  guard case .presented = event else { return }
  frames += 1
  guard frames == 10 else { return }
  // Whatever a buffer has is lost with the signal.
  write(STDOUT_FILENO, "ready\n", 6)
  if CommandLine.arguments.last == "hangs" { while true {} }
}
let link = engine.makeDisplayLink { link in
  Transaction.withoutActions { square.position.x = Double(link.frameNumber % 48) }
}
var end: SignalSource?
if CommandLine.arguments.last == "ends" {
  let source = try SignalSource(signals: [SIGTERM], .onMain { _ in engine.finish() })
  engine.loop.add(source, to: .common)
  end = source
}
engine.run()
print("ended")
