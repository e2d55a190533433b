import FrameTiming
import LinuxSystem

/// The vblanks of a window's output, as the compositor's feedback shows them. A pure value.
///
/// Feedback comes only for frames, and after their vblanks. So vblanks are predicted from it, and requested ones are delivered at the
/// time that is predicted, or with the feedback of a frame that was seen there.
struct FeedbackGrid: Sendable {
  private(set) var model: VBlankModel
  /// The rate that the compositor tells, which may be wrong.
  private(set) var told: RefreshRate
  private var requested: MonotonicTime?
  /// The number of stamps in a row by which the rate is another one.
  private var strays = 0
  private var delivered: MonotonicTime? {
    didSet { if let delivered { ticks.add(delivered) } }
  }
  /// The number of stamps in a row that have not proved the period.
  private var unproved = 0
  private var ticks = RecentTicks()
  private var lastStamp: MonotonicTime?
  private var gaps = RecentGaps()

  init(told: RefreshRate) {
    (self.told, refreshRate) = (told, told)
    model = VBlankModel(refreshRate: told)
  }

  /// The rate that is told, or the measured one where that is another: by more than a display's rate may differ from its mode's.
  private(set) var refreshRate: RefreshRate

  var interval: Nanoseconds { Nanoseconds(Int64(saturating: model.period)) }

  /// When the requested vblank comes; nil if none is requested.
  var fireTime: MonotonicTime? { requested }

  /// The compositor tells another rate: the window is on another output.
  mutating func tell(_ rate: RefreshRate) {
    guard rate != told else { return }
    told = rate
    gaps.forget()
    begin(at: rate)
  }

  /// Follows the period that is measured. A rate that was measured before stays as long as it is about right.
  private mutating func measureRate() {
    let period = model.period
    func isNear(_ rate: RefreshRate) -> Bool { abs(period - rate.exactInterval) <= rate.exactInterval * Self.otherRate }
    guard !isNear(refreshRate), model.periodUncertainty < period * 0.01,
      gaps.usual(ofAtLeast: Self.fewGaps).map(agrees) ?? false
    else {
      strays = 0
      return
    }
    strays += 1
    guard strays >= Self.proofs else { return }
    strays = 0
    refreshRate = isNear(told) ? told : RefreshRate(hertz: 1e9 / period) ?? told
  }

  /// Begins with the usual distance of stamps, if that is neither the period nor a multiple of it, and the model cannot find it.
  private mutating func beginAnew() {
    guard let usual = gaps.usual(ofAtLeast: Self.enoughGaps), !agrees(usual), let rate = RefreshRate(hertz: 1e9 / usual)
    else { return }
    begin(at: abs(usual - told.exactInterval) < usual * Self.otherGap ? told : rate)
  }

  private mutating func begin(at rate: RefreshRate) {
    refreshRate = rate
    model = VBlankModel(refreshRate: rate)
  }

  /// True if a tick came soon after a stamp: its frame is seen at the next vblank, so none lies before the next stamp. A period that is too
  /// long makes ticks come late, and would prove itself with the distances between their frames.
  private func isFollowed(_ stamp: MonotonicTime) -> Bool {
    delivered == nil || ticks.contains(in: stamp - told.interval / 16..<stamp + told.interval / 2)
  }

  /// False for a period that is longer than the told one as long as the distances of stamps do not prove it. Each stamp is then a tick, so that
  /// they soon do. Else a period that is much too long would grow: its frames are seen at the vblank after the tick, and the next period
  /// counts from there.
  private var isProved: Bool {
    model.period < told.exactInterval * Self.longPeriod || gaps.usual(ofAtLeast: Self.fewGaps).map(agrees) ?? false
  }

  /// True if the usual distance of stamps is the period, or a multiple of it.
  private func agrees(_ usual: Double) -> Bool {
    let whole = max((usual / model.period).rounded(), 1)
    return abs(usual - whole * model.period) <= usual * Self.otherGap
  }

  /// The part by which the usual distance of stamps differs from the interval where the model is wrong.
  private static let otherGap = 0.1
  private static let otherRate = 0.03
  /// The period, in intervals of the told rate, from which one has to be proved.
  private static let longPeriod = 1.2
  /// The number of stamps in a row that must show another rate: those of a busy compositor wander.
  private static let proofs = 12
  /// The number of stamps in a row that may leave a long period without proof.
  private static let patience = 60
  /// The distances that must tell something to prove a period, and to begin with another one: at another rate than the told one few stamps have
  /// a tick behind them.
  private static let (fewGaps, enoughGaps) = (5, 10)

  /// Takes the stamp of a frame that was seen.
  ///
  /// - Returns: the time of the requested vblank if this was it.
  mutating func observe(_ stamp: MonotonicTime) -> MonotonicTime? {
    if let lastStamp {
      if stamp <= lastStamp { return nil }
      // After a pause a gap says nothing.
      if stamp - lastStamp < interval * 4 { gaps.add(isFollowed(lastStamp) ? stamp - lastStamp : nil) }
    }
    lastStamp = stamp
    beginAnew()
    model.observe(VBlank(timestamp: stamp, sequence: 0))
    unproved = isProved ? 0 : unproved + 1
    // A ticker with the same period may swallow the ticks that would prove it.
    if unproved > Self.patience {
      unproved = 0
      begin(at: told)
      model.observe(VBlank(timestamp: stamp, sequence: 0))
    }
    measureRate()
    guard let due = requested else { return nil }
    // One that was predicted a little before its stamp is delivered already.
    let isDelivered = delivered.map { stamp - $0 <= (isProved ? interval : told.interval) / 2 } ?? false
    if !isDelivered, !isProved || stamp + interval / 2 > due {
      (requested, delivered) = (nil, stamp)
      return stamp
    }
    // A model that began anew may predict one again that was delivered.
    let undelivered = delivered.map { $0 + interval / 2 } ?? stamp
    requested = model.prediction(after: max(due - interval / 2, stamp, undelivered))?.timestamp ?? due
    return nil
  }

  /// - Returns: false if a vblank is requested already.
  mutating func request(at now: MonotonicTime) -> Bool {
    guard requested == nil else { return false }
    let after = delivered.map { max(now, $0 + interval / 2) } ?? now
    requested = model.prediction(after: after)?.timestamp ?? after + interval
    return true
  }

  /// The time of `fireTime` has come.
  ///
  /// - Returns: the time of the requested vblank, or after a stall of the newest one; nil if it has not come yet.
  mutating func fire(at now: MonotonicTime) -> MonotonicTime? {
    guard let due = requested, now >= due else { return nil }
    requested = nil
    let vblank = max(newest(at: now) ?? due, due)
    delivered = vblank
    return vblank
  }

  /// The time of the newest vblank that is over; nil if that would be a guess.
  func newest(at now: MonotonicTime) -> MonotonicTime? {
    guard let last = model.last?.timestamp else { return nil }
    if let point = model.prediction(after: now - interval), point.timestamp <= now {
      return point.isKnown ? point.timestamp : nil
    }
    return last <= now ? last : nil
  }

  /// Forgets the request, and where the vblanks lie, but not how far apart they are.
  mutating func losePhase() {
    requested = nil
    model.losePhase()
  }
}
