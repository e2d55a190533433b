import ArgumentParser
import Framepace
import SampleScenes

struct SoakCommand: JudgingCommand {
  static let configuration = CommandConfiguration(
    commandName: "soak",
    abstract: "Runs a scene for hours and finds what grows or slows down meanwhile.",
    usage: "framepace soak [<scene>] --hours <hours> [<options>]",
    discussion: """
      Runs a scene, with a line of figures now and then, and at the end says whether \
      memory, open descriptors or threads grow, and whether frames become fewer or later.

        framepace soak dashboard --hours 12
        framepace soak card.scene --duration 10min --every 1min
        framepace soak orbit --duration 10h --simulate steady --fast

      Lines: the time of the run, resident memory, open descriptors, threads, and of the \
      time since the line before: frames seen a second, late frames, late frames an \
      hour, intervals missed and idle. The summary also counts lost frames, and turns of \
      the main loop that took too long; --hang-reports says what they did.

      The first tenth of the run, 5 s at least, is for warming up and does not count. \
      The rest is cut into 12 blocks, of which each counts with its smallest value: a \
      cache that is filled and emptied within a block has a level floor. Growth is found \
      if a Mann-Kendall test takes the floors for rising (at a chance of 0.1 %), if it \
      goes on in their later half, for memory so that the last quarter brings at least \
      half of what the one before it brought, and if over all blocks it is at least \
      1 MiB of memory, 4 descriptors or 2 threads, or 2 % of the frames, missing or \
      late. Its figure is the median of the slopes \
      between all pairs of floors (Theil-Sen). Memory, descriptors and threads are judged \
      in runs of 30 minutes or more: in shorter ones a cache that is filling grows as a \
      leak does, and the summary says that the run was too short to tell. So a leak of \
      10 bytes a frame at 60 Hz is found in an hour, and one of 120 KB an hour in half a \
      day. What grows in one step, or has ended to grow, is not found, nor is a cache \
      that takes longer than three quarters of the run to fill, or longer than a block \
      to be filled and emptied, told from a leak. Memory is the whole process's, with \
      the samples of the run: 40 KB.

      Hangs are counted, not judged; frames are not judged where a block wants none.

      Ctrl-C ends the run with its summary. The exit status is 0 if nothing was found, \
      or the run was too short to tell, 1 if something was, 2 if the run failed or ended \
      before it had samples to judge, and 64 for arguments that are not accepted.
      """)

  @Argument(
    help: ArgumentHelp("The scene: \(SceneChoice.help). (default: orbit)", valueName: "scene"),
    transform: SceneChoice.parse)
  var name: SceneChoice?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("The scene's name: the same as the argument.", valueName: "name"),
    completion: .list(SceneName.allCases.map(\.rawValue)), transform: Accepted.choice)
  var scene: SceneName?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How long to run, in hours, up to 1000, such as 12 or 0.5.", valueName: "hours"),
    transform: Accepted.hours)
  var hours: Nanoseconds?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The same with a unit, from 10s to 1000h, such as 10min; \(Accepted.plainTime).", valueName: "time"),
    transform: Accepted.time(from: ("10s", .seconds(10)), to: ("1000h", .seconds(3_600_000))))
  var duration: Nanoseconds?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The time from line to line, from 1s to 24h; \(Accepted.plainTime). (default: a twentieth of the run)",
      valueName: "time"),
    transform: Accepted.time(from: ("1s", .seconds(1)), to: ("24h", .seconds(86_400))))
  var every: Nanoseconds?

  @OptionGroup var options: SceneOptions

  @OptionGroup var simulation: SimulationOptions

  @OptionGroup var watch: WatchOptions

  var judges: Bool { true }
  var choice: SceneChoice { name ?? .sample(scene ?? .orbit) }
  private var length: Nanoseconds? { hours ?? duration }

  func validate() throws {
    if name != nil, scene != nil { throw ValidationError("Name a scene or use --scene, not both.") }
    if hours != nil, duration != nil {
      throw ValidationError("--hours and --duration both say when to end: use one of them.")
    }
    // `run` says so, after the parser has named an option that it does not know.
    guard let length else { return }
    try options.validate(scene: choice)
    try simulation.validate(display: options.display, duration: length)
    try watch.validate(simulation: simulation)
    if options.work != nil, simulation.simulate != nil {
      throw ValidationError("--work keeps this machine busy, for which no simulated time passes: leave out --simulate.")
    }
  }

  func run() throws {
    guard let length else { throw ValidationError("Say how long: --hours 12, or --duration 10min.") }
    try onMainActor {
      try SceneSoak(
        choice, options: options, watch: watch,
        simulation: simulation.simulation(size: options.size ?? choice.size(scale: 1)), length: length,
        every: every ?? max(.seconds(1), length / 20)
      ).run()
    }
  }
}
