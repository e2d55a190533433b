import Framepace
import FramepaceTesting
import XCTest

/// Changes at the very end of a turn, when the commit is over, and layers that outlive an engine.
@preconcurrency @MainActor final class TurnEndTests: XCTestCase {
  func testACompletionWithoutMarksIsCalledInItsTurn() throws {
    let stage = try ManualStage(width: 64, height: 48, rate: .hertz60)
    var isCalled = false
    stage.loop.perform(onMain: { Transaction.setCompletion { isCalled = true } })
    stage.turn()
    XCTAssertTrue(isCalled)
  }

  /// Nothing else wakes the loop for a completion that another one sets.
  func testACompletionOfACompletionIsNotKeptWaiting() throws {
    let stage = try ManualStage(width: 64, height: 48, rate: .hertz60)
    stage.run(for: .milliseconds(100))
    let start = stage.clock.now
    var called: MonotonicTime?
    stage.loop.perform(onMain: {
      Transaction.setCompletion {
        Transaction.begin()
        Transaction.setCompletion { called = stage.clock.now }
        Transaction.commit()
      }
    })
    stage.loop.wakeUp()
    stage.run(for: .seconds(1))
    XCTAssertEqual(called, start)
  }

  /// Neither in layout nor in a completion: what changes there is committed once the commit is over.
  func testNothingIsFlushedInsideACommit() throws {
    final class Flushing: Layer {
      var layouts = 0
      override func layoutSublayers() {
        layouts += 1
        Transaction.flush()
      }
    }
    let stage = try ManualStage(width: 64, height: 48, rate: .hertz60)
    let layer = Flushing(frame: Rect(x: 0, y: 0, width: 8, height: 8))
    stage.root.addSublayer(layer)
    stage.run(for: .milliseconds(100))
    XCTAssertEqual(layer.layouts, 1)
    var (before, after) = (0, 0)
    stage.loop.perform(onMain: {
      Transaction.setCompletion {
        layer.setNeedsLayout()
        before = layer.layouts
        Transaction.flush()
        after = layer.layouts
      }
    })
    stage.loop.wakeUp()
    stage.run(for: .milliseconds(100))
    XCTAssertEqual([before, after, layer.layouts], [1, 1, 2])
  }

  /// A commit that the loop did not wake for has no callbacks before it whose time could count.
  func testAFlushHasNoTimeOfCallbacks() throws {
    let stage = try ManualStage(width: 64, height: 48, rate: .hertz60)
    let layer = stage.addSquare()
    stage.run(for: .milliseconds(100))
    stage.clock.advance(by: .milliseconds(30))
    layer.isHidden = true
    Transaction.flush()
    stage.run(for: .milliseconds(100))
    XCTAssertEqual(stage.frames.count, 2)
    XCTAssertEqual(stage.frames.last?.phases[.callbacks], .zero)
  }

  func testFlushCommitsAtOnce() throws {
    let stage = try ManualStage(width: 64, height: 48, rate: .hertz60)
    let layer = stage.addSquare()
    stage.run(for: .milliseconds(100))
    Transaction.begin()
    layer.setNeedsLayout()
    Transaction.flush()
    XCTAssertTrue(stage.engine.context.isDirty, "a transaction is open")
    Transaction.commit()
    Transaction.flush()
    XCTAssertFalse(stage.engine.context.isDirty)
  }

  func testSettingsOfATurnWithoutMarksEndWithIt() throws {
    let stage = try ManualStage(width: 64, height: 48, rate: .hertz60)
    stage.loop.perform(onMain: { Transaction.disablesActions = true })
    stage.turn()
    XCTAssertFalse(Transaction.disablesActions)
  }

  func testWhatACompletionChangesIsShown() throws {
    let stage = try ManualStage(width: 64, height: 48, rate: .hertz60)
    let layer = stage.addSquare()
    stage.run(for: .milliseconds(100))
    let before = stage.frames.count
    // The only mark changes nothing that is seen: no frame and no tick follow that could carry the change along.
    stage.loop.perform(onMain: {
      layer.setNeedsLayout()
      Transaction.setCompletion { layer.isHidden = true }
    })
    stage.loop.wakeUp()
    stage.run(for: .milliseconds(100))
    XCTAssertEqual(stage.frames.count - before, 1)
    XCTAssertFalse(stage.engine.context.isDirty)
  }

  func testWhatIsChangedWhenTheOutputGoesIdleIsShown() throws {
    let stage = try ManualStage(width: 64, height: 48, rate: .hertz60)
    let layer = stage.addSquare()
    layer.isHidden = true
    stage.engine.output.observe { if case .idle = $0 { layer.isHidden = false } }.keep()
    stage.run(for: .milliseconds(200))
    XCTAssertEqual(stage.frames.count, 2)
    XCTAssertFalse(stage.engine.context.isDirty)
  }

  func testAnotherEngineTakesTheLayersOver() throws {
    let root = Layer()
    root.backgroundColor = .black
    let layer = Layer(frame: Rect(x: 0, y: 0, width: 8, height: 8))
    layer.backgroundColor = .white
    root.addSublayer(layer)
    let first = try ManualStage(width: 64, height: 48, root: root, rate: .hertz60)
    first.run(for: .milliseconds(50))
    Transaction.withoutActions {
      layer.add(BasicAnimation(.opacity, from: 1, to: 0, duration: .seconds(1)), forKey: "fade")
    }
    first.run(for: .milliseconds(500))
    let half = layer.presentation.opacity
    first.engine.invalidate()

    let second = try ManualStage(width: 80, height: 40, root: root, rate: .hertz60, start: first.clock.now)
    second.run(for: .milliseconds(100))
    XCTAssertGreaterThan(second.frames.count, 4, "the animation goes on")
    XCTAssertEqual(root.bounds.size, Size(80, 40))
    XCTAssertEqual(layer.presentation.opacity, half - 0.1, accuracy: 0.03)
    XCTAssertEqual(layer.animationKeys, ["fade"])
  }

  func testAnEngineThatWasToldToFinishDoesNotRun() throws {
    let stage = try ManualStage(width: 64, height: 48, rate: .hertz60)
    let timer = FrameLoop.Timer(
      fireTime: stage.clock.now + .milliseconds(100), .onMain { [engine = stage.engine] _ in engine.finish() })
    stage.loop.add(timer, to: .common)
    stage.engine.finish()
    stage.engine.run()
    XCTAssertTrue(timer.isValid)
    XCTAssertTrue(stage.engine.context.isDirty, "no turn")
    // The second time it does.
    stage.engine.run()
    XCTAssertFalse(timer.isValid)
    XCTAssertEqual(stage.frames.count, 1)
  }
}
