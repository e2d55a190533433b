import LinuxSystem

/// Trace events as JSON, which Perfetto and chrome://tracing read: one a line.
///
/// Times are whole microseconds, rounded down. Rounding both ends of a slice in this way keeps what is nested nested, and every
/// reader gets the same numbers; exact durations are in the arguments.
struct TraceEvents {
  /// The place of an event in a flow.
  enum FlowStep {
    case begin, middle, end
  }

  private(set) var bytes: [UInt8] = []
  private var isFirst = true

  init(capacity: Int) {
    bytes.reserveCapacity(capacity)
  }

  static func microseconds(_ time: MonotonicTime) -> Int64 {
    let (quotient, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: 1000)
    return rest < 0 ? quotient - 1 : quotient
  }

  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// Appends the text around the events.
  mutating func append(_ text: StaticString) { JSONBytes.append(text, to: &bytes) }

  mutating func append(quoted text: String) { JSONBytes.append(quoted: text, to: &bytes) }

  /// A slice from `start` to `end`, in microseconds.
  mutating func slice(
    _ name: [UInt8], track: Int64, from start: Int64, to end: Int64, arguments: (inout [UInt8]) -> Void
  ) {
    begin("X", track: track, at: start)
    JSONBytes.append(#","dur":"#, to: &bytes)
    JSONBytes.append(end - start, to: &bytes)
    append(name: name)
    JSONBytes.append(#","args":{"#, to: &bytes)
    arguments(&bytes)
    JSONBytes.append("}}", to: &bytes)
  }

  /// The beginning of a slice; `endSlice` ends the innermost one of a track.
  mutating func beginSlice(_ name: [UInt8], track: Int64, at time: Int64) {
    begin("B", track: track, at: time)
    append(name: name)
    JSONBytes.append("}", to: &bytes)
  }

  mutating func endSlice(track: Int64, at time: Int64) {
    begin("E", track: track, at: time)
    JSONBytes.append("}", to: &bytes)
  }

  /// A step of flow `id`, bound to the slice that the track has at that time.
  ///
  /// - Parameter name: the kind of flow; flows of two kinds may have one id.
  mutating func flow(_ id: Int64, _ step: FlowStep, of name: StaticString = "frame", track: Int64, at time: Int64) {
    switch step {
    case .begin: begin("s", track: track, at: time)
    case .middle: begin("t", track: track, at: time)
    case .end: begin("f", track: track, at: time)
    }
    JSONBytes.append(#","name":""#, to: &bytes)
    JSONBytes.append(name, to: &bytes)
    JSONBytes.append(#"","cat":""#, to: &bytes)
    JSONBytes.append(name, to: &bytes)
    JSONBytes.append(#"","id":"#, to: &bytes)
    JSONBytes.append(id, to: &bytes)
    if step != .begin { JSONBytes.append(#","bp":"e""#, to: &bytes) }
    JSONBytes.append("}", to: &bytes)
  }

  /// A value of a counter.
  mutating func counter(_ name: StaticString, at time: Int64, value: (inout [UInt8]) -> Void) {
    begin("C", track: 0, at: time)
    JSONBytes.append(#","name":""#, to: &bytes)
    JSONBytes.append(name, to: &bytes)
    JSONBytes.append(#"","args":{"value":"#, to: &bytes)
    value(&bytes)
    JSONBytes.append("}}", to: &bytes)
  }

  /// The name of the process, which has all tracks.
  mutating func name(process: String) {
    begin("M", track: 0, at: 0)
    JSONBytes.append(#","name":"process_name","args":{"name":"#, to: &bytes)
    JSONBytes.append(quoted: process, to: &bytes)
    JSONBytes.append("}}", to: &bytes)
  }

  /// The name of a track, and its place: below those with a lower one.
  mutating func name(_ name: String, track: Int64, place: Int64) {
    begin("M", track: track, at: 0)
    JSONBytes.append(#","name":"thread_name","args":{"name":"#, to: &bytes)
    JSONBytes.append(quoted: name, to: &bytes)
    JSONBytes.append("}}", to: &bytes)
    begin("M", track: track, at: 0)
    JSONBytes.append(#","name":"thread_sort_index","args":{"sort_index":"#, to: &bytes)
    JSONBytes.append(place, to: &bytes)
    JSONBytes.append("}}", to: &bytes)
  }

  private mutating func begin(_ kind: StaticString, track: Int64, at time: Int64) {
    JSONBytes.append(isFirst ? "{\"ph\":\"" : ",\n{\"ph\":\"", to: &bytes)
    isFirst = false
    JSONBytes.append(kind, to: &bytes)
    JSONBytes.append(#"","pid":1,"tid":"#, to: &bytes)
    JSONBytes.append(track, to: &bytes)
    JSONBytes.append(#","ts":"#, to: &bytes)
    JSONBytes.append(time, to: &bytes)
  }

  /// - Parameter name: with its quotes.
  private mutating func append(name: [UInt8]) {
    JSONBytes.append(#","name":"#, to: &bytes)
    bytes += name
  }
}
