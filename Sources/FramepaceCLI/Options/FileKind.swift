import Framepace
import Hangs

/// The kinds of files that framepace and others write, by their first bytes: for a command that is given one that it does not read.
enum FileKind {
  case recording
  case figures
  case viewFigures
  case comparison
  case run
  case trace
  case page
  case frameLog
  case capture
  case hang
  case vblanks
  case inputScript
  case picture

  /// Nil for any other file.
  init?(_ bytes: [UInt8]) {
    // A tool may have indented the JSON: spaces do not count, and the texts below have none.
    let head = bytes.prefix(4096).filter { !" \t\r\n".utf8.contains($0) }
    func begins(_ text: String) -> Bool { head.starts(with: text.utf8) }
    func has(_ key: String) -> Bool { head.firstRange(of: Array("\"\(key)\":".utf8)) != nil }
    if RecordedProfile.isOne(bytes) {
      self = .recording
    } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
      self = .picture
    } else if HangReport.isReport(bytes) {
      self = .hang
    } else if begins("framepacevblanks") {
      self = .vblanks
    } else if begins("framepaceinput") || begins("#libinputrecord") {
      self = .inputScript
    } else if begins("{\"verdict\":"), has("regression") {
      self = .comparison
    } else if begins("{\"verdict\":"), has("file"), has("format") {
      self = .viewFigures
    } else if begins("{\"verdict\":"), has("scene") {
      self = .figures
    } else if begins("{\"scene\":"), has("clock"), has("policy") {
      self = .run
    } else if begins("{\""), has("traceEvents") {
      self = .trace
    } else if begins("{\"number\":") && has("outcome") || begins("number,outcome,") {
      self = .frameLog
    } else if begins("Application,ProcessID,") || begins("os,cpu,") || begins("fps,frametime,") {
      self = .capture
    } else if begins("<!doctypehtml>") {
      self = .page
    } else {
      return nil
    }
  }

  /// "the report of a hang"
  var name: String {
    switch self {
    case .recording: "a recording of frames"
    case .figures: "the JSON of a profile"
    case .viewFigures: "the JSON of a view"
    case .comparison: "the JSON of a comparison"
    case .run: "the JSON of a run"
    case .trace: "a trace"
    case .page: "a page"
    case .frameLog: "a frame log"
    case .capture: "a capture of another tool"
    case .hang: "the report of a hang"
    case .vblanks: "a recording of vblanks"
    case .inputScript: "an event script"
    case .picture: "a picture"
    }
  }

  /// Nil too for a file that cannot be read, and for a pipe, which has its bytes only once.
  init?(ofFile path: String) {
    guard let head = try? InputFile.head(of: path), !head.isEmpty else { return nil }
    self.init(head)
  }

  /// A sentence that says what the file is, and what opens it.
  func sentence(of path: String) -> String { "'\(path)' \(predicate(of: path))" }

  /// The sentence without its subject.
  func predicate(of path: String) -> String {
    let use =
      switch self {
      case .recording: "use framepace profile \(path.shellWord)"
      case .figures: "use framepace profile --compare with it and with another one"
      case .viewFigures: "it has no frames to view; those are in the file that it names"
      case .comparison: "it has no frames to view, and nothing to compare; these are in the two files that were compared"
      case .run: "it has no frames to view; those are in the file of run --frame-log"
      case .trace: "open it at https://ui.perfetto.dev"
      case .page, .picture: "open it in a browser"
      case .frameLog, .capture, .hang: "use framepace view \(path.shellWord)"
      case .vblanks: "use framepace vblank --replay \(path.shellWord)"
      case .inputScript: "use framepace input --check \(path.shellWord)"
      }
    return "is \(name): \(use)"
  }
}
