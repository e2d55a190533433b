public import FrameTiming
public import LinuxSystem

/// A kind of display that exists in practice, to try an application against.
///
///     let source = SimulatedVBlankSource(.noisy, clock: loop.clock, seed: 1)
public struct DisplayProfile: Hashable, Sendable {
  /// The names of the profiles, as `framepace --simulate` takes them.
  public enum Name: String, CaseIterable, Sendable { case steady, noisy, drifting, overloaded, vrr, flaky }

  public var name: Name
  /// The rate of the mode; the fastest rate of a variable display.
  public var refreshRate = RefreshRate.hertz60
  /// The rate that the display really has.
  public var actualRate: RefreshRate
  /// The slowest rate of a variable display; nil for others.
  public var slowestRate: RefreshRate?
  public var faults = DisplayFaults()
  /// The work of an application's frames on the machine.
  public var work = SimulatedWork.spiky

  /// A good display on a good driver: stamps to 5 µs at the rate that the mode says. Work is even.
  public static let steady = DisplayProfile(.steady, actual: .hertz60) { profile in
    profile.faults.noise = .microseconds(5)
    profile.work = .even
  }

  /// Stamps that are taken in software: 35 µs of noise, one in a hundred off by up to a third of an interval, and
  /// 59.95 Hz where the mode says 60.
  public static let noisy = DisplayProfile(.noisy) { profile in
    profile.faults.noise = .microseconds(35)
    profile.faults.outliers = 0.01
  }

  /// A display that runs on a clock which is being set: intervals 0.02 % longer and shorter within 40 s, and stamps to 10 µs.
  public static let drifting = DisplayProfile(.drifting) { profile in
    profile.faults.noise = .microseconds(10)
    profile.faults.drift = 0.000_2
  }

  /// A machine that cannot keep up: one event in five comes up to three intervals late, and for 2 s of every 6 s each
  /// frame takes 20 ms. An `AutomaticInterval` leaves less than half of the late frames.
  public static let overloaded = DisplayProfile(.overloaded) { profile in
    profile.faults.noise = .microseconds(10)
    profile.faults.latestDelivery = .milliseconds(2)
    profile.faults.lateWakeUps = 0.2
    profile.faults.latestWakeUp = .milliseconds(50)
    profile.work.overload = SimulatedWork.Overload(cycle: .seconds(6), part: 1.0 / 3, work: .milliseconds(20))
  }

  /// A display from 48 to 144 Hz that follows an application whose frames take longer and shorter.
  public static let vrr = DisplayProfile(.vrr, actual: .hertz144) { profile in
    profile.faults.noise = .microseconds(5)
    profile.refreshRate = .hertz144
    profile.slowestRate = .hertz48
  }

  /// A bad driver: events lost, doubled and late; stamps that are wild, zero or old; sequences that are missing.
  public static let flaky = DisplayProfile(.flaky) { profile in
    profile.faults.noise = .microseconds(20)
    profile.faults.outliers = 0.02
    profile.faults.zeroStamps = 0.01
    profile.faults.backwardStamps = 0.005
    profile.faults.zeroSequences = 0.02
    profile.faults.lostEvents = 0.05
    profile.faults.duplicateEvents = 0.03
    profile.faults.latestDelivery = .milliseconds(5)
  }

  /// All profiles.
  public static var all: [DisplayProfile] { Name.allCases.map(named) }

  public static func named(_ name: Name) -> DisplayProfile {
    switch name {
    case .steady: steady
    case .noisy: noisy
    case .drifting: drifting
    case .overloaded: overloaded
    case .vrr: vrr
    case .flaky: flaky
    }
  }

  private init(_ name: Name, actual: RefreshRate = .hertz59_95, _ change: (inout DisplayProfile) -> Void) {
    self.name = name
    actualRate = actual
    change(&self)
  }
}

extension SimulatedVBlankSource {
  /// A source for a display of a profile. Its vblank 0 is now.
  public convenience init(_ profile: DisplayProfile, clock: SystemClock, seed: UInt64 = 0) {
    self.init(
      refreshRate: profile.refreshRate, slowestRate: profile.slowestRate, clock: clock, seed: seed,
      name: "simulated display, \(profile.name.rawValue), seed \(seed)")
    setRate(profile.refreshRate, actual: profile.actualRate)
    faults = profile.faults
  }
}

extension RefreshRate {
  fileprivate static let hertz59_95 = RefreshRate(numerator: 1199, denominator: 20) ?? .hertz60
  fileprivate static let hertz48 = RefreshRate(numerator: 48, denominator: 1) ?? .hertz60
  fileprivate static let hertz144 = RefreshRate(numerator: 144, denominator: 1) ?? .hertz60
}
