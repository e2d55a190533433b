import Framepace
import Testing

@testable import KMS

/// A display's life, action by action.
@Suite struct DisplayLifeTests {
  private let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

  private func life(hearsEvents: Bool = true, checkInterval: Nanoseconds? = nil) -> DisplayLife {
    DisplayLife(hearsEvents: hearsEvents, checkInterval: checkInterval, at: start)
  }

  private static let same = DisplayLife.Event.probed(isPlugged: true, isUpToDate: true)
  private static let changed = DisplayLife.Event.probed(isPlugged: true, isUpToDate: false)
  private static let gone = DisplayLife.Event.probed(isPlugged: false, isUpToDate: false)
  private static let shows = DisplayLife.Action.tell(.showing)

  typealias Script = (name: String, steps: [(event: DisplayLife.Event, actions: [DisplayLife.Action])])

  private static let scripts: [Script] = [
    (
      "a screen is unplugged and plugged in again",
      [
        (.hotplug, [.probe]), (same, []), (.hotplug, [.probe]),
        (gone, [.stop, .switchOff, .tell(.waiting(.unplugged))]), (.hotplug, [.show]), (.failed(.unplugged), []),
        (.hotplug, [.show]), (.shown, [shows]),
      ]
    ),
    // No absence is told.
    ("a screen is another one", [(.hotplug, [.probe]), (changed, [.stop, .show]), (.shown, [shows])]),
    ("the picture is turned", [(.turned, [.stop, .show]), (.turned, []), (.shown, [shows])]),
    (
      "a device is removed and comes back",
      [
        // Another device does not matter.
        (.deviceAdded, []), (.failed(.noDevice), [.stop, .closeDevice, .tell(.waiting(.deviceRemoved))]),
        (.deviceRemoved, []), (.hotplug, []), (.turned, []), (.deviceAdded, [.show]),
        // The node's access rights are not set yet.
        (.failed(.noDevice), [.retry(after: .milliseconds(100))]), (.retryDue, [.show]), (.shown, [shows]),
      ]
    ),
    (
      "another session has the seat",
      [
        (.session(isActive: false), [.stop, .tell(.waiting(.sessionInactive))]), (.hotplug, []), (.deviceAdded, []),
        (.failed(.notMaster), []), (.retryDue, []), (.power(false), []), (.power(true), []),
        (.session(isActive: true), [.show]), (.shown, [shows]), (.sessionEnded, [.stop, .closeDevice, .end]),
        (.session(isActive: true), []),
      ]
    ),
    (
      "a screen is switched off and on",
      [
        (.power(true), []), (.power(false), [.stop, .switchOff, .tell(.waiting(.switchedOff))]), (.hotplug, []),
        (.power(true), [.show]), (.shown, [shows]),
      ]
    ),
    (
      "another session has the seat while the device is away",
      [
        (.deviceRemoved, [.stop, .closeDevice, .tell(.waiting(.deviceRemoved))]),
        (.session(isActive: false), [.tell(.waiting(.sessionInactive))]), (.session(isActive: true), [.show]),
        (.failed(.noDevice), [.retry(after: .milliseconds(100)), .tell(.waiting(.deviceRemoved))]),
      ]
    ),
  ]

  @Test func scripts() { for script in Self.scripts { play(script.name, script.steps, on: life()) } }

  /// Without events a showing display is probed at a slow pace, and an absent one is tried.
  @Test func whereNoEventComesItAsksNowAndThen() {
    var life = life(hearsEvents: false, checkInterval: .seconds(5))
    let later = DisplayLife.Action.retry(after: .seconds(5))
    #expect(life.begin() == [later])
    let away = DisplayLife.Action.tell(.waiting(.unplugged))
    play(
      "no events",
      [
        (.retryDue, [.probe]), (Self.same, [later]), (.retryDue, [.probe]),
        (Self.gone, [.stop, .switchOff, .retry(after: .milliseconds(100)), away]), (.retryDue, [.show]),
        (.shown, [later, Self.shows]),
      ], on: life)
  }

  private func play(
    _ name: String, _ steps: [(event: DisplayLife.Event, actions: [DisplayLife.Action])], on life: DisplayLife
  ) {
    var life = life
    for (number, step) in steps.enumerated() {
      #expect(life.handle(step.event, at: start) == step.actions, "\(name): step \(number), \(step.event)")
    }
  }

  /// A link whose training fails each time, with an event each time.
  @Test func aScreenThatIsNeverAsItWasSetIsSetEverMoreSeldom() {
    var life = life()
    var (now, shows, retry) = (start, 0, MonotonicTime?.none)
    let end = start + .seconds(20)
    while now < end {
      // Events come all the time, and a retry when it is due.
      let isDue = retry.map { $0 <= now } ?? false
      if isDue { retry = nil }
      var actions = life.handle(isDue ? .retryDue : .hotplug, at: now)
      #expect(actions == [.probe])
      actions = life.handle(.probed(isPlugged: true, isUpToDate: false), at: now)
      for case .retry(let pause?) in actions { retry = now + pause }
      if actions.contains(.show) {
        shows += 1
        #expect(life.handle(.shown, at: now) == [.tell(.showing)])
      }
      now = now + .milliseconds(10)
    }
    #expect((8...10).contains(shows), "\(shows)")
    // After a good time it is corrected at once.
    now = now + .seconds(20)
    #expect(life.handle(.hotplug, at: now) == [.probe])
    #expect(life.handle(.probed(isPlugged: true, isUpToDate: false), at: now).contains(.show))
  }

  @Test func aDeviceThatCannotBeOpenedIsGivenUpUntilAnotherComes() {
    var life = life()
    _ = life.handle(.deviceRemoved, at: start)
    #expect(life.handle(.deviceAdded, at: start) == [.show])
    var pauses: [Nanoseconds] = []
    while case .retry(let pause?)? = life.handle(.failed(.noDevice), at: start).first {
      pauses.append(pause)
      #expect(life.handle(.retryDue, at: start) == [.show])
    }
    #expect(pauses.map(\.milliseconds) == [100, 200, 400, 800, 1600, 3200])
    #expect(life.handle(.retryDue, at: start) == [], "a retry that was not asked for")
    #expect(life.handle(.deviceAdded, at: start) == [.show])
  }

  @Test func masterIsAskedForOnceASecond() {
    var life = life()
    var actions = life.handle(.failed(.notMaster), at: start)
    #expect(actions == [.stop, .retry(after: .milliseconds(100)), .tell(.waiting(.taken))])
    for pause in [200, 400, 800, 1000, 1000, 1000] {
      #expect(life.handle(.retryDue, at: start) == [.show])
      actions = life.handle(.failed(.notMaster), at: start)
      #expect(actions == [.retry(after: .milliseconds(Int64(pause)))])
    }
    #expect(life.handle(.retryDue, at: start) == [.show])
    #expect(life.handle(.shown, at: start) == [.tell(.showing)])
  }

  @Test func aDriverThatRefusesAtOnceIsAskedEverMoreSeldom() {
    var life = life()
    var now = start
    var pauses: [Double] = []
    for _ in 0..<8 {
      let actions = life.handle(.failed(.refused("no")), at: now)
      #expect(actions.first == .stop)
      if case .retry(let pause?) = actions[1] { pauses.append(pause.milliseconds) }
      #expect(life.handle(.retryDue, at: now) == [.show])
      // Each attempt succeeds, and the first frame is refused.
      #expect(life.handle(.shown, at: now) == [.tell(.showing)])
    }
    #expect(pauses == [100, 200, 400, 800, 1600, 3200, 5000, 5000])
    now += .seconds(10)
    #expect(life.handle(.failed(.refused("no")), at: now)[1] == .retry(after: .milliseconds(100)))
  }
}
