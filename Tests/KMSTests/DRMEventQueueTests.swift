import Framepace
import Glibc
import XCTest

@testable import KMS

/// The queue on a pipe, which is read like a card. XCTest, because a loop of the main thread must run on it.
final class DRMEventQueueTests: XCTestCase {
  @MainActor
  private final class Stage {
    let loop = FrameLoop(clock: .manual(ManualClock()))
    let queue: DRMEventQueue
    let route: DRMEventRoute
    var seen: [String] = []
    private let writer: Int32

    init() throws {
      var ends: [Int32] = [0, 0]
      XCTAssertEqual(pipe(&ends), 0)
      writer = ends[1]
      queue = DRMEventQueue(interface: LibDRM(node: OwnedDescriptor(owning: ends[0]), path: "a pipe"))
      route = queue.makeRoute()
      route.onFlip = { [unowned self] token, _, _ in seen.append("flip \(token)") }
      route.onSequence = { [unowned self] token, _, _ in seen.append("vblank \(token)") }
      route.onError = { [unowned self] error in seen.append("\(error)") }
      route.add(to: loop, mode: .default)
    }

    func write(_ events: [DRMEventBytes]) {
      let bytes = events.flatMap { event in
        let token = (event.owner ?? route).token(event.token)
        return event.isFlip
          ? flipEvent(token: token, seconds: 0, microseconds: 0, sequence: 1)
          : sequenceEvent(token: token, time: 1, sequence: 1)
      }
      XCTAssertEqual(Glibc.write(writer, bytes, bytes.count), bytes.count)
    }

    /// One pass: a ready descriptor is served once.
    func turn() { loop.run(mode: .default, until: loop.clock.now) }

    func close() {
      queue.invalidate()
      Glibc.close(writer)
    }
  }

  private func onMain(_ body: @MainActor (Stage) throws -> Void) throws {
    try MainActor.assumeIsolated {
      let stage = try Stage()
      try body(stage)
      stage.close()
    }
  }

  /// Each event of a burst comes once.
  func testABurstIsServedInSeveralReads() throws {
    try onMain { stage in
      stage.write((1...100).map { .vblank(token: $0) })
      for _ in 1...4 { stage.turn() }
      XCTAssertEqual(stage.seen, (1...100).map { "vblank \($0)" })
    }
  }

  /// A loop that a handler runs dispatches the events of the handler's read first.
  func testAHandlerMayRunTheLoop() throws {
    try onMain { stage in
      let route = stage.route
      let inner = route.onFlip
      route.onFlip = { token, time, sequence in
        inner?(token, time, sequence)
        guard token == 1 else { return }
        stage.write([.flip(token: 8), .vblank(token: 9)])
        stage.turn()
      }
      stage.write([.flip(token: 1), .flip(token: 2), .vblank(token: 3)])
      stage.turn()
      XCTAssertEqual(stage.seen, ["flip 1", "flip 2", "vblank 3", "flip 8", "vblank 9"])
    }
  }

  /// A nested run dispatches pending events too, when it has nothing more to read and its handlers run the loop in another mode.
  func testANestedRunDispatchesWhatWasRead() throws {
    try onMain { stage in
      let other = stage.queue.makeRoute()
      other.add(to: stage.loop, mode: "dialog")
      let begin: @MainActor (String) -> Void = { name in
        stage.seen.append(name)
        XCTAssertTrue(other.hasUnread)
        stage.loop.run(mode: "dialog", until: stage.loop.clock.now)
        stage.seen.append("end of \(name)")
      }
      stage.route.onFlip = { token, _, _ in begin("flip \(token)") }
      stage.route.onSequence = { token, _, _ in begin("vblank \(token)") }
      other.onSequence = { token, _, _ in stage.seen.append("other vblank \(token)") }
      stage.write([.vblank(token: 3), .flip(token: 1), .vblank(token: 4, to: other), .vblank(token: 5, to: other)])
      stage.turn()
      let expected = ["flip 1", "vblank 3", "other vblank 4", "other vblank 5", "end of vblank 3", "end of flip 1"]
      XCTAssertEqual(stage.seen, expected)
      XCTAssertFalse(other.hasUnread)
      other.invalidate()
    }
  }

  /// A handler ends the queue: nothing is dispatched or read after it.
  func testNothingComesAfterTheEnd() throws {
    try onMain { stage in
      stage.route.onFlip = { token, _, _ in
        stage.seen.append("flip \(token)")
        stage.queue.invalidate()
      }
      stage.write([.flip(token: 1), .flip(token: 2), .vblank(token: 3)])
      stage.turn()
      stage.turn()
      XCTAssertEqual(stage.seen, ["flip 1"])
    }
  }

  /// Flips of one read go first.
  func testEachDisplayGetsItsOwnEvents() throws {
    try onMain { stage in
      let other = stage.queue.makeRoute()
      other.onFlip = { token, _, _ in stage.seen.append("other flip \(token)") }
      other.onSequence = { token, _, _ in stage.seen.append("other vblank \(token)") }
      let burst: [DRMEventBytes] = [
        .vblank(token: 1), .flip(token: .max), .vblank(token: 1, to: other), .flip(token: 7, to: other),
      ]
      stage.write(burst)
      stage.turn()
      XCTAssertEqual(stage.seen, ["flip 4294967295", "other flip 7", "vblank 1", "other vblank 1"])
      // Events of a route that has ended are dropped.
      other.invalidate()
      stage.seen = []
      stage.write(burst)
      stage.turn()
      XCTAssertEqual(stage.seen, ["flip 4294967295", "vblank 1"])
    }
  }

  /// A display that goes leaves the modes that only it was in.
  func testADisplayThatGoesLeavesTheOthersServed() throws {
    try onMain { stage in
      let other = stage.queue.makeRoute()
      other.add(to: stage.loop, mode: .default)
      other.add(to: stage.loop, mode: "other")
      let third = stage.queue.makeRoute()
      third.add(to: stage.loop, mode: "other")
      third.remove(from: stage.loop, mode: "other")
      XCTAssertEqual(stage.loop.run(mode: "other", until: stage.loop.clock.now), .timedOut)
      other.invalidate()
      XCTAssertEqual(stage.loop.run(mode: "other", until: stage.loop.clock.now), .finished)
      stage.write([.flip(token: 1)])
      stage.turn()
      XCTAssertEqual(stage.seen, ["flip 1"])
    }
  }

  func testADescriptorThatCannotBeReadIsReportedOnceAndNotWaitedOn() throws {
    try onMain { stage in
      // A pipe's writing end without a reader is in error for ever.
      var ends: [Int32] = [0, 0]
      XCTAssertEqual(pipe(&ends), 0)
      close(ends[0])
      let half = LibDRM(node: OwnedDescriptor(owning: ends[1]), path: "half a pipe")
      let queue = DRMEventQueue(interface: half)
      let routes = [queue.makeRoute(), queue.makeRoute()]
      var errors: [String] = []
      for route in routes {
        route.onError = { errors.append("\(route.number): \($0)") }
        route.add(to: stage.loop, mode: "other")
      }
      for _ in 1...3 { stage.loop.run(mode: "other", until: stage.loop.clock.now) }
      XCTAssertEqual(errors, [1, 2].map { "\($0): read half a pipe: Bad file descriptor (9)" })
      XCTAssertEqual(stage.loop.run(mode: "other"), .finished)
    }
  }
}

/// An event of the kernel.
private struct DRMEventBytes {
  var isFlip = false
  let token: UInt32
  /// Nil for the stage's route.
  let owner: DRMEventRoute?

  static func vblank(token: UInt32, to owner: DRMEventRoute? = nil) -> Self { Self(token: token, owner: owner) }
  static func flip(token: UInt32, to owner: DRMEventRoute? = nil) -> Self {
    Self(isFlip: true, token: token, owner: owner)
  }
}
