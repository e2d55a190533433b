// A map of a made-up land, drawn in tiles. One finger moves it, two turn it and bring it nearer; so do a mouse's buttons and its wheel.
//
//   swift run Map live                      until Ctrl-C or SIGTERM, in a window on a desktop or with the seat's devices
//   swift run Map FILE                      plays an event script, see `framepace input`
//   swift run Map FILE --output P.png       the same without a screen, and writes its last picture
//   swift run Map                           plays Samples/Map/journey.input: two fingers, then one
import Framepace
import Glibc
import InteractivePrograms
import SampleScenes

@main
struct Program {
  @MainActor
  static func main() {
    do {
      var map: MapView?
      try InteractiveProgram.run { engine in
        let made = MapView(frame: engine.root.bounds, fonts: try SceneFonts())
        engine.root.addSublayer(made)
        map = made
        return try InputScript(contentsOf: String(#filePath.dropLast("Map.swift".count)) + "journey.input")
      } end: {
        guard let map else { return }
        print(
          "\((map.scale * 100).rounded() / 100) times as near, turned by \(Int((map.turn * 180 / .pi).rounded())) degrees")
      }
    } catch {
      print("\(error)")
      exit(1)
    }
  }
}
