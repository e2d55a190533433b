// A list of ten thousand articles with pictures. Fingers, a mouse's wheel and a touchpad scroll it; a drag with the mouse does too.
//
//   swift run Feed live [FOLDER]            until Ctrl-C or SIGTERM, in a window on a desktop or with the seat's devices
//   swift run Feed FILE [FOLDER]            plays an event script, see `framepace input`
//   swift run Feed FILE --output P.png      the same without a screen, and writes its last picture
//   swift run Feed                          plays three flicks
//
// The pictures are the photographs of the folder, or landscapes that are painted in their place. At its end it says how many frames it
// showed, and how many were late.
import Framepace
import Glibc
import InteractivePrograms
import SampleScenes

/// Three flicks of a finger on a screen, the last of which catches the list.
let flicks = """
  framepace input 1
  0     1  added "finger" touch fingers 1
  \(flick(at: 0.2, from: 0.8, to: 0.3))
  \(flick(at: 0.9, from: 0.8, to: 0.2))
  \(flick(at: 1.6, from: 0.5, to: 0.48))
  """

func flick(at start: Double, from: Double, to: Double) -> String {
  let steps = 12
  let moves = (1...steps).map { step in
    let part = Double(step) / Double(steps)
    return "\(start + 0.008 * Double(step)) 1 touch 0 moved 0.5 \(from + (to - from) * part * part)"
  }
  return (["\(start) 1 touch 0 down 0.5 \(from)"] + moves + ["\(start + 0.1) 1 touch 0 up"]).joined(separator: "\n")
}

/// The picture files of a folder.
func pictureFiles(in folder: String) throws -> [String] {
  guard let directory = opendir(folder) else { throw SystemError(call: "opendir", subject: folder, errno: errno) }
  defer { closedir(directory) }
  var paths: [String] = []
  while let entry = readdir(directory) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
    }
    let ending = name.split(separator: ".").last?.lowercased() ?? ""
    if ["jpg", "jpeg", "png", "webp", "avif"].contains(ending) { paths.append("\(folder)/\(name)") }
  }
  return paths.sorted()
}

@main
struct Program {
  @MainActor
  static func main() {
    do {
      let photographs = try InteractiveProgram.arguments.dropFirst().first.map(pictureFiles) ?? []
      var (feed, meter): (FeedList?, FPSMeter?)
      // The list comes to rest.
      try InteractiveProgram.run(others: " [FOLDER]", rest: .seconds(2)) { engine in
        let made = FeedList(
          frame: engine.root.bounds, fonts: try SceneFonts(), photographs: photographs,
          loader: FeedList.loader(workers: engine.workers, loop: engine.loop))
        made.list.images?.onFailure = { _, error in print(error) }
        engine.root.addSublayer(made.list)
        meter = FPSMeter(refreshRate: engine.output.display.ticker.refreshRate)
        engine.output.observe { _ = meter?.record($0) }.keep()
        feed = made
        return try InputScript(flicks)
      } end: {
        let rows = feed?.list.visibleRows ?? []
        if let report = meter?.report() {
          let hitches = Double(((report.hitchTimeRatio ?? 0) * 100).rounded()) / 100
          print("\(report.presented) frames, \(report.late) late, \(hitches) ms/s of hitches")
        }
        print("at its end the list shows articles \((rows.first ?? 0) + 1) to \((rows.last ?? 0) + 1)")
      }
    } catch {
      print("\(error)")
      exit(1)
    }
  }
}
