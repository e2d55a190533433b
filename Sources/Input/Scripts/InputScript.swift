import LinuxSystem

/// The events of input devices as text: recorded, or written by hand.
///
/// ```
/// framepace input 1
/// # seconds  device  what it did
/// 0          1       added "Touch panel" touch fingers 10 size 152 91
/// 0.5        1       touch 0 down 0.5 0.25
/// 0.516667   1       touch 0 moved 0.5 0.27
/// 0.6        1       touch 0 up
/// ```
///
/// A line is an event: its time in seconds since the script began, the number of its device, and its words.
///
/// | words | event |
/// | --- | --- |
/// | `added "NAME" ABILITY…` | the first event of a device, with `touch`, `pointer`, `keyboard`, `pen`, `gestures` and `letters`, and what is known of `fingers N`, `size W H` in millimetres, `output "NAME"` |
/// | `removed` | its last one |
/// | `touch N down X Y`, `touch N moved X Y`, `touch N up`, `touch N cancelled` | the finger N, at a part of the area from 0 to 1, or a little beyond: see `InputEvent.Touch` |
/// | `motion X Y`, `position X Y` | a pointer moved by so much, or is at a part of its area |
/// | `button BTN_LEFT down`, `key KEY_A up` | a button or a key, by the kernel's name or its number |
/// | `scroll wheel X Y`, `scroll fingers X Y`, `scroll ended`, `scroll continuous X Y` | see `InputEvent.Scroll` |
/// | `pen TOOL away X Y`, `pen TOOL near X Y`, `pen TOOL down X Y` | a pen, with `pressure P` and `tilt X Y` behind if these are known |
/// | `gesture began KIND N`, `gesture changed X Y SCALE ROTATION`, `gesture ended`, `gesture cancelled` | N fingers on a touchpad: a `swipe`, a `pinch` or a `hold` |
/// | `left` | the pointer went to the window of another program |
/// | `released` | all keys count as up: another program has the keyboard |
/// | `modifiers DEPRESSED LATCHED LOCKED LAYOUT` | the masks of a desktop that keeps the modifiers: see `ModifierState` |
///
/// From `#` on, a line is a comment. Neither need times rise from line to line, nor must events make sense: a finger, a button or a key
/// that is lifted, or moved, and is not down does nothing. `framepace input --check` tells of lines that are probably mistakes, and so does a
/// command that plays the script. Only a device must have been added before it is used.
///
/// ### Recordings of libinput
///
/// A recording that `libinput record` wrote, of version 1, is read as the script that `framepace input --record` would have written beside it. It
/// may have touch screens, pointers and keyboards. Three things differ: a mouse moves by its counts, without acceleration; a fine wheel
/// turns from its first part of a click on; and time 0 is the recording's. Touchpads, pens and multi-touch without slots (the kernel's
/// protocol A) need libinput itself: a recording with events of one is an error at the line of its name; a touch screen that has no multi-touch
/// plays with its one finger. Keys are those that were pressed if it was made with `--show-keycodes`; otherwise most count as A.
public struct InputScript: Hashable, Sendable {
  /// In the order of their lines; a time is that since the script began.
  public var events: [InputEvent]

  public init(events: [InputEvent]) { self.events = events }

  /// Reads a script, or a recording of libinput.
  ///
  /// - Parameter file: the name of its file, for errors.
  public init(_ text: String, file: String? = nil) throws(InputScriptError) {
    guard !Self.isRecording(text) else {
      events = try Self.events(ofRecording: text, file: file)
      return
    }
    let lines = Self.lines(of: text)
    guard let first = lines.first else {
      throw InputScriptError(file: file, line: 1, column: 1, expected: "the line \"\(Self.header)\"", found: nil)
    }
    var header = try InputScriptLine(first.text, number: first.number, file: file)
    try header.readHeader()
    var devices: Set<InputDevice.ID> = []
    events = []
    for (number, text) in lines.dropFirst() {
      var line = try InputScriptLine(text, number: number, file: file)
      events.append(try line.event(devices: &devices))
    }
  }

  /// The lines of a script's text that are neither empty nor comments: its header, and then one for each of `events`.
  ///
  /// - Returns: with their numbers, counted from 1. A recording of libinput has no such lines: an event of it is several.
  public static func lines(of text: String) -> [(number: Int, text: Substring)] {
    guard !isRecording(text) else { return [] }
    // Some editors write a byte order mark.
    let text = text.unicodeScalars.first == "\u{FEFF}" ? text.unicodeScalars.dropFirst() : text.unicodeScalars[...]
    let lines = Substring(text).split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    return lines.enumerated().compactMap { index, line in
      let first = line.unicodeScalars.first { !$0.properties.isWhitespace }
      return first == nil || first == "#" ? nil : (index + 1, line)
    }
  }

  static let header = "framepace input 1"
}
