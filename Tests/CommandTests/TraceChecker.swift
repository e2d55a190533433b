import Foundation

/// Checks a file of trace events against the rules of the format, and against what framepace's tracks promise.
struct TraceChecker {
  struct Slice {
    var name: String
    var track: Int
    var start: Int
    var end: Int
    /// How many slices it lies in.
    var depth: Int
    var arguments: [String: Any]
  }

  struct Flow {
    var steps: [(kind: String, track: Int, time: Int)] = []
  }

  private(set) var violations: [String] = []
  private(set) var slices: [Slice] = []
  /// The names of tracks.
  private(set) var tracks: [Int: String] = [:]
  private(set) var flows: [Int: Flow] = [:]
  private(set) var drawingFlows: [Int: Flow] = [:]
  private(set) var counters: [String: [Double]] = [:]
  private(set) var process: String?

  private var open: [Int: [(name: String, start: Int)]] = [:]
  /// Whole slices, in the order of the file.
  private var whole: [Int: [Slice]] = [:]

  init(_ bytes: some Collection<UInt8>) {
    guard let file = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] else {
      violations.append("no JSON object")
      return
    }
    guard let events = file["traceEvents"] as? [Any] else {
      violations.append("no list of traceEvents")
      return
    }
    for event in events {
      guard let event = event as? [String: Any] else {
        violations.append("an event that is no object")
        continue
      }
      add(event)
    }
    for (track, rest) in open where !rest.isEmpty { violations.append("track \(track): '\(rest[0].name)' does not end") }
    nest()
    checkFlows(flows)
    checkFlows(drawingFlows)
    checkTracks()
  }

  // MARK: - Events

  private mutating func add(_ event: [String: Any]) {
    guard let kind = event["ph"] as? String, let process = event["pid"] as? Int, let track = event["tid"] as? Int else {
      return violations.append("an event without ph, pid or tid: \(event)")
    }
    if process != 1 { violations.append("process \(process)") }
    // One clock: whole microseconds, in the same range as all others.
    guard let number = event["ts"] as? NSNumber, let time = Int("\(number)") else {
      return violations.append("a time that is no whole number: \(event)")
    }
    let arguments = event["args"] as? [String: Any] ?? [:]
    checkNumbers(arguments)
    switch kind {
    case "M": metadata(event, track, arguments)
    case "X":
      guard let name = event["name"] as? String, let length = event["dur"] as? Int, length >= 0 else {
        return violations.append("a slice without a name or a length: \(event)")
      }
      whole[track, default: []].append(
        Slice(name: name, track: track, start: time, end: time + length, depth: 0, arguments: arguments))
    case "B":
      guard let name = event["name"] as? String else { return violations.append("a slice without a name: \(event)") }
      open[track, default: []].append((name, time))
    case "E":
      guard let begun = open[track]?.popLast() else {
        return violations.append("track \(track): an end without a beginning")
      }
      if begun.start > time { violations.append("'\(begun.name)' ends before it begins") }
      whole[track, default: []].append(
        Slice(name: begun.name, track: track, start: begun.start, end: time, depth: 0, arguments: [:]))
    case "C":
      guard let name = event["name"] as? String, !arguments.isEmpty else {
        return violations.append("a counter without a name or a value: \(event)")
      }
      counters[name, default: []] += arguments.values.compactMap { ($0 as? NSNumber)?.doubleValue }
    case "s", "t", "f":
      guard let id = event["id"] as? Int, let name = event["name"] as? String, event["cat"] as? String == name else {
        return violations.append("a flow without id, name or category: \(event)")
      }
      if kind != "s", event["bp"] as? String != "e" { violations.append("flow \(id): a step that binds to the next slice") }
      switch name {
      case "frame": flows[id, default: Flow()].steps.append((kind, track, time))
      case "drawing": drawingFlows[id, default: Flow()].steps.append((kind, track, time))
      default: violations.append("a flow of \(name)")
      }
    default: violations.append("an event of kind \(kind)")
    }
  }

  private mutating func metadata(_ event: [String: Any], _ track: Int, _ arguments: [String: Any]) {
    switch (event["name"] as? String, arguments["name"] as? String, arguments["sort_index"] as? Int) {
    case ("process_name", let name?, _): process = name
    case ("thread_name", let name?, _):
      if tracks.updateValue(name, forKey: track) != nil { violations.append("track \(track) has two names") }
    case ("thread_sort_index", _, .some): break
    default: violations.append("metadata that nobody reads: \(event)")
    }
  }

  private mutating func checkNumbers(_ arguments: [String: Any]) {
    for (name, value) in arguments {
      if let number = value as? NSNumber, !number.doubleValue.isFinite { violations.append("\(name) is \(number)") }
      if value is NSNull { violations.append("\(name) is null") }
    }
  }

  // MARK: - Rules

  /// Slices of a track lie one after the other, or one within the other. A slice may also begin with the one that it lies in: then it
  /// comes after it in the file.
  private mutating func nest() {
    for (track, all) in whole {
      if tracks[track] == nil { violations.append("track \(track) has no name") }
      let sorted = all.enumerated().sorted { one, other in
        (one.element.start, -one.element.end, one.offset) < (other.element.start, -other.element.end, other.offset)
      }
      var stack: [Slice] = []
      for var slice in sorted.map(\.element) {
        while let last = stack.last, last.end <= slice.start, last.start < last.end || slice.start > last.start {
          stack.removeLast()
        }
        if let last = stack.last, slice.end > last.end {
          violations.append("track '\(tracks[track] ?? "")': '\(slice.name)' at \(slice.start) ends after '\(last.name)'")
        }
        slice.depth = stack.count
        stack.append(slice)
        slices.append(slice)
      }
    }
  }

  private mutating func checkFlows(_ flows: [Int: Flow]) {
    for (id, flow) in flows {
      let kinds = flow.steps.map(\.kind)
      if kinds.first != "s" || kinds.last != "f" || kinds.count < 2
        || kinds.dropFirst().dropLast().contains(where: { $0 != "t" })
      {
        violations.append("flow \(id) has the steps \(kinds)")
      }
      for (step, next) in zip(flow.steps, flow.steps.dropFirst()) where next.time < step.time {
        violations.append("flow \(id) goes back in time")
      }
      for step in flow.steps {
        let isBound = whole[step.track]?.contains { $0.start <= step.time && step.time < $0.end } ?? false
        if !isBound { violations.append("flow \(id): no slice on track \(step.track) at \(step.time)") }
      }
    }
  }

  /// Each frame has one slice among the expected ones and one among the actual ones, in the same order.
  private mutating func checkTracks() {
    let (expected, actual) = (numbers("expected frames"), numbers("actual frames"))
    if expected != actual { violations.append("frames are expected as \(expected), and made as \(actual)") }
    if slices.contains(where: { $0.depth > 0 && tracks[$0.track]?.hasPrefix("workers") == true }) {
      violations.append("drawings of one track overlap")
    }
    if Set(tracks.values).count != tracks.count { violations.append("two tracks have one name: \(tracks)") }
  }

  private func numbers(_ name: String) -> [Int] {
    let found = slices.filter { $0.depth == 0 && tracks[$0.track]?.hasPrefix(name) == true }
    return found.compactMap { $0.arguments["number"] as? Int }.sorted()
  }

  // MARK: - Questions

  /// The slices of the tracks whose names begin so, by time.
  func slices(of track: String, depth: Int? = nil) -> [Slice] {
    slices.filter { (tracks[$0.track] ?? "").hasPrefix(track) && (depth ?? $0.depth) == $0.depth }
      .sorted { ($0.start, $0.depth) < ($1.start, $1.depth) }
  }
}
