import LinuxSystem
import LoopTestSupport
import Testing

@testable import RunLoops

/// An item that has ended keeps nothing that its handler captured: an object that owns its timer need not fear the circle.
@Suite struct HandlerLifetimeTests {
  private final class Owner: Sendable {}

  /// An item whose handlers keep an owner, and something that the handler does.
  private struct Kept {
    weak let owner: Owner?
    let item: any LoopItem & FrameLoop.Item
  }

  private static let kinds = ["timer", "repeating timer", "observer", "source", "descriptor"]

  /// - Parameter body: is called by the item's handler, which keeps the owner.
  private func make(_ kind: String, _ body: @escaping @Sendable () -> Void = {}) -> Kept {
    let owner = Owner()
    switch kind {
    case "timer", "repeating timer":
      let timer = FrameLoop.Timer(
        fireTime: .zero, interval: kind == "timer" ? .zero : .milliseconds(1),
        .onLoop { _ in
          withExtendedLifetime(owner) { body() }
        })
      return Kept(owner: owner, item: timer)
    case "observer":
      let observer = FrameLoop.Observer(.beforeSources, .onLoop { _, _ in withExtendedLifetime(owner) { body() } })
      return Kept(owner: owner, item: observer)
    case "source":
      let source = FrameLoop.Source(
        scheduled: { [owner] _, _, _ in _ = owner }, cancelled: { [owner] _, _, _ in _ = owner },
        .onLoop { _ in withExtendedLifetime(owner) { body() } })
      source.signal()
      return Kept(owner: owner, item: source)
    default:
      let event = Event()
      event.post()
      let source = FrameLoop.DescriptorSource(
        descriptor: event.number,
        .onLoop { _, _ in
          event.consume()
          withExtendedLifetime(owner) { body() }
        })
      return Kept(owner: owner, item: source)
    }
  }

  @Test(arguments: kinds) func anInvalidItemKeepsNothing(_ kind: String) {
    let scenario = Scenario()
    let kept = make(kind)
    scenario.loop.add(kept.item, to: .common)
    #expect(kept.owner != nil)
    kept.item.invalidate()
    #expect(kept.owner == nil && !kept.item.isValid)
    // Nor one that was never added.
    let unused = make(kind)
    unused.item.invalidate()
    #expect(unused.owner == nil)
  }

  @Test(arguments: kinds) func anItemThatEndsInItsCallKeepsNothingAfterIt(_ kind: String) {
    let scenario = Scenario()
    let box = Box<(@Sendable () -> Void)?>(nil)
    let words = scenario.words
    let kept = make(kind) {
      box.value?()
      words.add("called")
    }
    box.value = { [item = kept.item] in item.invalidate() }
    scenario.loop.add(kept.item, to: .common)
    scenario.source("").signal()
    scenario.run(until: 1)
    #expect(words.count("called") == 1)
    #expect(kept.owner == nil)
  }

  @Test func whatFiresOnceKeepsNothingAfterIt() {
    let scenario = Scenario()
    let kept = make("timer")
    scenario.loop.add(kept.item, to: .common)
    let once = Owner()
    weak let witness = once
    scenario.loop.add(
      FrameLoop.Observer(.entry, repeats: false, .onLoop { [owner = consume once] _, _ in _ = owner }), to: .default)
    #expect(witness != nil)
    scenario.run(until: 1)
    #expect(kept.owner == nil && witness == nil)
  }

  /// Another thread ends the item while its handler runs: what it captured lives to the end of the call, and not longer.
  @Test(arguments: kinds) func aCallThatGoesOnKeepsWhatItNeeds(_ kind: String) throws {
    let thread = try LoopThread(name: "calls")
    let (begun, ended) = (Latch(), Latch())
    let kept = make(kind) {
      begun.open()
      ended.wait()
    }
    thread.loop.add(kept.item, to: .common)
    thread.loop.wakeUp()
    begun.wait()
    kept.item.invalidate()
    #expect(kept.owner != nil && !kept.item.isValid)
    ended.open()
    spin { kept.owner == nil }
    thread.stop()
    thread.waitUntilEnded()
  }

  /// A handler's end may be anything, also a change of the loop.
  @Test(arguments: kinds) func theEndOfAHandlerMayUseTheLoop(_ kind: String) {
    final class Witness: Sendable {
      let scenario: Scenario
      init(_ scenario: Scenario) { self.scenario = scenario }
      deinit {
        let timer = FrameLoop.Timer(fireTime: .zero, .onLoop { _ in })
        scenario.loop.add(timer, to: .common)
        timer.invalidate()
        scenario.words.add("gone")
      }
    }
    let scenario = Scenario()
    do {
      let witness = Witness(scenario)
      let kept = make(kind) { withExtendedLifetime(witness) {} }
      scenario.loop.add(kept.item, to: .common)
      kept.item.invalidate()
    }
    #expect(scenario.words.description == "gone")
  }
}
