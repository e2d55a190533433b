import ArgumentParser
import Framepace
import KMS

struct DisplaysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "displays",
    abstract: "Lists the cards and screens of this machine, and what each can do.",
    discussion: """
      Asks every card for its driver, what that can do, its connectors with their \
      screens and modes, CRTCs and planes; and says why a card cannot be used, and \
      what to do about it. Nothing is changed on any screen. Where another program \
      shows on a card, its screens are not asked: what the kernel knows of them is \
      told. A machine without cards is no error.

      What a card can do: vblank events tell of each refresh, sequence events do so \
      to the nanosecond; both are found by asking for one. Without them a clock at \
      the mode's rate paces frames.

      JSON: one object. What is not known is null.
        reason     why there is no card, else null
        cards      of each:
          path, driver, driverVersion
          usable     whether a picture can be shown on it now
          problem    why not, and what to do
          users      programs that have it open, where one is in the way
          abilities  by name, whether it has each: vblankEvents,
                     sequenceEvents, atomic, variableRate, asynchronousFlips,
                     atomicAsynchronousFlips, damageClips, writeback,
                     cursorPlane, gammaTable, colorMatrix
          connectors of each: name, status, monitor, manufacturer,
                     serialNumber, year, edidDefects, widthMillimeters,
                     heightMillimeters, takesVariableRate, crtc,
                     currentMode, modes
          crtcs      of each: id, mode
          planes     of each: id, kind, crtc, formats: how many
        a mode     name, width, height, interlaced, preferred,
                   refreshRate in Hz, refreshRateFraction: "60000/1001"
      """)

  @Flag(help: "Print a JSON object instead of text.")
  var json = false

  func run() throws {
    try onMainActor {
      let reports = CardReport.all()
      let width = Terminal.output.textWidth
      try Terminal.output.line(json ? DisplaysText.json(reports).line : DisplaysText.text(reports, width: width))
    }
  }
}
