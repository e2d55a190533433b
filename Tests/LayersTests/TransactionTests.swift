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
}
