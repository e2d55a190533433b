public import LinuxSystem
public import RunLoops

/// A display for tests and rehearsals, good or bad as told, whose truth can be read.
///
/// Its vblanks lie on an exact grid, displaced by the jitter. What is random is a function of the seed and the vblank's
/// sequence alone: it does not depend on who asked when, and the same seed gives the same display again.
@MainActor
public final class SimulatedDisplay: VBlankSource {
  /// What is wrong with the display.
  public struct Faults: Hashable, BitwiseCopyable, Sendable {
    /// A stamp lies up to this much before or after its grid point. Less than half an interval.
    public var jitter: Nanoseconds = .zero
    /// The part of the events that are lost, from 0 to 1: the request is answered by a later vblank.
    public var lostEvents: Double = 0
    /// The part of the events that come twice in a row, from 0 to 1.
    public var duplicateEvents: Double = 0
    /// An event comes up to this much after its vblank.
    public var latestDelivery: Nanoseconds = .zero

    public init() {}
  }

  public let name = "simulated display"
  public var onVBlank: (@MainActor (VBlank) -> Void)?
  /// May be changed at any time; holds for the vblanks that are asked for from then on.
  public var faults = Faults()
  public let seed: UInt64
  /// Events that were delivered, duplicates included.
  public private(set) var deliveredEvents: UInt64 = 0

  /// Changes the rate: the grid goes on from the last vblank before now.
  public var refreshRate: RefreshRate {
    didSet {
      guard refreshRate != oldValue else { return }
      let passed = oldValue.intervals(in: clock.now - gridStart)
      gridStart += oldValue.offset(ofInterval: passed)
      gridSequence &+= UInt64(bitPattern: passed)
      rearm()
    }
  }

  /// A display that is off has no vblanks: a request waits until it is on again. The grid goes on meanwhile.
  public var isOn = true {
    didSet { if isOn != oldValue { rearm() } }
  }

  private let clock: SystemClock
  /// The grid point from which the present rate holds, and its sequence.
  private var gridStart: MonotonicTime
  private var gridSequence: UInt64 = 0
  private var timer: FrameLoop.Timer?
  private var isRequested = false
  /// The vblank whose event is on its way.
  private var pending: UInt64?

  /// A display without faults, whose vblank 0 is now.
  ///
  /// - Parameters:
  ///   - clock: the clock of the loop that the source is added to.
  ///   - seed: names the display's random numbers.
  public init(refreshRate: RefreshRate, clock: SystemClock, seed: UInt64 = 0) {
    self.refreshRate = refreshRate
    self.clock = clock
    self.seed = seed
    gridStart = clock.now
    timer = FrameLoop.Timer.parked { [weak self] in self?.fire() }
  }

  // MARK: - The truth

  /// The grid point of a vblank, without jitter. Exact for those since the last change of the rate.
  public func gridTime(ofVBlank sequence: UInt64) -> MonotonicTime {
    gridStart + refreshRate.offset(ofInterval: Int64(bitPattern: sequence &- gridSequence))
  }

  /// The stamp of a vblank: its grid point and its jitter.
  public func timestamp(ofVBlank sequence: UInt64) -> MonotonicTime {
    let limit = min(max(faults.jitter.count, 0), refreshRate.interval.count / 2 - 1)
    guard limit > 0 else { return gridTime(ofVBlank: sequence) }
    let jitter = Int64(random(.jitter, sequence) % UInt64(2 * limit + 1)) - limit
    return gridTime(ofVBlank: sequence) + Nanoseconds(jitter)
  }

  /// Whether the event of a vblank is lost.
  public func losesEvent(ofVBlank sequence: UInt64) -> Bool { happens(.loss, sequence, faults.lostEvents) }

  /// Whether the event of a vblank comes twice.
  public func duplicatesEvent(ofVBlank sequence: UInt64) -> Bool { happens(.duplicate, sequence, faults.duplicateEvents) }

  /// When the event of a vblank comes.
  public func delivery(ofVBlank sequence: UInt64) -> MonotonicTime {
    let stamp = timestamp(ofVBlank: sequence)
    guard faults.latestDelivery > .zero else { return stamp }
    return stamp + Nanoseconds(Int64(random(.delay, sequence) % (UInt64(faults.latestDelivery.count) + 1)))
  }

  /// The first vblank whose stamp is later than `time`.
  public func vblank(after time: MonotonicTime) -> VBlank {
    // Jitter moves a stamp by less than half an interval, and stamps stay in order.
    var sequence = gridSequence &+ UInt64(bitPattern: refreshRate.intervals(in: time - gridStart))
    while timestamp(ofVBlank: sequence) <= time { sequence &+= 1 }
    return VBlank(timestamp: timestamp(ofVBlank: sequence), sequence: sequence)
  }

  // MARK: - VBlankSource

  public func requestVBlank() {
    guard !isRequested else { return }
    isRequested = true
    rearm()
  }

  public func newestVBlank() -> VBlank? {
    guard isOn else { return nil }
    let sequence = vblank(after: clock.now).sequence &- 1
    return VBlank(timestamp: timestamp(ofVBlank: sequence), sequence: sequence)
  }

  public func add(to loop: FrameLoop, mode: FrameLoop.Mode) {
    guard let timer else { return }
    loop.add(timer, to: mode)
  }

  public func remove(from loop: FrameLoop, mode: FrameLoop.Mode) {
    guard let timer else { return }
    loop.remove(timer, from: mode)
  }

  public func invalidate() {
    timer?.invalidate()
    timer = nil
    isRequested = false
    onVBlank = nil
  }

  /// Sends the event of the next vblank that answers the request on its way.
  private func rearm() {
    guard let timer else { return }
    guard isRequested, isOn else {
      pending = nil
      timer.nextFireTime = .distantFuture
      return
    }
    var sequence = vblank(after: clock.now).sequence
    // A display that loses everything gives its event after a second, so that this ends.
    var attempts = Int(refreshRate.hertz)
    while losesEvent(ofVBlank: sequence), attempts > 0 {
      sequence &+= 1
      attempts -= 1
    }
    pending = sequence
    timer.nextFireTime = delivery(ofVBlank: sequence)
  }

  private func fire() {
    guard let sequence = pending else { return }
    pending = nil
    isRequested = false
    let vblank = VBlank(timestamp: timestamp(ofVBlank: sequence), sequence: sequence)
    deliveredEvents += 1
    onVBlank?(vblank)
    if duplicatesEvent(ofVBlank: sequence) {
      deliveredEvents += 1
      onVBlank?(vblank)
    }
  }

  // MARK: - Random numbers

  private enum Family: UInt64 { case jitter = 1, loss, duplicate, delay }

  private func random(_ family: Family, _ sequence: UInt64) -> UInt64 {
    SplitMix64.hash(seed: seed &+ family.rawValue &* 0x9E37_79B9_7F4A_7C15, index: sequence)
  }

  private func happens(_ family: Family, _ sequence: UInt64, _ part: Double) -> Bool {
    guard part > 0 else { return false }
    return Double(random(family, sequence) >> 11) * 0x1p-53 < part
  }
}
