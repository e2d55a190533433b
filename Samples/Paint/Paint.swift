// A sheet of paper for many fingers, each with a brush of its own; a mouse and a pen draw too. A pen's pressure gives the width.
//
//   swift run Paint live                    until Ctrl-C or SIGTERM, in a window on a desktop or with the seat's devices
//   swift run Paint FILE                    plays an event script, see `framepace input`
//   swift run Paint FILE --output P.png     the same without a screen, and writes its last picture
//   swift run Paint                         plays Samples/Paint/rainbow.input: five fingers draw at once
import Framepace
import Glibc
import InteractivePrograms
import SampleScenes

@main
struct Program {
  @MainActor
  static func main() {
    do {
      var board: PaintBoard?
      try InteractiveProgram.run { engine in
        let made = try PaintBoard(
          frame: engine.root.bounds, scale: engine.output.display.geometry.scale, fonts: SceneFonts().library())
        engine.root.addSublayer(made)
        board = made
        return try InputScript(contentsOf: String(#filePath.dropLast("Paint.swift".count)) + "rainbow.input")
      } end: {
        print("\(board?.strokeCount ?? 0) strokes")
      }
    } catch {
      print("\(error)")
      exit(1)
    }
  }
}
