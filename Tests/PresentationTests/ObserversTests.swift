import Presentation
import Testing

@MainActor
@Suite struct ObserversTests {
  @Test func anyNumberIsToldInTheOrderInWhichTheyCame() {
    let observers = Observers<Int>()
    var told: [String] = []
    let first = observers.add { told.append("first \($0)") }
    observers.add { told.append("second \($0)") }.keep()
    #expect(observers.notify(1))
    first.invalidate()
    observers.notify(2)
    #expect(told == ["first 1", "second 1", "second 2"])
  }

  @Test func whoeverLetsGoOfTheTokenIsNotToldAnyMore() {
    let observers = Observers<Int>()
    var count = 0
    var token: Observation? = observers.add { count += $0 }
    #expect(observers.notify(1))
    _ = token
    token = nil
    #expect(!observers.notify(1))
    #expect(count == 1)
  }

  /// A handler may add observers, and end others that are still to be told.
  @Test func observersComeAndGoWhileTheyAreTold() {
    let observers = Observers<Int>()
    var told: [String] = []
    var second: Observation?
    let first = observers.add { event in
      told.append("first \(event)")
      second?.invalidate()
      observers.add { told.append("third \($0)") }.keep()
    }
    second = observers.add { told.append("second \($0)") }
    observers.notify(1)
    first.invalidate()
    observers.notify(2)
    #expect(told == ["first 1", "third 2"])
  }
}
