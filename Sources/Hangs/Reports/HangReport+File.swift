import LinuxSystem

/// A report that cannot be read.
public struct HangReportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line, and the column in characters, from 1.
  public var line: Int
  public var column: Int
  public var message: String

  public var description: String { "line \(line), column \(column): \(message)" }
}

/// Reports as files: lines of a name, a colon and a value. Frames have fields with tabs between them.
extension HangReport {
  /// The file's first line.
  public static let signature = "framepace hang report 1"

  /// True if bytes begin as a report's file does.
  public static func isReport(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.starts(with: Array("framepace hang report".utf8))
  }

  /// The report as a file has it.
  public var fileText: String {
    var lines = [Self.signature]
    func add(_ name: String, _ value: some CustomStringConvertible) {
      lines.append("\(name): \(Self.clean(value.description, limit: 1_000))")
    }
    add("kind", kind.rawValue)
    add("program", program)
    add("process", process)
    add("thread", thread)
    add("loop", loop)
    add("date", date)
    add("start", start.nanoseconds)
    add("duration", duration.count)
    add("excused", excused.count)
    add("over", isOver ? "yes" : "no")
    add("count", count)
    add("longest", longest.count)
    add("left out", leftOut)
    add("processor share", processorShare)
    add("starved share", starvedShare)
    if let waitChannel { add("wait channel", waitChannel) }
    if let mode { add("mode", mode) }
    add("phase", "\(phase)")
    add("samples", samples)
    add("share", share)
    add("whole", isWhole ? "yes" : "no")
    add("longest stop", longestStop.count)
    for fact in facts { lines.append("fact: \(Self.clean(fact.name, limit: 100))\t\(Self.clean(fact.value, limit: 1_000))") }
    for frame in frames {
      let fields = [
        "\(frame.share)", "0x" + String(frame.address, radix: 16), "0x" + String(frame.offset, radix: 16),
        Self.clean(frame.file, limit: 4_096), Self.clean(frame.function ?? "", limit: 2_000),
      ]
      lines.append("frame: " + fields.joined(separator: "\t"))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func clean(_ text: String, limit: Int) -> String { String(text.withoutControlCharacters.prefix(limit)) }

  /// Reads a report's file. Lines with names that are unknown here are skipped: a later version may have them.
  ///
  /// - Throws: `HangReportError` with the first line and column at which something is wrong or missing.
  public init(fileText text: String) throws(HangReportError) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.first.map(String.init) == Self.signature else {
      throw HangReportError(line: 1, column: 1, message: "a report begins with '\(Self.signature)'")
    }
    self.init(kind: .hang, start: .zero, duration: .zero, processorShare: 0, phase: .notRunning)
    var missing: Set = ["kind", "start", "duration"]
    for (index, line) in lines.enumerated().dropFirst() where !line.isEmpty {
      guard let colon = line.firstRange(of: ": ") else {
        throw HangReportError(line: index + 1, column: 1, message: "a line is a name, a colon, a space and a value")
      }
      let name = String(line[..<colon.lowerBound])
      missing.remove(name)
      let column = line.distance(from: line.startIndex, to: colon.upperBound) + 1
      var value = LineValue(text: line[colon.upperBound...], line: index + 1, column: column)
      try read(name, &value)
    }
    if let name = missing.min() {
      throw HangReportError(line: lines.count, column: 1, message: "the report has no '\(name)': it was cut off")
    }
  }

  private mutating func read(_ name: String, _ value: inout LineValue) throws(HangReportError) {
    switch name {
    case "kind": kind = try value.choice([.hang, .load], \.rawValue)
    case "program": program = value.rest
    case "process": process = try value.number()
    case "thread": thread = try value.number()
    case "loop": loop = value.rest
    case "date": date = try value.number()
    case "start": start = MonotonicTime(nanoseconds: try value.number())
    case "duration": duration = Nanoseconds(try value.number())
    case "excused": excused = Nanoseconds(try value.number())
    case "over": isOver = try value.choice([true, false]) { $0 ? "yes" : "no" }
    case "count": count = try value.number()
    case "longest": longest = Nanoseconds(try value.number())
    case "left out": leftOut = try value.number()
    case "processor share": processorShare = try value.number()
    case "starved share": starvedShare = try value.number()
    case "wait channel": waitChannel = value.rest
    case "mode": mode = value.rest
    case "phase": phase = try value.choice(LoopPhase.allCases) { "\($0)" }
    case "samples": samples = try value.number()
    case "share": share = try value.number()
    case "whole": isWhole = try value.choice([true, false]) { $0 ? "yes" : "no" }
    case "longest stop": longestStop = Nanoseconds(try value.number())
    case "fact": facts.append(Fact(value.field, value.field))
    case "frame":
      let share: Double = try value.number()
      var frame = Frame(address: try value.hexadecimal(), share: share)
      frame.offset = try value.hexadecimal()
      frame.file = value.field
      frame.function = value.field
      if frame.function == "" { frame.function = nil }
      frames.append(frame)
    default: break
    }
  }
}

/// The value of a line, read field by field.
private struct LineValue {
  var text: Substring
  let line: Int
  var column: Int

  var rest: String { String(text) }

  /// The text to the next tab.
  var field: String {
    mutating get {
      let end = text.firstIndex(of: "\t") ?? text.endIndex
      let field = String(text[..<end])
      column += field.count + 1
      text = end == text.endIndex ? "" : text[text.index(after: end)...]
      return field
    }
  }

  private func error(_ message: String, at column: Int) -> HangReportError {
    HangReportError(line: line, column: column, message: message)
  }

  mutating func number<Number: LosslessStringConvertible>() throws(HangReportError) -> Number {
    let start = column
    let text = field
    guard let number = Number(text), (number as? Double)?.isFinite ?? true else {
      throw error("'\(text.withoutControlCharacters)' is no number of this kind", at: start)
    }
    return number
  }

  mutating func hexadecimal() throws(HangReportError) -> UInt64 {
    let start = column
    let text = field
    guard text.hasPrefix("0x"), let number = UInt64(text.dropFirst(2), radix: 16) else {
      throw error("'\(text.withoutControlCharacters)' is no hexadecimal number", at: start)
    }
    return number
  }

  mutating func choice<Value>(_ values: [Value], _ name: (Value) -> String) throws(HangReportError) -> Value {
    let (start, text) = (column, field)
    guard let value = values.first(where: { name($0) == text }) else {
      throw error("'\(text.withoutControlCharacters)' is none of \(values.map(name).joined(separator: ", "))", at: start)
    }
    return value
  }
}
