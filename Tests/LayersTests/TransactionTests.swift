import Geometry
import Layers
import LinuxSystem
import RenderTree
import XCTest

@preconcurrency @MainActor final class TransactionTests: XCTestCase {
  func testSettingsNestAndEnd() {
    XCTAssertFalse(Transaction.disablesActions)
    XCTAssertEqual(Transaction.animationDuration, .milliseconds(250))
    XCTAssertNil(Transaction.animationTimingFunction)
    XCTAssertNil(Transaction.animationSpring)
    Transaction.begin()
    Transaction.disablesActions = true
    Transaction.animationDuration = .milliseconds(100)
    Transaction.begin()
    XCTAssertTrue(Transaction.disablesActions, "taken over from the transaction around it")
    XCTAssertEqual(Transaction.animationDuration, .milliseconds(100))
    Transaction.disablesActions = false
    Transaction.animationTimingFunction = .easeIn
    Transaction.commit()
    XCTAssertTrue(Transaction.disablesActions)
    XCTAssertNil(Transaction.animationTimingFunction)
    Transaction.commit()
    XCTAssertFalse(Transaction.disablesActions)
    XCTAssertEqual(Transaction.animationDuration, .milliseconds(250))
  }

  func testWithoutActions() {
    let stage = Stage()
    stage.turn()
    Transaction.withoutActions { stage.root.opacity = 0.5 }
    XCTAssertEqual(stage.root.animationKeys, [])
    stage.root.opacity = 1
    XCTAssertEqual(stage.root.animationKeys, ["opacity"])
    struct Refusal: Error {}
    var refused = false
    do {
      try Transaction.withoutActions { throw Refusal() }
    } catch {
      refused = true
    }
    XCTAssertTrue(refused)
    XCTAssertFalse(Transaction.disablesActions, "also after an error")
    stage.turn()
  }

  func testSettingsReachTheAnimations() throws {
    let stage = Stage()
    stage.turn()
    Transaction.begin()
    Transaction.animationDuration = .milliseconds(1000)
    Transaction.animationTimingFunction = .linear
    stage.root.opacity = 0
    Transaction.commit()
    stage.turn()
    XCTAssertEqual(try XCTUnwrap(stage.tree(after: 300).records.first).opacity, 0.7, accuracy: 1e-6)
    stage.turn(after: 2000)
  }

  func testCompletionWithoutAnimationsComesAtTheEndOfTheTurn() {
    let stage = Stage()
    let log = Log()
    Transaction.begin()
    Transaction.animationDuration = .milliseconds(40)
    Transaction.setCompletion { log.append("done in \(Transaction.animationDuration)") }
    Transaction.commit()
    XCTAssertEqual(log.entries, [])
    stage.turn()
    XCTAssertEqual(log.entries, ["done in 250 ms"], "outside of the transaction that it ends")
    Transaction.animationDuration = .milliseconds(40)
    Transaction.setCompletion {
      log.append("turn in \(Transaction.animationDuration)")
      stage.root.backgroundColor = .white
    }
    stage.turn()
    XCTAssertEqual(log.entries.last, "turn in 250 ms")
    XCTAssertTrue(stage.context.isDirty, "what it changes is for the next commit")
  }

  func testCompletionsComeInOrder() {
    let stage = Stage()
    let (fast, slow) = (Layer(), Layer())
    stage.root.add(fast, slow)
    stage.turn()
    let log = Log()
    Transaction.begin()
    Transaction.setCompletion { log.append("outer") }
    slow.add(
      BasicAnimation(.opacity, to: 0, duration: .milliseconds(30), completion: { _ in log.append("slow") }))
    Transaction.begin()
    Transaction.setCompletion { log.append("inner") }
    fast.add(
      BasicAnimation(.opacity, to: 0, duration: .milliseconds(10), completion: { _ in log.append("fast") }))
    Transaction.commit()
    Transaction.commit()
    stage.turn()
    XCTAssertEqual(log.entries, [])
    stage.turn(after: 10)
    XCTAssertEqual(log.entries, ["inner", "fast"])
    stage.turn(after: 20)
    XCTAssertEqual(log.entries, ["inner", "fast", "outer", "slow"])
  }

  func testOuterCompletionWaitsForAnInnerGroupThatHasOne() {
    let stage = Stage()
    stage.turn()
    let log = Log()
    Transaction.begin()
    Transaction.setCompletion { log.append("outer") }
    Transaction.begin()
    Transaction.setCompletion { log.append("inner") }
    stage.root.add(BasicAnimation(.opacity, to: 0, duration: .milliseconds(10)))
    Transaction.commit()
    Transaction.commit()
    XCTAssertEqual(log.entries, [])
    stage.turn()
    stage.turn(after: 10)
    XCTAssertEqual(log.entries, ["inner", "outer"])
  }

  func testSecondCompletionLeavesTheFirstWithItsAnimations() {
    let stage = Stage()
    stage.turn()
    let log = Log()
    Transaction.begin()
    Transaction.setCompletion { log.append("first") }
    Transaction.setCompletion { log.append("second") }
    stage.root.add(BasicAnimation(.opacity, to: 0, duration: .milliseconds(10)), forKey: "fade")
    Transaction.commit()
    stage.turn()
    XCTAssertEqual(log.entries, ["first"])
    stage.root.removeAnimation(forKey: "fade")
    stage.turn()
    XCTAssertEqual(log.entries, ["first", "second"], "a removed animation is over too")
  }

  func testCompletionsOfTransactionsComeBeforeThoseOfTheirAnimations() {
    let stage = Stage()
    stage.turn()
    let log = Log()
    Transaction.begin()
    Transaction.setCompletion { log.append("transaction") }
    for name in ["one", "two"] {
      var fade = BasicAnimation(.opacity, to: 0, duration: .milliseconds(10), completion: { _ in log.append(name) })
      fade.didStart = { log.append("start of \(name)") }
      fade.beginTime = milliseconds(5)
      stage.root.add(fade)
    }
    Transaction.commit()
    stage.turn()
    stage.turn(after: 100)
    XCTAssertEqual(log.entries, ["start of one", "start of two", "transaction", "one", "two"])
  }

  func testKeysOfTheApplicationNest() {
    let key = TransactionKey("source", default: "none")
    Transaction.begin()
    Transaction[key] = "touch"
    Transaction.begin()
    XCTAssertEqual(Transaction[key], "touch")
    Transaction[key] = "timer"
    XCTAssertEqual(Transaction[key], "timer")
    Transaction.commit()
    XCTAssertEqual(Transaction[key], "touch")
    Transaction.commit()
    XCTAssertEqual(Transaction[key], "none")
    Transaction[key] = "turn"
    Stage().turn()
    XCTAssertEqual(Transaction[key], "none", "the turn's transaction has ended")
  }

  func testCommitWithoutBeginIsHarmless() {
    Transaction.animationDuration = .seconds(3)
    Transaction.commit()
    XCTAssertEqual(Transaction.animationDuration, .seconds(3))
    Stage().turn()
  }

  func testFlushCommitsUnlessATransactionIsOpen() {
    final class Host: TransactionHost {
      var commits = 0
      var requests = 0
      func commitNow() { commits += 1 }
      func needsCommit() { requests += 1 }
    }
    let host = Host()
    Transaction.add(host)
    Transaction.begin()
    Transaction.setCompletion {}
    Transaction.flush()
    XCTAssertEqual(host.commits, 0)
    Transaction.commit()
    XCTAssertEqual(host.requests, 1, "somebody must call the completion, even if no layer changes")
    Transaction.flush()
    XCTAssertEqual(host.commits, 1)
    Stage().turn()
  }

  func testAnAnimationOfALayerInNoTreeEndsWithTheTurn() {
    let stage = Stage()
    stage.turn()
    let (inside, outside) = (Layer(), Layer())
    inside.add(BasicAnimation(.opacity, to: 0), forKey: "fade")
    outside.add(BasicAnimation(.opacity, to: 0), forKey: "fade")
    stage.root.addSublayer(inside)
    stage.turn()
    XCTAssertEqual(inside.animationKeys, ["fade"], "it came into the tree in the same turn")
    XCTAssertEqual(outside.animationKeys, [])
  }

  func testAnAnimationThatIsRemovedOutsideOfTheTreeIsOver() {
    let stage = Stage()
    let layer = Layer()
    stage.root.addSublayer(layer)
    stage.turn()
    let log = Log()
    Transaction.begin()
    Transaction.setCompletion { log.append("transaction") }
    for name in ["one", "two"] { layer.add(BasicAnimation(.opacity, to: 0, completion: { log.append("\(name) \($0)") })) }
    Transaction.commit()
    layer.removeFromSuperlayer()
    layer.removeAllAnimations()
    stage.turn()
    XCTAssertEqual(log.entries, ["transaction", "one false", "two false"])
  }

  func testAnInvalidatedContextReportsWhatWasRemoved() {
    let stage = Stage()
    let (kept, left) = (Layer(), Layer())
    stage.root.add(kept, left)
    stage.turn()
    let log = Log()
    Transaction.begin()
    Transaction.setCompletion { log.append("transaction") }
    for (name, layer) in [("kept", kept), ("left", left)] {
      layer.add(BasicAnimation(.opacity, to: 0, completion: { log.append("\(name) \($0)") }))
    }
    Transaction.commit()
    kept.removeAllAnimations()
    left.removeFromSuperlayer()
    stage.context.invalidate()
    XCTAssertEqual(log.entries, ["kept false"])
    Transaction.endTurn()
    XCTAssertEqual(log.entries, ["kept false", "transaction", "left false"], "it came into no other tree")
  }

  func testChangesMadeByACompletionAreInTheSameCommit() {
    let stage = Stage()
    let layer = Layer()
    stage.root.addSublayer(layer)
    stage.turn()
    layer.add(
      BasicAnimation(
        .opacity, to: 0, duration: .milliseconds(10),
        completion: { _ in Transaction.withoutActions { layer.opacity = 0 } }))
    stage.turn()
    stage.turn(after: 10)
    XCTAssertEqual(stage.tree().records.last?.opacity, 0, "no flash of the old value")
  }
}
