import LinuxSystem

/// The tracks of the drawings of workers in a trace: as many as drawings overlap, each with a slice for each drawing.
///
/// A flow leads from the frame whose commit requested a drawing to the drawing, and from there to the first frame that was committed with its
/// picture. An end that is not known has no step.
struct DrawingTracks {
  /// The slice of a frame, and the moment from which its layers no longer changed, in microseconds.
  struct Frame {
    var span: Range<Int64>
    var committed: Int64
    var track: Int64
  }

  /// In the order in which they were committed, but for those of broken records.
  private var frames: [Frame]
  private let place: Int64
  /// The end of the last slice on each track.
  private var ends: [Int64] = []
  private var count: Int64 = 0

  private static let firstTrack: Int64 = 1_000_000

  /// - Parameter place: the place of the first track.
  init(frames: [Frame], place: Int64) {
    self.frames = frames.sorted { $0.committed < $1.committed }
    self.place = place
  }

  /// Adds a drawing that was begun no earlier than the one before it.
  mutating func add(_ drawing: FrameTimeline.Drawing, to events: inout TraceEvents) {
    let start = TraceEvents.microseconds(drawing.begun)
    let end = max(TraceEvents.microseconds(drawing.ended), start + 1)
    let lane = ends.firstIndex { $0 <= start } ?? ends.count
    let track = Self.firstTrack + Int64(lane)
    if lane == ends.count {
      events.name(lane == 0 ? "workers" : "workers \(lane + 1)", track: track, place: place + Int64(lane))
      ends.append(end)
    }
    ends[lane] = end
    var name: [UInt8] = []
    JSONBytes.append(quoted: drawing.layer, to: &name)
    events.slice(name, track: track, from: start, to: end) { bytes in
      JSONBytes.append(#""ns":"#, to: &bytes)
      JSONBytes.append((drawing.ended - drawing.begun).count, to: &bytes)
      JSONBytes.append(#","waitedNs":"#, to: &bytes)
      JSONBytes.append((drawing.begun - drawing.requested).count, to: &bytes)
      JSONBytes.append(drawing.shown == nil ? #","shown":false"# : #","shown":true"#, to: &bytes)
    }
    addFlow(of: drawing, track, start, &events)
  }

  private mutating func addFlow(
    of drawing: FrameTimeline.Drawing, _ track: Int64, _ start: Int64, _ events: inout TraceEvents
  ) {
    let requested = TraceEvents.microseconds(drawing.requested)
    let asking = frame(committedAfter: requested).flatMap { $0.span.contains(requested) && requested <= start ? $0 : nil }
    let shown = drawing.shown.map(TraceEvents.microseconds)
    let showing = shown.flatMap { shown in
      frame(committedAfter: shown).flatMap { frame -> (track: Int64, time: Int64)? in
        let time = max(shown, frame.span.lowerBound)
        return frame.span.contains(time) && time >= start ? (frame.track, time) : nil
      }
    }
    guard asking != nil || showing != nil else { return }
    count += 1
    if let asking { events.flow(count, .begin, of: "drawing", track: asking.track, at: requested) }
    events.flow(count, asking == nil ? .begin : showing == nil ? .end : .middle, of: "drawing", track: track, at: start)
    if let showing { events.flow(count, .end, of: "drawing", track: showing.track, at: showing.time) }
  }

  /// The first frame that was committed at `time` or later.
  private func frame(committedAfter time: Int64) -> Frame? {
    var (low, high) = (0, frames.count)
    while low < high {
      let middle = (low + high) / 2
      if frames[middle].committed < time { low = middle + 1 } else { high = middle }
    }
    return low < frames.count ? frames[low] : nil
  }
}

/// The tracks of an application's own regions in a trace: one for each thread that they were on.
struct RegionTracks {
  private let place: Int64
  /// The ends of the slices of each thread that are open.
  private var open: [Int: [Int64]] = [:]

  private static let firstTrack: Int64 = 2_000_000

  /// - Parameter place: the place of the track of the loop's thread.
  init(place: Int64) { self.place = place }

  /// Adds a region that begins no earlier than the one before it, and of two that begin together the longer one first.
  mutating func add(_ region: Region, to events: inout TraceEvents) {
    let track = Self.firstTrack + Int64(region.thread)
    let start = TraceEvents.microseconds(region.begin)
    var end = max(TraceEvents.microseconds(region.end), start)
    if open[region.thread] == nil {
      let name = region.thread == 0 ? "regions" : "regions of thread \(region.thread + 1)"
      events.name(name, track: track, place: place + Int64(region.thread))
    }
    var outer = open[region.thread] ?? []
    while let last = outer.last, last <= start { outer.removeLast() }
    // Regions of a thread lie in each other; only a broken file says otherwise.
    if let last = outer.last { end = min(end, last) }
    open[region.thread] = outer + [end]
    var name: [UInt8] = []
    JSONBytes.append(quoted: region.name, to: &name)
    events.slice(name, track: track, from: start, to: end) { bytes in
      JSONBytes.append(#""ns":"#, to: &bytes)
      JSONBytes.append(region.time.count, to: &bytes)
    }
  }
}
