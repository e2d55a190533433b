import ArgumentParser
import Framepace
import KMS

struct DisplaysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "displays",
    abstract: "Lists the desktop, the cards and the screens of this machine, and what each can do.",
    discussion: """
      Lists the Wayland desktop that the environment names, with its screens: a window \
      is shown there. It holds the cards, which then show nothing of another program.

      Lists every card with its driver and its abilities, its connectors with their \
      screens and modes, its CRTCs and planes. If a card cannot be used, the list \
      says why, and what to do about it. No screen is changed. If another program \
      shows on a card, its screens are not probed; the list then has what the kernel \
      knows already. A machine without cards is no error.

      Abilities: vblank events report each refresh, and sequence events report it to \
      the nanosecond. Both are found by requesting one. Without them a clock at the \
      mode's rate paces the frames.

      JSON: one object. Unknown values are null.
        desktop    the Wayland desktop, or null:
          socket
          usable     true if a window can be shown there
          problem    the reason why not
          screens    of each: name, width, height, refreshRate, scale
        reason     why there is no card, else null
        cards      of each:
          path, driver, driverVersion
          usable     true if a picture can be shown on it now
          problem    the reason why not, and what to do
          users      the programs that have it open, if one is in the way
          abilities  true or false by name: vblankEvents,
                     sequenceEvents, atomic, variableRate, asynchronousFlips,
                     atomicAsynchronousFlips, damageClips, writeback,
                     cursorPlane, gammaTable, colorMatrix
          connectors of each: name, status, monitor, manufacturer,
                     serialNumber, year, edidDefects, widthMillimeters,
                     heightMillimeters, takesVariableRate, crtc,
                     currentMode, modes
          crtcs      of each: id, mode
          planes     of each: id, kind, crtc, formats (a number)
        a mode     name, width, height, interlaced, preferred,
                   refreshRate in Hz, refreshRateFraction: "60000/1001"
      """)

  @Flag(help: "Print a JSON object instead of text.")
  var json = false

  func run() throws {
    try onMainActor {
      let (desktop, reports) = (DesktopReport.current(), try CardReport.all())
      let width = Terminal.output.textWidth
      try Terminal.output.line(
        json
          ? DisplaysText.json(reports, desktop: desktop).line : DisplaysText.text(reports, desktop: desktop, width: width))
    }
  }
}
