import Framepace
import Testing

@testable import KMS

/// A display's life in a world where anything may happen in any order.
@Suite struct DisplayLifeWorldTests {
  /// The state of the world, and of the display in it.
  private struct World {
    var life: DisplayLife
    var now = MonotonicTime(nanoseconds: 1_000_000_000_000)
    var generator: SplitMix64
    var hasDevice = true
    var nodeIsReady = true
    var isSessionActive = true
    var isPlugged = true
    var isPowered = true
    var isTaken = false
    var isRefusing = false
    /// Counts devices: a device that has come back is another one.
    var device = 1
    var open: Int? = 1
    /// The picture is on the screen, and the screen has not changed since.
    var isShowing = true
    var isStale = false
    var retry: MonotonicTime?
    var told: [DisplayState] = []
    var attempts: [MonotonicTime] = []
    var violations: [String] = []

    init(seed: UInt64, hearsEvents: Bool) {
      generator = SplitMix64(seed: seed)
      life = DisplayLife(hearsEvents: hearsEvents, checkInterval: .seconds(5), at: now)
      perform(life.begin())
    }

    mutating func send(_ event: DisplayLife.Event) { perform(life.handle(event, at: now)) }
    /// Sends an event of the system, if the display hears them.
    mutating func tell(_ event: DisplayLife.Event) { if life.hearsEvents { send(event) } }

    mutating func perform(_ actions: [DisplayLife.Action]) {
      for action in actions {
        switch action {
        case .stop:
          require(isShowing, "stopped twice")
          isShowing = false
        case .switchOff:
          require(open != nil && isSessionActive && !isShowing, "switched off what is not ours")
        case .closeDevice:
          require(open != nil && !isShowing, "closed what is not open")
          open = nil
        case .probe:
          require(open != nil && isSessionActive && isShowing, "probed what is not ours")
          guard open == device, hasDevice else {
            send(.failed(.noDevice))
            continue
          }
          send(.probed(isPlugged: isPlugged, isUpToDate: !isStale))
        case .show:
          require(isSessionActive && isPowered && !isShowing, "showed what is not to be shown")
          attempts.append(now)
          send(show())
        case .retry(let pause):
          // While it shows, the rest of the pause before a correction may be short.
          if let pause { require(pause >= .milliseconds(100) || isShowing && pause > .zero, "a retry after \(pause)") }
          retry = pause.map { now + $0 }
        case .tell(let state):
          require(state != told.last || state == .showing, "told twice: \(state)")
          told.append(state)
        case .end:
          require(false, "ended")
        }
      }
      require((life.state == .showing) == isShowing, "\(life.state), but the screen shows: \(isShowing)")
    }

    mutating func show() -> DisplayLife.Event {
      if open == nil {
        guard hasDevice, nodeIsReady else { return .failed(.noDevice) }
        open = device
      }
      guard open == device, hasDevice else { return .failed(.noDevice) }
      if isTaken { return .failed(.notMaster) }
      if !isPlugged { return .failed(.unplugged) }
      if isRefusing { return .failed(.refused("no")) }
      (isShowing, isStale) = (true, false)
      return .shown
    }

    /// A frame, or a vblank, of a display that shows.
    mutating func use() {
      guard isShowing else { return }
      if open != device || !hasDevice { return send(.failed(.noDevice)) }
      if isTaken { return send(.failed(.notMaster)) }
      if isRefusing { return send(.failed(.refused("no"))) }
    }

    mutating func pass(_ time: Nanoseconds) {
      let end = now + time
      while let due = retry, due <= end {
        now = max(now, due)
        retry = nil
        send(.retryDue)
      }
      now = end
    }

    mutating func setDevice(_ isThere: Bool) {
      guard isThere != hasDevice else { return }
      hasDevice = isThere
      if isThere {
        device += 1
        nodeIsReady = Bool.random(using: &generator)
        tell(.deviceAdded)
      } else {
        tell(.deviceRemoved)
      }
    }

    mutating func setPlugged(_ isThere: Bool) {
      guard isThere != isPlugged else { return }
      isPlugged = isThere
      isStale = true
      if hasDevice { tell(.hotplug) }
    }

    mutating func setSession(_ isActive: Bool) {
      isSessionActive = isActive
      send(.session(isActive: isActive))
    }

    mutating func setPower(_ isOn: Bool) {
      isPowered = isOn
      send(.power(isOn))
    }

    mutating func happen() {
      switch Int.random(in: 0..<12, using: &generator) {
      case 0: setDevice(!hasDevice)
      case 1: nodeIsReady.toggle()
      case 2: setSession(!isSessionActive)
      case 3: setPlugged(!isPlugged)
      case 4: setPower(!isPowered)
      case 5: isTaken.toggle()
      case 6: isRefusing.toggle()
      case 7:
        isStale = true
        if hasDevice { tell(.hotplug) }
      // A late error of a display that was left.
      case 8 where !isShowing: send(.failed(Bool.random(using: &generator) ? .notMaster : .refused("late")))
      case 9: use()
      case 10: send(.turned)
      default: pass(.milliseconds(Int64.random(in: 0..<3000, using: &generator)))
      }
    }

    /// Everything works again.
    mutating func mend() {
      setDevice(false)
      nodeIsReady = true
      (isTaken, isRefusing) = (false, false)
      setDevice(true)
      nodeIsReady = true
      setSession(true)
      setPower(true)
      isPlugged = false
      setPlugged(true)
    }

    mutating func require(_ condition: Bool, _ claim: String) {
      if !condition { violations.append(claim) }
    }
  }

  /// Other seeds in each run; a failure names its seed.
  private static let seeds = (0..<150).map { _ in UInt64.random(in: 0...999_999_999) }

  @Test(arguments: [true, false]) func itComesBackFromAnything(hearsEvents: Bool) {
    for seed in Self.seeds {
      var world = World(seed: seed, hearsEvents: hearsEvents)
      for _ in 0..<100 { world.happen() }
      world.mend()
      for _ in 0..<12 {
        world.use()
        world.pass(.seconds(1))
      }
      #expect(world.violations.isEmpty, "seed \(seed): \(world.violations)")
      #expect(world.isShowing && world.life.state == .showing, "seed \(seed): \(world.life.state) in the end")
      #expect(world.told.last ?? .showing == .showing, "seed \(seed)")
    }
  }

  /// In any state of the world, only the first few attempts are less than a second apart.
  @Test(arguments: [true, false]) func itTriesSeldomWhileNothingHappens(hearsEvents: Bool) {
    for seed in Self.seeds {
      var world = World(seed: seed, hearsEvents: hearsEvents)
      for _ in 0..<100 { world.happen() }
      let before = world.attempts.count
      for _ in 0..<600 {
        world.pass(.milliseconds(100))
        world.use()
      }
      let attempts = world.attempts.count - before
      #expect(attempts <= 66, "seed \(seed): \(attempts) attempts in a minute")
      #expect(world.violations.isEmpty, "seed \(seed): \(world.violations)")
    }
  }
}
