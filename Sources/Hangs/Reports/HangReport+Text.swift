import Glibc
import LinuxSystem

/// Reports for people.
extension HangReport {
  /// The report in one sentence.
  public var headline: String {
    let what: String
    switch kind {
    case .hang:
      let state =
        switch state {
        case .computing: "computing"
        case .blocked: "blocked\(waitChannel.map { " in \($0)" } ?? "")"
        case .starved: "starved of a processor"
        }
      what = "\(isOver ? "hung for" : "has hung for") \(Self.time(duration)), \(state)"
    case .load: what = "used \(Self.percent(processorShare)) of a processor for \(Self.time(duration))"
    }
    let place = culprit.map { ", in \($0.name)" } ?? ""
    return "\(loop.isEmpty ? "the loop" : loop) \(what)\(place)"
  }

  /// The whole report for people, in lines of at most `width` characters.
  ///
  /// Names that are longer are cut, and frames are left out that the Swift compiler made for itself. The file has all of them.
  public func text(width: Int = 132) -> String {
    var lines = Self.lines(of: headline, width: width, first: "", next: "  ")
    func add(_ name: String, _ value: String) {
      let first = "  \(name)" + String(repeating: " ", count: max(1, 13 - name.count))
      lines += Self.lines(of: value, width: width, first: first, next: String(repeating: " ", count: 15))
    }
    add("program", "\(program), process \(process), thread \(thread)")
    add("began", Self.day(date))
    switch (mode, kind) {
    case (let mode?, .hang): add("loop", "mode \(mode), \(phase.text)")
    case (let mode?, .load): add("loop", "mode \(mode)")
    case (nil, _): add("loop", phase.text)
    }
    let starved = starvedShare < 0.005 ? "" : "; others had them for \(Self.percent(starvedShare)) of the time"
    add("processor", "\(Self.percent(processorShare)) of one, by the loop's thread\(starved)")
    if excused > .zero {
      add("not counted", "\(Self.time(excused)): stopped, suspended, debugged, or other programs had the processor")
    }
    if count > 1 { add("equal ones", "\(count), the longest \(Self.time(longest))") }
    if leftOut > 0 { add("left out", "\(leftOut) equal ones since the report before") }
    for fact in facts { add(fact.name, fact.value) }
    guard !frames.isEmpty else {
      add("stack", "none: the thread did not take the signal for it")
      return lines.joined(separator: "\n")
    }
    let samples = samples == 1 ? "1 sample" : "\(samples) samples"
    add("stack", "\(samples); \(Self.percent(share)) of the time was spent in this one")
    for (index, frame) in frames.enumerated() where !frame.isGlue {
      let (number, share) = ("\(index)", Self.percent(frame.share))
      let start =
        "  " + String(repeating: " ", count: max(0, 3 - number.count)) + number
        + String(repeating: " ", count: max(0, 7 - share.count)) + share + "  "
      let file = frame.file.split(separator: "/").last.map { frame.function == nil ? "" : "  (\($0))" } ?? ""
      let room = max(width - start.count - file.count, 20)
      let name = frame.name.count > room ? frame.name.prefix(room - 1) + "…" : frame.name[...]
      lines.append(start + name + file)
    }
    if !isWhole { lines.append("              the outermost frames are missing") }
    return lines.joined(separator: "\n")
  }

  /// A text in lines, broken at spaces where there are any.
  private static func lines(of text: String, width: Int, first: String, next: String) -> [String] {
    var (lines, rest, start) = ([String](), Substring(text), first)
    while true {
      let room = max(width - start.count, 20)
      guard rest.count > room else { return lines + [start + rest] }
      let space = rest.prefix(room + 1).lastIndex(of: " ") ?? rest.index(rest.startIndex, offsetBy: room)
      lines.append(start + rest[..<space])
      rest = rest[space...].drop { $0 == " " }
      start = next
    }
  }

  private static func percent(_ share: Double) -> String {
    share.isFinite ? "\(Int(max(0, min(share, 1_000)) * 100 + 0.5)) %" : "? %"
  }

  /// Three digits.
  private static func time(_ time: Nanoseconds) -> String {
    func rounded(_ value: Double, _ unit: String) -> String {
      let factor: Double = value < 10 ? 100 : value < 100 ? 10 : 1
      let text = "\((value * factor).rounded() / factor)"
      return (text.hasSuffix(".0") ? String(text.dropLast(2)) : text) + " " + unit
    }
    return time < .seconds(1) ? rounded(time.milliseconds, "ms") : rounded(time.seconds, "s")
  }

  /// The date in UTC, as ISO 8601 has it.
  private static func day(_ date: Double) -> String {
    guard var seconds = time_t(exactly: date.rounded(.down)) else { return "?" }
    var parts = tm()
    guard gmtime_r(&seconds, &parts) != nil else { return "?" }
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) "
      + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) UTC"
  }
}
