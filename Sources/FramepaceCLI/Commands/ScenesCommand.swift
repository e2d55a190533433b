import ArgumentParser
import Metering
import SampleScenes

struct ScenesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scenes",
    abstract: "Lists the sample scenes; its help tells how to write others.",
    usage: "framepace scenes",
    discussion: """
      A scene of one's own is a text file whose name ends in .scene: a layer with its \
      properties, and in it other layers, animations and states. A comment begins with \
      // and ends with its line.

        // hello.scene
        size 480 270
        layer {
          backgroundColor #0B1016
          text title {
            bounds 0 0 400 48; position 240 80; alignment center
            string "Hello"; font "DejaVuSans.ttf" 36; color #FFFFFF
            state dim { opacity 0.2 }
          }
          paragraph words {
            bounds 0 0 400 24; position 240 124
            baseFont "Roboto" 16; baseColor #A0A8B0
            attributedText { "A scene is " span "text" { color #FFFFFF } "." }
            paragraphStyle alignment center
          }
          shape ring {
            bounds 0 0 80 80; position 240 200; path circle 40 40 36
            fillColor none; strokeColor #4CC2FF; strokeStyle width 8 dash 20 8
            basic rotation { to 360deg; duration 4s; repeatCount infinity }
          }
        }
        at 2s: title.state dim

        framepace run hello.scene
        framepace render hello.scene --output hello.png --time 3s

      A layer is one of these kinds:

        layer       a box: colour, corners, border, shadow, image, filters
        text        a line in one font file; a longer one ends with an ellipsis
        paragraph   lines in all scripts, fonts, colours; as many as its height holds
        shape       a path with its fill and its stroke
        gradient    colours along a line, around a point or from it
        picture     a file: PNG, JPEG, WebP, GIF, AVIF or SVG
        scroll      layers that are moved together
        tiled       a large image, drawn in tiles
        surface     pixels that an application writes
        space       layers in three dimensions
        replicator  copies of layers
        emitter     particles

      The grammar of scenes has an example of each property, value, animation and \
      state: Sources/SceneText/SceneText.docc/Grammar.md in the sources of framepace. \
      Beside it, Samples/Scenes has scenes to begin with, and framepace dump prints the \
      samples as such texts. A mistake is told with its line and column, and what may \
      stand there.
      """)

  func run() throws {
    let width = SceneName.allCases.map(\.rawValue.count).max() ?? 0
    let lines = SceneName.allCases.map { Text.left($0.rawValue, width + 2) + $0.summary }
    try onMainActor { try Terminal.output.line(lines.joined(separator: "\n")) }
  }
}
