import ArgumentParser
import Framepace
import Input
import Metering

struct InputCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "input",
    abstract: "Lists the input devices, and prints what people do at them.",
    usage: "framepace input [<options>]",
    discussion: """
      Prints a table of the touch screens, pointers, keyboards and pens that can be \
      used, and then each event as it comes: the seconds since the start, the number \
      of the device, and words. Devices that come and go are events too. Ctrl-C ends \
      it with the number of events of each device, and the most within a second. A \
      device that is plugged in later is used at once. If none can be used, the \
      command says why, and what to do about it; where waiting is of no use the exit \
      status is 1.

        framepace input --list
        framepace input --duration 10s --record drag.input
        framepace input --check drag.input
        framepace run feed --input drag.input
        framepace input --display kms

      With --display it also shows a cross at each finger, pointer and pen, with the \
      name of its device and its place in points and on the panel, and at the bottom \
      each device with its screen, how the picture is turned, and the calibration \
      matrix. A cross that is not below the finger tells of a wrong one of these. Crosses \
      of fingers that were lifted stay, dimmed. Without a desktop and a screen, auto \
      leaves it at the text.

      Devices are opened with the user's own rights: those of root, or of the group \
      input. Keys then also reach the program in front. What is typed at this terminal \
      meanwhile is not shown, and kept from the shell; another console, or a desktop, \
      gets its keys. Where the user has no such rights, the command becomes the \
      session of the console in front, by seatd or logind. Such a session takes the \
      console from the kernel: until the end it shows no text and types nothing, and \
      the command itself follows Ctrl-C and Ctrl-Alt-F1 to F12.

      Event script: --record writes one. Its first line is 'framepace input 1', each \
      other one an event: seconds, the number of the device, and words. From # on a \
      line is a comment. Every device begins with added. Places are parts of the \
      device's area, from 0 to 1, or a little beyond for what a device sees outside of \
      it; a size is in millimetres.

        framepace input 1
        0    1  added "Touch panel" touch fingers 10 size 152 91
        0.5  1  touch 0 down 0.5 0.25
        0.6  1  touch 0 up

        added "NAME" ABILITY... [fingers N] [size W H] [output "NAME"]
                             abilities are touch, pointer, keyboard, pen,
                             gestures, and letters for a keyboard on which
                             people write
        removed              it was unplugged
        touch N down X Y, touch N moved X Y, touch N up, touch N cancelled
                             a finger, by its number from 0 on
        motion X Y           a pointer moved, by about X points to the right and Y
                             down. It begins in the middle of the screen
        position X Y         a pointer is at this part of the area
        button NAME down|up  by the kernel's name, such as BTN_LEFT
        key NAME down|up     the same, such as KEY_A, KEY_ENTER or KEY_LEFTSHIFT;
                             linux/input-event-codes.h has them all
        scroll wheel X Y     a wheel, in clicks: positive goes right, and down
        scroll fingers X Y, scroll ended
                             fingers on a touchpad, as motion; then they are lifted
        scroll continuous X Y
                             a trackpoint or a held button, as motion
        pen TOOL away|near|down X Y [pressure P] [tilt X Y]
                             a pen, eraser, brush, pencil, airbrush, mouse, lens or
                             totem; a pressure from 0 to 1, a tilt in degrees
        gesture began swipe|pinch|hold N
        gesture changed X Y SCALE ROTATION
        gesture ended, gesture cancelled
                             N fingers on a touchpad: their way as motion, their
                             distance as a multiple of that at the beginning, and
                             their turn since the last event, in degrees clockwise
        left                 the pointer went to another program's window
        released             all keys count as up: another program has them
        modifiers DEPRESSED LATCHED LOCKED LAYOUT
                             masks, from a desktop that keeps the modifiers

      A list is scrolled, a button is clicked, and a letter typed so:

        framepace input 1
        0    1  added "Mouse" pointer
        0    2  added "Keys" keyboard letters
        0.5  1  scroll wheel 0 3
        1    1  position 0.25 0.5
        1.1  1  button BTN_LEFT down
        1.2  1  button BTN_LEFT up
        2    2  key KEY_A down
        2.1  2  key KEY_A up

      A recording may begin while something is held: a finger, a button or a key that \
      goes up, or moves, and is not down does nothing. --check tells of lines that are \
      probably mistakes, such as these, places in pixels, or a forgotten up; so does \
      every command that plays the script. The exit status stays 0.

      A recording that libinput record wrote is read in the place of a script, by \
      --check and by --input: touch screens, pointers, wheels and keyboards, with \
      mice as they count, without acceleration. --show-keycodes keeps its keys. \
      Touchpads and pens need libinput itself: play them with libinput replay, and \
      let --record write the script meanwhile.

        libinput record --show-keycodes -o drag.yml
        framepace run feed --input drag.yml
      """)

  @Flag(help: "Print the table of devices, and nothing else. That there is none is no error.")
  var list = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How long to print events, from 1us to 200h, such as 500ms, 10s or 2min; \(Accepted.plainTime). Without it until Ctrl-C.",
      valueName: "time"),
    transform: Accepted.time(from: ("1us", .microseconds(1)), to: ("200h", .seconds(720_000))))
  var duration: Nanoseconds?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Also write all events to this file, as an event script.", valueName: "file"),
    completion: .file())
  var record: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Read this event script instead, and print its figures, or the place of its first mistake.", valueName: "file"),
    completion: .file())
  var check: String?

  @OptionGroup var crosshair: CrosshairOptions
  @OptionGroup var script: InputOptions

  func validate() throws {
    try OutputPath.requireName(record, option: "--record")
    if check == "" { throw ValidationError("--check needs a value: use the name of an event script.") }
    if check != nil, list || duration != nil || record != nil {
      throw ValidationError("--check reads a file and uses no device: leave out --list, --duration and --record.")
    }
    if check != nil || list, crosshair.display != nil || script.input != nil {
      throw ValidationError("\(list ? "--list" : "--check") prints and ends: leave out --display and --input.")
    }
    if list, duration != nil || record != nil {
      throw ValidationError("--list waits for no event: leave out --duration and --record.")
    }
  }

  func run() throws {
    try onMainActor {
      if let check { return try Terminal.output.line(try Self.figures(ofScript: check, width: Terminal.output.textWidth)) }
      if list { return try Terminal.output.line(InputSession().devicesText ?? "") }
      try OutputPath.requireDistinct([("--record", record), ("--screenshot", crosshair.screenshot)])
      try OutputPath.requireWritable(files: [record, crosshair.screenshot].compactMap(\.self))
      let events = try script.script()
      // The signals must be blocked before any thread exists, so that all threads leave them to the loop.
      let signals = try EndSignals()
      try InputSession(crosshair, script: events).run(for: duration, record: record, signals: signals)
    }
  }

  private static func figures(ofScript path: String, width: Int) throws -> String {
    let (script, doubts) = try InputOptions.read(path)
    let end = script.events.map(\.time).max() ?? .zero
    let summary = InputText.summary(InputTally(script.events), of: path, time: end - .zero, width: width)
    return ([summary] + doubts.map { Text.paragraph($0, width: width) }).joined(separator: "\n\n")
  }
}
