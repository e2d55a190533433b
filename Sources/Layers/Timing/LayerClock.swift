public import LinuxSystem

/// The clock of a layer, against its superlayer's.
struct LayerClock: Hashable, BitwiseCopyable, Sendable {
  var beginTime = MonotonicTime.zero
  var speed = 1.0 {
    didSet { if !speed.isFinite { speed = oldValue } }
  }
  var timeOffset = Nanoseconds.zero
  /// The time by which the copy that the layer is in is behind its superlayer's clock; never that of a layer itself.
  var delay = Nanoseconds.zero

  /// The time of the superlayer's clock at which this one begins.
  var begin: MonotonicTime { beginTime + delay }

  /// This clock's time at one of the superlayer's clock.
  func time(at outer: MonotonicTime) -> MonotonicTime {
    hasBegun(at: outer) ? .zero + (outer - begin).scaled(by: speed) + timeOffset : .zero
  }

  /// False while it stands at 0. The clock of a copy that is behind comes to 0 later than the others, and not from a beginning of its own.
  func hasBegun(at outer: MonotonicTime) -> Bool { outer >= begin || hasNoBeginning }

  private var hasNoBeginning: Bool { beginTime == .zero && delay > .zero }

  /// How far a superlayer's time has to go back to pass the beginning; nil if there is none to pass.
  func wayBack(from outer: MonotonicTime) -> Nanoseconds? { hasNoBeginning ? nil : outer - begin }

  /// The superlayer's time at one of this clock. A clock that stands has none: it gives 0.
  func outerTime(at time: MonotonicTime) -> MonotonicTime {
    speed == 0 ? .zero : begin + (time - .zero - timeOffset).scaled(by: 1 / speed)
  }
}

/// The clocks from the display's down to that of a layer, without those at the top that go as the display's.
struct ClockChain: Sendable {
  private var clocks: [LayerClock] = []

  /// - Parameter number: the copy, among those that a replicator has, in which the layer is.
  @MainActor
  init(_ layer: Layer, number: (_ replicator: Layer) -> Int = { _ in 0 }) {
    func clock(of layer: Layer) -> LayerClock {
      var clock = layer.clock
      if let superlayer = layer.superlayer, superlayer.isReplicator {
        clock.delay = superlayer.delay(number(superlayer), of: layer)
      }
      return clock
    }
    var first: Layer?
    var next: Layer? = layer
    while let layer = next {
      if clock(of: layer) != LayerClock() { first = layer }
      next = layer.superlayer
    }
    guard let first else { return }
    next = layer
    while let layer = next {
      clocks.append(clock(of: layer))
      next = layer === first ? nil : layer.superlayer
    }
    clocks.reverse()
  }

  /// The clocks of the copy of a layer that is furthest behind.
  @MainActor
  static func last(_ layer: Layer) -> ClockChain {
    ClockChain(layer) { replicator in
      let delay = (replicator as? ReplicatorLayer)?.instanceDelay ?? .zero
      return delay > .zero ? max(replicator.copyCount - 1, 0) : 0
    }
  }

  /// The layer's time at one of the display's clock.
  @inline(__always)
  func time(at outer: MonotonicTime) -> MonotonicTime {
    if clocks.isEmpty { return outer }
    var time = outer
    for clock in clocks { time = clock.time(at: time) }
    return time
  }

  /// How the layer's time goes while the display's goes on.
  enum Course {
    case forwards
    case backwards
    /// It stands for ever.
    case still
    /// It may jump: when a clock begins, or when a time that runs backwards passes that beginning again.
    case waiting
  }

  /// The way that the layer's time takes from a time of the display's clock on.
  func course(from outer: MonotonicTime) -> Course {
    var time = outer
    var speed = 1.0
    for clock in clocks {
      let hasBegun = clock.hasBegun(at: time)
      if hasBegun != (speed > 0) { return .waiting }
      // A time that runs backwards never comes to the beginning.
      if !hasBegun { return .still }
      speed *= clock.speed
      if speed == 0 { return .still }
      time = clock.time(at: time)
    }
    return speed > 0 ? .forwards : .backwards
  }

  /// True if the layer's time goes back at a time of the display's clock.
  func runsBackwards(at outer: MonotonicTime) -> Bool {
    var time = outer
    var speed = 1.0
    for clock in clocks {
      guard clock.hasBegun(at: time) else { return false }
      speed *= clock.speed
      time = clock.time(at: time)
    }
    return speed < 0
  }

  /// The first time of the display's clock at which the layer's time, which goes back at `now`, may have jumped, since a clock has come to
  /// stand at 0; `distantFuture` if it goes back for ever. It may be a nanosecond off.
  func jump(from now: MonotonicTime) -> MonotonicTime {
    var (time, speed, first) = (now, 1.0, MonotonicTime.distantFuture)
    for clock in clocks {
      if speed < 0, let way = clock.wayBack(from: time) {
        first = min(first, now + way.scaled(by: -1 / speed) + Nanoseconds(1))
      }
      speed *= clock.speed
      time = clock.time(at: time)
    }
    return first
  }

  /// The time of the display's clock, `now` or later, at which the layer's clock will have come to `time`; `distantFuture` if it
  /// does not go there. It may be a nanosecond off.
  func outerTime(ofReaching time: MonotonicTime, from now: MonotonicTime) -> MonotonicTime {
    if clocks.isEmpty || time == .distantFuture { return time }
    if self.time(at: now) >= time { return now }
    switch course(from: now) {
    case .still, .backwards: return .distantFuture
    case .waiting where runsBackwards(at: now): return jump(from: now)
    // Once it has begun it may jump there: each frame looks again.
    case .waiting where clocks.contains(where: { $0.speed <= 0 }): return now
    case .waiting, .forwards: break
    }
    var time = time
    for clock in clocks.reversed() { time = max(clock.outerTime(at: time), clock.begin) }
    return max(time, now)
  }
}

// MARK: - A layer's time

/// Each layer has a clock of its own, by which its animations and the clocks of its sublayers go. At a time t of the superlayer's
/// clock it shows `(t − beginTime) · speed + timeOffset`, and 0 before `beginTime` (but for a `beginTime` of 0 in a replicator's copy that is
/// behind: its time is below 0 until it has come so far); that of the root goes by the display's clock,
/// the one of `SystemClock.monotonic`. A layer lasts for ever: it has no duration.
///
/// To stop a layer with all that is in it, and to let it go on:
///
/// ```swift
/// layer.timeOffset = layer.convertTime(now, from: nil) - .zero
/// layer.speed = 0
/// // …
/// let stoppedAt = MonotonicTime.zero + layer.timeOffset
/// (layer.speed, layer.timeOffset, layer.beginTime) = (1, .zero, .zero)
/// layer.beginTime = .zero + (layer.convertTime(now, from: nil) - stoppedAt)
/// ```
///
/// A layer that stands costs nothing. Its `timeOffset` then moves its animations by hand; one that has come to its end is removed
/// unless its `isRemovedOnCompletion` is false.
///
/// A layer whose time goes back plays its animations from their ends to their beginnings. They do not end, and are not removed: the end
/// of an animation still lies before the layer, or was never passed. A `speed` of −1 with a `timeOffset` of the duration plays one that
/// has a `beginTime` of `.zero`.
extension Layer {
  /// The time of the superlayer's clock at which the layer's clock begins. 0 at first.
  public var beginTime: MonotonicTime {
    get { clock.beginTime }
    set { changeClock { $0.beginTime = newValue } }
  }

  /// The time that passes on the layer's clock in one second of the superlayer's. At 0 it stands at `timeOffset`, below 0 it runs
  /// backwards. 1 at first; one that is not finite is refused.
  public var speed: Double {
    get { clock.speed }
    set { changeClock { $0.speed = newValue } }
  }

  /// The time that the layer's clock shows when it begins. 0 at first.
  public var timeOffset: Nanoseconds {
    get { clock.timeOffset }
    set { changeClock { $0.timeOffset = newValue } }
  }

  private func changeClock(_ body: (inout LayerClock) -> Void) {
    let old = clock
    body(&clock)
    guard clock != old else { return }
    updateClocks()
    context?.markClocks()
  }

  /// Finds out anew if the layer, and each below it, has a clock that goes otherwise than the display's.
  func updateClocks() {
    let isOwn = clock != LayerClock() || superlayer?.hasClock ?? false
    guard isOwn != hasClock else { return }
    hasClock = isOwn
    storedMask?.updateClocks()
    for layer in innerLayers { layer.updateClocks() }
    for layer in sublayers { layer.updateClocks() }
  }

  /// Converts a time of this layer's clock to that of `other`, or to the display's when nil. On the way up a clock that stands
  /// gives 0, since it shows the same at all times; on the way down one that has not begun does.
  public func convertTime(_ time: MonotonicTime, to other: Layer?) -> MonotonicTime {
    var time = time
    var common: Layer? = self
    while let layer = common, !(other?.isDescendant(of: layer) ?? false) {
      time = layer.clock.outerTime(at: time)
      common = layer.superlayer
    }
    return other?.time(at: time, of: common) ?? time
  }

  /// Converts a time of `other`'s clock, or of the display's when nil, to that of this layer. See `convertTime(_:to:)`.
  public func convertTime(_ time: MonotonicTime, from other: Layer?) -> MonotonicTime {
    other?.convertTime(time, to: self) ?? self.time(at: time, of: nil)
  }

  /// The layer's time at one of a layer above it, or of the display's clock when nil.
  func time(at outer: MonotonicTime, of above: Layer?) -> MonotonicTime {
    if self === above { return outer }
    // To ask for the superlayers takes as long as a curve.
    return hasClock ? clock.time(at: superlayer?.time(at: outer, of: above) ?? outer) : max(outer, .zero)
  }
}
