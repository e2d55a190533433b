import FrameTiming
import LinuxSystem
import Presentation
import Testing

@testable import KMS

/// A display's life, action by action.
@Suite struct DisplayLifeTests {
  private let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

  private func life(hearsEvents: Bool = true, checkInterval: Nanoseconds? = nil) -> DisplayLife {
    DisplayLife(hearsEvents: hearsEvents, checkInterval: checkInterval, at: start)
  }

  @Test func aScreenThatIsUnpluggedAndPluggedInAgain() {
    var life = life()
    #expect(life.begin() == [])
    #expect(life.handle(.hotplug, at: start) == [.probe])
    #expect(life.handle(.probed(isPlugged: true, isUpToDate: true), at: start) == [])
    #expect(life.handle(.hotplug, at: start) == [.probe])
    #expect(
      life.handle(.probed(isPlugged: false, isUpToDate: false), at: start)
        == [.stop, .switchOff, .tell(.waiting(.unplugged))])
    #expect(life.handle(.hotplug, at: start) == [.show])
    #expect(life.handle(.failed(.unplugged), at: start) == [])
    #expect(life.handle(.hotplug, at: start) == [.show])
    #expect(life.handle(.shown, at: start) == [.tell(.showing)])
  }

  @Test func aScreenThatIsAnotherOne() {
    var life = life()
    _ = life.handle(.hotplug, at: start)
    #expect(life.handle(.probed(isPlugged: true, isUpToDate: false), at: start) == [.stop, .show])
    #expect(life.state == .showing, "a change of the mode is no absence")
    #expect(life.handle(.shown, at: start) == [.tell(.showing)])
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

  @Test func aDeviceThatIsRemovedAndComesBack() {
    var life = life()
    #expect(life.handle(.deviceAdded, at: start) == [], "another device does not matter")
    #expect(life.handle(.failed(.noDevice), at: start) == [.stop, .closeDevice, .tell(.waiting(.deviceRemoved))])
    #expect(life.handle(.deviceRemoved, at: start) == [])
    #expect(life.handle(.hotplug, at: start) == [])
    #expect(life.handle(.deviceAdded, at: start) == [.show])
    // The node's access rights are not set yet.
    #expect(life.handle(.failed(.noDevice), at: start) == [.retry(after: .milliseconds(100))])
    #expect(life.handle(.retryDue, at: start) == [.show])
    #expect(life.handle(.shown, at: start) == [.tell(.showing)])
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

  @Test func anotherSessionIsLeftAlone() {
    var life = life()
    #expect(life.handle(.session(isActive: false), at: start) == [.stop, .tell(.waiting(.sessionInactive))])
    for event: DisplayLife.Event in [.hotplug, .deviceAdded, .failed(.notMaster), .retryDue, .power(false), .power(true)] {
      #expect(life.handle(event, at: start) == [], "\(event)")
    }
    #expect(life.handle(.session(isActive: true), at: start) == [.show])
    #expect(life.handle(.shown, at: start) == [.tell(.showing)])
    #expect(life.handle(.sessionEnded, at: start) == [.stop, .closeDevice, .end])
    #expect(life.handle(.session(isActive: true), at: start) == [])
  }

  @Test func aScreenIsSwitchedOffAndOn() {
    var life = life()
    #expect(life.handle(.power(true), at: start) == [])
    #expect(life.handle(.power(false), at: start) == [.stop, .switchOff, .tell(.waiting(.switchedOff))])
    #expect(life.handle(.hotplug, at: start) == [])
    #expect(life.handle(.power(true), at: start) == [.show])
    #expect(life.handle(.shown, at: start) == [.tell(.showing)])
  }

  /// Without events a showing display is probed at a slow pace, and an absent one is tried.
  @Test func whereNoEventComesItAsksNowAndThen() {
    var life = life(hearsEvents: false, checkInterval: .seconds(5))
    #expect(life.begin() == [.retry(after: .seconds(5))])
    #expect(life.handle(.retryDue, at: start) == [.probe])
    #expect(
      life.handle(.probed(isPlugged: true, isUpToDate: true), at: start) == [.retry(after: .seconds(5))])
    #expect(life.handle(.retryDue, at: start) == [.probe])
    #expect(
      life.handle(.probed(isPlugged: false, isUpToDate: false), at: start)
        == [.stop, .switchOff, .retry(after: .milliseconds(100)), .tell(.waiting(.unplugged))])
    #expect(life.handle(.retryDue, at: start) == [.show])
    #expect(life.handle(.shown, at: start) == [.retry(after: .seconds(5)), .tell(.showing)])
  }

  @Test func whatIsTrueInTheEndIsTold() {
    var life = life()
    _ = life.handle(.deviceRemoved, at: start)
    #expect(life.handle(.session(isActive: false), at: start) == [.tell(.waiting(.sessionInactive))])
    #expect(life.handle(.session(isActive: true), at: start) == [.show])
    #expect(
      life.handle(.failed(.noDevice), at: start)
        == [.retry(after: .milliseconds(100)), .tell(.waiting(.deviceRemoved))])
  }
}
