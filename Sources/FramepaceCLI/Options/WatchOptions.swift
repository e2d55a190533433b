import ArgumentParser
import Exposition

/// The options that let others watch a run while it goes on.
struct WatchOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      Write reports of hangs to this folder: of turns of the loop that take 2 s or more, without the time in which others had \
      the processors (that is in the figures, as frames late by 'machine busy'), with the stack of the main thread. Equal hangs share one report, \
      which counts them. The folder is made if it is missing. framepace view prints one.
      """, valueName: "folder"),
    completion: .directory)
  var hangReports: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Serve the figures to Prometheus at this address: \(Accepted.addresses).", valueName: "address:port"),
    transform: Accepted.address)
  var metrics: MetricsAddress?

  func validate(simulation: SimulationOptions) throws {
    guard let hangReports else { return }
    if hangReports.isEmpty { throw ValidationError("--hang-reports needs a value: use a folder's name.") }
    if simulation.simulate != nil {
      throw ValidationError("--hang-reports watches this machine's clock, and --simulate has another: leave out either.")
    }
  }
}
