import Framepace
import Hangs

/// The kinds of files that framepace and others write, by their first bytes: for a command that is given one that it does not read.
enum FileKind {
  case recording
  case figures
  case trace
  case page
  case frameLog
  case capture
  case hang
  case vblanks

  /// Nil for any other file.
  init?(_ bytes: [UInt8]) {
    // A tool may have indented the JSON: spaces do not count, and the texts below have none.
    let head = bytes.prefix(4096).filter { !" \t\r\n".utf8.contains($0) }
    func begins(_ text: String) -> Bool { head.starts(with: text.utf8) }
    func has(_ key: String) -> Bool { head.firstRange(of: Array("\"\(key)\":".utf8)) != nil }
    if RecordedProfile.isOne(bytes) {
      self = .recording
    } else if HangReport.isReport(bytes) {
      self = .hang
    } else if begins("framepacevblanks") {
      self = .vblanks
    } else if begins("{\"verdict\":"), has("scene") {
      self = .figures
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
    case .trace: "a trace"
    case .page: "a page"
    case .frameLog: "a frame log"
    case .capture: "a capture of another tool"
    case .hang: "the report of a hang"
    case .vblanks: "a recording of vblanks"
    }
  }

  /// A sentence that says what the file is, and what opens it.
  func sentence(of path: String) -> String {
    let use =
      switch self {
      case .recording: "use framepace profile '\(path)'"
      case .figures: "use framepace profile --compare with it and with another one"
      case .trace: "open it at https://ui.perfetto.dev"
      case .page: "open it in a browser"
      case .frameLog, .capture, .hang: "use framepace view '\(path)'"
      case .vblanks: "use framepace vblank --replay '\(path)'"
      }
    return "'\(path)' is \(name): \(use)"
  }
}
