import LinuxSystem
import LoopTestSupport
import TestLength
import Testing

@testable import RunLoops

/// The list of observers that a loop calls without a lock.
@Suite struct ObserverListTests {
  /// A mode's observers, of which only the number of changes is known, and the lists that were made of them.
  private final class Changes {
    let place = ObserverListPlace()
    var count = 0
    private var made: [Made] = []

    private struct Made {
      let count: Int
      weak let list: ObserverList?
    }

    func change() {
      place.makeOutdated()
      count += 1
    }

    /// The numbers of changes of the lists that still live, the oldest first.
    var alive: [Int] {
      made.removeAll { $0.list == nil }
      return made.map(\.count)
    }

    /// - Parameter body: is given the number of changes that the list is of.
    func withList(_ body: (Int) -> Void) {
      place.withList(
        make: {
          let list = ObserverList([])
          made.append(Made(count: count, list: list))
          return list
        },
        { list in
          let count = made.first { $0.list === list }?.count
          body(count ?? -1)
          #expect(made.contains { $0.list === list }, "a list lives to the end of its calls")
        })
    }
  }

  /// Changes before, in and after calls, which are nested in each other: each call is given what is true at its beginning, and no
  /// list outlives the calls that it is needed for.
  // Statement 18
  @Test(arguments: some(20, of: 0...199 as ClosedRange<UInt64>)) func everyCallHasTheNewestList(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let changes = Changes()
    /// The numbers of changes that the calls under way began with, the outermost first.
    var under: [Int] = []
    func steps(_ count: Int) {
      for _ in 0..<count {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: changes.change()
        case 1...2 where under.count < 4:
          let before = changes.count
          changes.withList { given in
            #expect(given == before, "seed \(seed)")
            under.append(before)
            steps(Int.random(in: 0...4, using: &random))
            under.removeLast()
          }
        default: break
        }
        let needed = Set(under + [changes.count])
        #expect(changes.alive.allSatisfy(needed.contains), "seed \(seed): \(changes.alive) of \(needed)")
        #expect(changes.alive.count <= under.count + 1, "seed \(seed)")
      }
    }
    steps(200)
    #expect(changes.alive.count <= 1)
    changes.change()
    #expect(changes.alive.isEmpty, "seed \(seed)")
  }

  /// Observers that another thread adds and ends while the loop calls them: what they hold is released.
  // Statement 21
  @Test func observersThatComeAndGoDuringCallsKeepNothing() throws {
    final class Owner: Sendable {}
    struct Witness { weak let owner: Owner? }
    let thread = try LoopThread(name: "calls")
    let activities: FrameLoop.Activity = [.beforeTimers, .beforeSources, .beforeWaiting, .afterWaiting]
    let lasting = FrameLoop.Observer(activities, .onLoop { _, _ in })
    thread.loop.add(lasting, to: .common)
    var witnesses: [Witness] = []
    for number in 0..<1_000 {
      let owner = Owner()
      witnesses.append(Witness(owner: owner))
      let observer = FrameLoop.Observer(activities, .onLoop { [owner] _, _ in withExtendedLifetime(owner) {} })
      thread.loop.wakeUp()
      thread.loop.add(observer, to: .common)
      if number % 3 > 0 { thread.loop.wakeUp() }
      if number % 7 == 0 { spin { thread.loop.isWaiting } }
      observer.invalidate()
    }
    thread.stop()
    thread.waitUntilEnded()
    #expect(witnesses.count { $0.owner != nil } == 0)
  }

  /// A loop that calls the same observers again makes no new list.
  @Test func aListIsMadeOncePerChange() {
    let place = ObserverListPlace()
    var made = 0
    func call() {
      place.withList(
        make: {
          made += 1
          return ObserverList([])
        }, { _ in })
    }
    for _ in 0..<10 { call() }
    #expect(made == 1)
    place.makeOutdated()
    place.makeOutdated()
    for _ in 0..<10 { call() }
    #expect(made == 2)
  }

  /// An observer that another thread ends while its loop sleeps keeps nothing, although the loop has called it before.
  // Statement 21
  @Test func anObserverThatEndsWhileItsLoopSleepsKeepsNothing() throws {
    final class Owner: Sendable {}
    let thread = try LoopThread(name: "sleeps")
    let called = Latch()
    var owner: Owner? = Owner()
    weak let witness = owner
    let observer = FrameLoop.Observer(
      .beforeWaiting, .onLoop { [owner] _, _ in withExtendedLifetime(owner) { called.open() } })
    owner = nil
    thread.loop.add(observer, to: .common)
    thread.loop.wakeUp()
    called.wait()
    spin { thread.loop.isWaiting }
    #expect(witness != nil)
    observer.invalidate()
    #expect(witness == nil)
    thread.stop()
    thread.waitUntilEnded()
  }
}
