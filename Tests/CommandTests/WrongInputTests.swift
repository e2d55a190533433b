import Foundation
import Testing

/// The messages for input that is not accepted.
struct WrongInputTests {
  /// The arguments, the option or value that the message must name, and the accepted values that it must list.
  static let wrong: [(arguments: [String], wrong: String, accepted: String)] = [
    (
      ["--scene", "orbits"], "'orbits' is invalid for '--scene",
      "orbit, clock, dashboard, springs, cards, onboarding, swarm, departures, gallery, story, confetti, feed, still or stress"
    ),
    (["run", "--metrics", "host:1"], "'host:1' is invalid for '--metrics", "127.0.0.1:9464 or [::1]:9464"),
    (["run", "--metrics", ":9464"], "':9464' is invalid for '--metrics", "a port alone is one of 127.0.0.1"),
    (["--scene", "orbits"], "use orbit, clock", "Did you mean 'orbit'?"),
    (["--simulate", "stead"], "'stead' is invalid for '--simulate", "or flaky. Did you mean 'steady'?"),
    (["--policy", "lat"], "'lat' is invalid for '--policy", "Did you mean 'late'?"),
    (["--show", "damage,bordres"], "'damage,bordres' is invalid for '--show", "between them. Did you mean 'borders'?"),
    (["--display", "fallbak"], "'fallbak' is invalid for '--display", "Did you mean 'fallback'?"),
    (["render", "orbit", "--output", "x", "--format", "pgn"], "'pgn' is invalid for '--format", "Did you mean 'png'?"),
    (["profile", "obrit"], "'obrit' is invalid for '<scene>'", "in .scene. Did you mean 'orbit'?"),
    (["run", "clok"], "'clok' is no scene", "Did you mean 'clock'?"),
    (["soak", "orbit", "--hour", "1"], "Unknown option '--hour'", "Did you mean '--hours'?"),
    (["run", "feed", "--input"], "--input needs a value", "the name of an event script"),
    (["profile", "--compare", "a", "b", "--input", "y"], "--compare runs no scene", "--fail-over"),
    (["profile", "--compare", "a", "b", "--policy", "late"], "--compare runs no scene", "--fail-over"),
    (["profile", "feed", "--policy", "early"], "'early' is invalid for '--policy", "late"),
    (["input", "--record", "-"], "--record writes a file", "instead of '-'"),
    (["input", "--check", "x", "--record", "y"], "--check reads a file", "leave out --list, --duration and --record"),
    (["input", "--list", "--duration", "1s"], "--list waits for no event", "leave out --duration and --record"),
    (["input", "--list", "--display", "kms"], "--list prints and ends", "leave out --display and --input"),
    (["input", "--check", "x", "--input", "y"], "--check prints and ends", "leave out --display and --input"),
    (["input", "--screenshot", "x.png"], "--screenshot belongs to a display", "use --display auto"),
    (["input", "--display", "kms", "--size", "9x9"], "--size belongs to a window", "the size of its mode"),
    (["input", "--display", "wayland", "--rotate", "90"], "--rotate belongs to a screen", "use --display kms"),
    (["input", "--display", "auto", "--screenshot", "x.jpg"], "'x.jpg': pictures are PNG", ".png"),
    (["input", "--duration", "201h"], "'201h' is invalid for '--duration", "1us to 200h"),
    (["profile", "orbit", "--html", "-"], "--html writes a file", "instead of '-'"),
    (["profile", "orbit", "--csv", "-"], "--csv writes a file", "instead of '-'"),
    (["run", "orbit", "--trace", "-"], "--trace writes a file", "instead of '-'"),
    (["profile", "--compare", "a", "b", "--fail-over", "0.05"], "'0.05' is invalid for '--fail-over", "5%, or 0.05%"),
    (["profile", "orbit", "--budget", "8.3"], "'8.3' is invalid for '--budget", "a time with its unit"),
    (["soak", "orbit"], "Say how long", "--hours 12"),
    (["soak", "orbit", "--hours", "1", "--duration", "1h"], "--hours and --duration", "use one of them"),
    (["soak", "orbit", "--hours", "-1"], "'-1' is invalid for '--hours", "such as 12 or 0.5"),
    (["soak", "orbit", "--scene", "clock", "--hours", "1"], "Name a scene or use --scene", "not both"),
    (["render", "nothing", "--output", "x.png"], "'nothing' is invalid for '<scene>'", "orbit, clock"),
    (["render", "orbit", "--output", "x.png", "--size", "0x10"], "'0x10' is invalid for '--size", "WIDTHxHEIGHT"),
    (["render", "orbit", "--output", "x.png", "--size", "99999x9"], "'99999x9' is invalid for '--size", "1 to 16384"),
    (["render", "orbit", "--output", "x.png", "--size", "-1x5"], "'-1x5' is invalid for '--size", "1 to 16384"),
    (["render", "orbit", "--output", "x.png", "--scale", "0"], "'0' is invalid for '--scale", "0.25 to 8"),
    (["render", "orbit", "--output", "x.png", "--scale", "-1"], "'-1' is invalid for '--scale", "0.25 to 8"),
    (["render", "orbit", "--output", "x.png", "--time", "soon"], "'soon' is invalid for '--time", "500us, 20ms, 1.5s"),
    (["render", "orbit", "--output", "x.png", "--time", "-1"], "'-1' is invalid for '--time", "0 to 1000h"),
    (["render", "orbit", "--output", "x.png", "--time", "0x10"], "'0x10' is invalid for '--time", "0 to 1000h"),
    (["render", "orbit", "--output", "x.png", "--time", "1e1s"], "'1e1s' is invalid for '--time", "0 to 1000h"),
    (["render", "orbit", "--output", "x.png", "--time", "+1"], "'+1' is invalid for '--time", "0 to 1000h"),
    (["render", "orbit", "--output", "x.png", "--time", "1001h"], "'1001h' is invalid for '--time", "0 to 1000h"),
    (["render", "--output", "x.png"], "Name a scene", "--all"),
    (["render", "orbit", "--all", "--output", "x"], "not both", "--all"),
    (["render", "orbit", "clock", "--output", "x.png"], "'x.png' is one file", "folder"),
    (["render", "a/card.scene", "b/card.scene", "--output", "x"], "scenes are named 'card'", "one by one"),
    (["render", "orbit", "--output", "x.jpg"], "'x.jpg': pictures are PNG", ".png"),
    (["render", "orbit", "--output", "x.mp4"], "'x.mp4': pictures are PNG", "--output - --format y4m"),
    (["render", "orbit", "--output", "-", "--frames", "2"], "'-' needs a --format", "y4m"),
    (
      ["render", "a.scene", "--output", "x.png", "--size", "9x9", "--scale", "2"], "--scale has no effect with --size",
      "a is"
    ),
    (["render", "orbit", "--output", "-", "--format", "png", "--frames", "2"], "'-' is one file", "folder"),
    (["render", "orbit", "clock", "--output", "x.apng"], "'x.apng' is one file", "folder"),
    (["render", "orbit", "--output", "x.apng", "--format", "y4m"], "asks for apng, and --format for y4m", "use one"),
    (["render", "orbit", "--output", "x.y4m", "--transparent"], "--transparent: the video of y4m", "png or apng"),
    (["render", "orbit", "--output", "x", "--format", "gif"], "'gif' is invalid for '--format", "png, apng or y4m"),
    (["render", "orbit", "--output", ""], "--output <folder|file|-> is missing", ".png"),
    (["render"], "Name a scene", "render orbit --output orbit.png"),
    (["render", "orbit"], "--output", "folder|file|-"),
    (["render", "orbit", "--output", "x.png", "--frames", "0"], "'0' is invalid for '--frames", "1 to 100000"),
    (["render", "orbit", "--output", "x", "--frames", "-1"], "'-1' is invalid for '--frames", "1 to 100000"),
    (["render", "orbit", "--output", "x", "--rate", "60"], "--rate", "--frames"),
    (["--rate", "0"], "'0' is invalid for '--rate", "1 to 1000 Hz"),
    (["--rate", "-60"], "'-60' is invalid for '--rate", "1 to 1000 Hz"),
    (["--rate", "nan"], "'nan' is invalid for '--rate", "1 to 1000 Hz"),
    (["--rate", "60/0"], "'60/0' is invalid for '--rate", "1 to 1000 Hz"),
    (["--rate", "60/1/1"], "'60/1/1' is invalid for '--rate", "1 to 1000 Hz"),
    (["--duration", "0"], "'0' is invalid for '--duration", "1us to 1000h"),
    (["--duration", "-5s"], "'-5s' is invalid for '--duration", "1us to 1000h"),
    (["--duration", "5sec"], "'5sec' is invalid for '--duration", "a number alone is seconds"),
    (["--show", "damages"], "'damages' is invalid for '--show", "damage, borders, reasons, overdraw or meter"),
    (["--show", "damage,"], "'damage,' is invalid for '--show", "with commas between them"),
    (["--blending", "gamma"], "'gamma' is invalid for '--blending", "srgb or linear"),
    (["--rotate", "45"], "'45' is invalid for '--rotate", "0, 90, 180 or 270"),
    (["capture", "--display", "fallback"], "nothing to copy without a screen", "--display kms"),
    (["capture", "--output", "x.jpg"], "'x.jpg': pictures are PNG", ".png"),
    (["--display", "screen"], "'screen' is invalid for '--display", "auto, fallback, wayland, kms or kms:CONNECTOR"),
    (["--display", "kms:"], "'kms:' is invalid for '--display", "kms:HDMI-A-1"),
    (["--mode", "1920"], "'1920' is invalid for '--mode", "WIDTHxHEIGHT@RATE"),
    (["--mode", "1920x1080@"], "'1920x1080@' is invalid for '--mode", "WIDTHxHEIGHT@RATE"),
    (["--mode", "1920x1080@60@60"], "is invalid for '--mode", "1920x1080@59.94"),
    (["--mode", "1920x1080@5000"], "is invalid for '--mode", "1920x1080@59.94"),
    (["--display", "fallback", "--mode", "64x64"], "--mode belongs to a screen", "--display kms"),
    (["--display", "fallback", "--mirror"], "--mirror needs screens", "--display auto or kms"),
    (["--simulate", "noisy", "--mirror"], "--mirror needs screens", "leave out either"),
    (["--display", "fallback", "--vrr"], "--vrr belongs to a screen", "--display kms"),
    (["--display", "fallback", "--tearing"], "--tearing belongs to a screen", "--display kms"),
    (["--mode", "64x64", "--rate", "60"], "--rate belongs to the fallback clock", "one of them"),
    (["--mode", "64x64", "--size", "64x64"], "--size belongs to the fallback clock", "--display auto or fallback"),
    (["vblank", "--count", "1"], "'1' is invalid for '--count", "2 to 1000000"),
    (["vblank", "--count", "many"], "'many' is invalid for '--count", "2 to 1000000"),
    (["vblank", "--duration", "5s"], "--duration '5s'", "Did you mean '--count'?"),
    (["vblank", "--duration"], "--duration", "Did you mean '--count'?"),
    (["vblank", "--plot", "x.jpg"], "'x.jpg'", ".png"),
    (["vblank", "--record", "-"], "--record '-'", "a file's name"),
    (["vblank", "--replay", ""], "--replay needs a value", "name of a recording"),
    (["vblank", "--replay", "x", "--rate", "60"], "--replay needs no display", "--display, --mode and --rate"),
    (["vblank", "--replay", "x", "--count", "60"], "--replay plays the whole recording", "leave out --count"),
    (["vblank", "--replay", "x", "--record", "y"], "--replay plays a recording", "leave out --record"),
    (["vblank", "--replay", "x.png", "--plot", "./x.png"], "'./x.png' and --replay 'x.png' are one file", "use two"),
    (["vblank", "--display", "kms:HDMI-A-1", "--rate", "60"], "--rate belongs to the fallback clock", "--mode"),
    (["--display", "kms", "--rate", "60"], "--rate belongs to the fallback clock", "auto or fallback"),
    (["--display", "kms", "--size", "64x64"], "--size belongs to the fallback clock", "--display auto or fallback"),
    (["--scene", "still", "--work", "5ms"], "--work", "scene stress"),
    (["--scene", "stress", "--work", "11s"], "'11s' is invalid for '--work", "0 to 10s"),
    (["--scene", "stress", "--work", "5ms,,5ms"], "'5ms,,5ms' is invalid for '--work", "0 to 10s"),
    (
      ["--scene", "stress", "--work-phase", "present"], "'present' is invalid for '--work-phase",
      "callbacks, layout or display"
    ),
    (["profile", "orbit", "--frames", "0"], "'0' is invalid for '--frames", "1 to 1000000"),
    (["view"], "Missing expected argument '<file>'", "framepace view"),
    (["view", ""], "<file> has no name", "name of a capture"),
    (["view", "a.csv", "--json", ""], "--json has an empty name", "a file's"),
    (["view", "a.csv", "--json", "./a.csv"], "'./a.csv' is the file itself", "another one"),
    (["profile", "orbit", "--frames", "9", "--duration", "9s"], "--frames and --duration both", "use one"),
    (["profile", "--compare", "a.json"], "--compare takes two files", "the names of two profiles"),
    (["profile", "orbit", "--compare", "a.json", "b.json"], "--compare runs no scene", "alone"),
    (["profile", "--compare", "a.json", "b.json", "--rate", "60"], "--compare runs no scene", "alone"),
    (["profile", "--compare", "a.json", "b.json", "--json", "./a.json"], "'./a.json' is one of the profiles", "another"),
    (
      ["profile", "--compare", "a.json", "b.json", "--fail-over", "-5%"], "'-5%' is invalid for '--fail-over", "0% to 1000%"
    ),
    (["profile", "orbit", "--fail-over", "5%"], "--fail-over belongs to --compare", "two profiles"),
    (["profile", "orbit", "--budget", "0"], "'0' is invalid for '--budget", "a time with its unit from 100us"),
    (["profile", "orbit", "--json", ""], "--json has an empty name", "a file's"),
    (["orbit", "--json", "a.json"], "'a.json'", "(--json of run takes no file: it prints to the standard output.)"),
    (
      ["run", "--json", "a.json"], "'a.json' is no scene", "(--json of run takes no file: it prints to the standard output.)"
    ),
    (["vblank", "--json", "-"], "'-'", "(--json of vblank takes no file: it prints to the standard output.)"),
    (
      ["--simulate", "perfect"], "'perfect' is invalid for '--simulate", "steady, noisy, drifting, overloaded, vrr or flaky"
    ),
    (["--simulate", "noisy", "--seed", "-1"], "'-1' is invalid for '--seed", "0 to 4294967295"),
    (["--seed", "1"], "--seed belongs to --simulate", "--simulate"),
    (["--fast", "--duration", "1s"], "--fast belongs to --simulate", "--simulate"),
    (["--simulate", "noisy", "--fast"], "--fast needs a --duration", "--duration"),
    (
      ["--simulate", "noisy", "--rate", "60"], "--simulate has a display of its own",
      "leave out --display, --mode and --rate"
    ),
    (["--simulate", "noisy", "--display", "kms"], "--simulate has a display of its own", "leave out --display"),
    (
      ["--simulate", "noisy", "--scene", "stress", "--work", "5ms"], "--work keeps this machine busy", "leave out --simulate"
    ),
    (["--plot", "x.jpg"], "--plot 'x.jpg'", ".png"),
    (["--frame-log", "x.txt"], "--frame-log 'x.txt'", ".csv or .jsonl"),
    (["--frame-log", "-"], "--frame-log '-'", ".csv or .jsonl"),
    (["--policy", "early"], "'early' is invalid for '--policy", "vblank or late"),
    (["--diagram", "--json"], "--diagram draws text", "leave out --json"),
    (["help", "nothing"], "'nothing'", "run, render, dump, profile, view, vblank, displays, input, capture, soak, scenes"),
    (["rendr"], "no command or scene 'rendr'", "Did you mean 'render'?"),
    (["clok", "--fps"], "no command or scene 'clok'", "Did you mean 'clock'?"),
    (["nothing"], "no command or scene 'nothing'", "orbit, clock"),
    (["profile"], "Name a scene", "orbit, clock"),
    (["dump", "--time", "1s"], "Name a scene", "a file whose name ends in .scene"),
    (["help", "dislpays"], "no command 'dislpays'", "Did you mean 'displays'?"),
    (["run", "orbits"], "'orbits' is no scene", "orbit, clock"),
    (["run", "orbits", "--work", "5ms"], "'orbits' is no scene", "orbit, clock"),
    (["clock", "--scene", "orbit"], "Name a scene or use --scene", "not both"),
    (["run", "clock", "--state", "open"], "--state belongs", "a scene from a file"),
    (["orbit", "clock"], "run takes one scene at a time", "leave out 'clock'"),
    (["profile", "orbit", "clock", "a.scene"], "profile takes one scene at a time", "leave out 'clock', 'a.scene'"),
    (["vblank", "orbit"], "vblank takes no scene", "leave out 'orbit'"),
    (["help", "clock"], "no command 'clock'", "run, render, dump"),
    (["fps"], "no command 'fps'", "Did you mean '--fps'?"),
    (["--version", "foo"], "--version stands alone", "leave out 'foo'"),
    (["--frames", "3"], "Unknown option '--frames'", "it belongs to render and profile."),
    (["--output=x.png"], "Unknown option '--output'", "it belongs to render, dump and capture."),
    (["---completion", "run"], "---completion is what", "--generate-completion-script"),
    (["vblank", "--record", "x.png", "--plot", "./x.png"], "'./x.png' and --record 'x.png' are one file", "use two"),
    (["render"] + Array(repeating: "still", count: 1000), "arguments are too many", "at most 1000"),
  ]

  @Test(arguments: wrong.indices)
  func wrongInputGivesOneSentence(index: Int) throws {
    let (arguments, wrong, accepted) = Self.wrong[index]
    let folder = try TemporaryFolder()
    let result = try framepace(arguments, in: folder.path)
    #expect(result.status == 64, "\(arguments): \(result.status)")
    let sentence = result.error.replacing("\n", with: " ")
    #expect(sentence.contains(wrong), "\(arguments): \(result.error)")
    #expect(sentence.contains(accepted), "\(arguments): \(result.error)")
    let lines = result.error.split(separator: "\n")
    #expect(lines.count >= 2 && lines.last?.hasPrefix("See 'framepace") == true, "\(arguments): \(result.error)")
    #expect(lines.allSatisfy { $0.count <= 80 }, "\(arguments): \(result.error)")
    #expect(result.output.isEmpty, "\(arguments): \(result.output)")
    #expect(try folder.files.isEmpty, "\(arguments) left something behind")
  }

  /// An option without its value says what it takes.
  @Test(arguments: [
    ["run"], ["render", "still"], ["profile", "still"], ["view", "a.csv"], ["vblank"], ["capture"], ["input"],
  ])
  func aMissingValueIsAskedFor(command: [String]) throws {
    let help = try framepace("help", command[0]).output.split(separator: "\n")
    let options = help.filter { $0.hasPrefix("  --") }.map { $0.split(separator: " ") }.filter { $0[1].hasPrefix("<") }
    #expect(options.count > 1)
    for option in options.map({ String($0[0]) }) {
      let result = try framepace(command + [option])
      #expect(result.status == 64, "\(command) \(option): \(result.error)")
      let sentence = result.error.replacing("\n", with: " ")
      #expect(sentence.contains(option) && sentence.contains("use "), "\(command): \(result.error)")
    }
  }

  /// Without its arguments the command would show a scene on the display.
  @Test(.enabled(if: mayMount, "needs the right to mount a file system of its own"))
  func argumentsThatCannotBeReadAreRefused() throws {
    let script = "mount -t tmpfs tmpfs /proc && exec '\(try executable().path)' scenes"
    let result = try finish("/usr/bin/unshare", ["--user", "--map-root-user", "--mount", "/bin/sh", "-c", script])
    #expect(result.status == 1 && result.output.isEmpty)
    #expect(result.error.hasPrefix("framepace: the arguments cannot be read: mount /proc first"), "\(result.error)")
  }

  @Test(arguments: [
    ("run", "--duration"), ("run", "--work"), ("profile", "--work"), ("render", "--time"), ("input", "--duration"),
  ])
  func helpSaysWhatANumberAloneIs(command: String, option: String) throws {
    let words = try framepace("help", command).output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let start = try #require(words.range(of: "\(option) <time> ")).upperBound
    let text = words[start...].prefix { $0 != "<" }
    #expect(text.contains("a number alone is seconds"), "\(text)")
  }

  /// Every unit of time and a fraction, with the shortest possible run.
  @Test(arguments: ["200000us", "200000µs", "200ms", "0.2s", ".2", "0.0034min", "0.0034m", "0.00006h"])
  func timesAreTakenInEveryUnit(time: String) throws {
    let result = try framepace("--json", "--display", "fallback", "--size", "64x64", "--duration", time)
    #expect(result.status == 0, "\(result.error)")
    let summary = try #require(try JSONLines(result.output).objects.last?["summary"] as? [String: Any])
    let seconds = try #require(summary["time"] as? Double)
    #expect(seconds >= 0.2 && seconds < 30)
  }
}
