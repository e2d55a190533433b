import Glibc
import LinuxSystem
import LoopTestSupport
import TestLength
import Testing

@testable import MessagePorts
import RunLoops

@Suite struct MessagePortTests {
  /// Two ends; the events of the second are written down.
  private struct Wire {
    let scenario = Scenario()
    let near: MessagePort
    let far: MessagePort
    let events = Box<[MessagePort.Event]>([])

    init(limit: Int = 65_536, farLimit: Int = 65_536) throws {
      let (first, second) =
        try
        (limit == farLimit
        ? MessageSocket.pair(messageLimit: limit) : Self.unequalPair(limit, farLimit))
      near = MessagePort(first, .onLoop { _, _ in })
      far = MessagePort(second, .onLoop { [events] _, event in events.value.append(event) })
      scenario.loop.add(far, to: .default)
    }

    private static func unequalPair(_ first: Int, _ second: Int) throws -> (MessageSocket, MessageSocket) {
      var ends: [Int32] = [-1, -1]
      try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
      return (
        try MessageSocket(owning: ends[0], messageLimit: first),
        try MessageSocket(owning: ends[1], messageLimit: second)
      )
    }

    /// Runs the loop as long as there is something, and gives what came.
    func received() -> [MessagePort.Event] {
      events.value = []
      repeat {} while scenario.loop.run(mode: .default, until: .zero, returnAfterSourceHandled: true) == .handledSource
      return events.value
    }
  }

  @Test func messagesArriveWholeInOrderAndOneAPass() throws {
    let wire = try Wire()
    let messages: [[UInt8]] = [[1, 2, 3], [], [4], [UInt8](repeating: 5, count: 65_536), [], [6]]
    for message in messages { try wire.near.send(message) }
    #expect(wire.scenario.loop.run(mode: .default, until: .zero) == .timedOut)
    #expect(wire.events.value == [.message([1, 2, 3])])
    #expect(wire.received() == messages.dropFirst().map { .message($0) })
    #expect(wire.received() == [])
    #expect(wire.far.isValid)
  }

  @Test func anEmptyMessageIsNoEnd() throws {
    let wire = try Wire()
    try wire.near.send([])
    try wire.near.send([])
    wire.near.invalidate()
    #expect(wire.received() == [.message([]), .message([]), .ended(nil)])
    #expect(!wire.far.isValid && !wire.scenario.loop.contains(wire.far, in: .default))
  }

  @Test func longMessagesAreRefusedOrLostAndHarmNoOthers() throws {
    let wire = try Wire(limit: 1_000, farLimit: 10)
    try wire.near.send([UInt8](repeating: 1, count: 10))
    try wire.near.send([UInt8](repeating: 2, count: 11))
    try wire.near.send([UInt8](repeating: 3, count: 1_000))
    #expect(throws: MessageError.tooLong(size: 1_001, limit: 1_000)) {
      try wire.near.send([UInt8](repeating: 4, count: 1_001))
    }
    try wire.near.send([5])
    #expect(
      wire.received() == [.message([UInt8](repeating: 1, count: 10)), .lost(size: 11), .lost(size: 1_000), .message([5])])
    #expect(throws: MessageError.tooLong(size: 11, limit: 10)) { try wire.far.send([UInt8](repeating: 0, count: 11)) }
    // More than the kernel's queue holds is not promised.
    let (socket, _) = try MessageSocket.pair(messageLimit: .max)
    #expect(socket.messageLimit > 65_536 && socket.messageLimit < 10_000_000)
    let greatest = try Wire(limit: .max, farLimit: .max)
    try greatest.near.send([UInt8](repeating: 9, count: socket.messageLimit))
    #expect(greatest.received() == [.message([UInt8](repeating: 9, count: socket.messageLimit))])
  }

  @Test func aFullQueueRefusesAndSaysWhenThereIsRoom() throws {
    let wire = try Wire()
    let writables = Box(0)
    let (first, second) = try MessageSocket.pair()
    let sender = MessagePort(first, .onLoop { _, event in if event == .writable { writables.value += 1 } })
    let receiver = MessagePort(second, .onLoop { [events = wire.events] _, event in events.value.append(event) })
    let loop = wire.scenario.loop
    loop.add(sender, to: .default)
    var sent = 0
    var refusals = 0
    let message = [UInt8](repeating: 7, count: 30_000)
    while refusals < 3 {
      do throws(MessageError) {
        try sender.send(message)
        sent += 1
      } catch {
        #expect(error == .queueFull)
        refusals += 1
      }
    }
    #expect((2...100).contains(sent))
    #expect(wire.received() == [] && writables.value == 0)
    loop.add(receiver, to: .default)
    // All that was sent comes, and the room is told of once.
    #expect(wire.received() == Array(repeating: .message(message), count: sent))
    #expect(writables.value == 1)
    try sender.send(message)
    #expect(wire.received() == [.message(message)] && writables.value == 1)
  }

  @Test func aPortThatIsAddedAfterwardsSaysThatThereIsRoom() throws {
    let wire = try Wire()
    let writables = Box(0)
    let (first, second) = try MessageSocket.pair()
    let sender = MessagePort(first, .onLoop { _, event in if event == .writable { writables.value += 1 } })
    let receiver = MessagePort(second, .onLoop { _, _ in })
    while (try? sender.send([UInt8](repeating: 0, count: 60_000))) != nil {}
    let loop = wire.scenario.loop
    loop.add(receiver, to: "receive")
    loop.add(sender, to: .common)
    #expect(loop.contains(sender, in: .default) && !loop.contains(sender, in: "receive"))
    while loop.run(mode: "receive", until: .zero, returnAfterSourceHandled: true) == .handledSource {}
    #expect(wire.received() == [] && writables.value == 1)
    loop.remove(sender, from: .common)
    #expect(!loop.contains(sender, in: .default) && sender.isValid)
  }

  @Test func theEndComesAfterAllThatWasSentAndOnce() throws {
    let wire = try Wire()
    try wire.near.send([1])
    wire.near.invalidate()
    #expect(wire.received() == [.message([1]), .ended(nil)])
    #expect(wire.received() == [])
    for port in [wire.near, wire.far] { #expect(throws: MessageError.ended) { try port.send([3]) } }
    wire.scenario.loop.add(wire.far, to: .default)
    #expect(!wire.scenario.loop.contains(wire.far, in: .default))
  }

  /// The kernel tells of the reset before it gives what the other end had sent: to who receives or sends first.
  @Test(arguments: [false, true]) func anEndThatGoesWithMessagesUnreadIsAnEndLikeOthers(sendsFirst: Bool) throws {
    let wire = try Wire()
    let far: MessagePort
    do {
      let (first, second) = try MessageSocket.pair()
      far = MessagePort(second, .onLoop { [events = wire.events] _, event in events.value.append(event) })
      let near = MessagePort(first, .onLoop { _, _ in })
      try near.send([1])
      try far.send([2])
    }
    if sendsFirst { #expect(throws: MessageError.ended) { try far.send([3]) } }
    wire.scenario.loop.add(far, to: .default)
    #expect(wire.received() == [.message([1]), .ended(nil)])
    #expect(throws: MessageError.ended) { try far.send([3]) }
  }

  @Test func aPortEndsWithItsOwner() throws {
    let scenario = Scenario()
    let (first, second) = try MessageSocket.pair()
    let ended = Box(false)
    let far = MessagePort(second, .onLoop { _, event in ended.value = event == .ended(nil) })
    scenario.loop.add(far, to: .default)
    weak var watched: MessagePort?
    do {
      let near = MessagePort(first, .onLoop { _, _ in })
      watched = near
      scenario.loop.add(near, to: .default)
    }
    #expect(watched == nil)
    scenario.run(until: 0)
    // Also when somebody holds the socket still.
    #expect(ended.value && !far.isValid)
    withExtendedLifetime(first) {}
  }

  @Test func anInvalidatedPortIsNotCalled() throws {
    let wire = try Wire()
    try wire.near.send([1])
    wire.far.invalidate()
    wire.far.invalidate()
    #expect(wire.received() == [])
    #expect(throws: MessageError.ended) { try wire.near.send([2]) }
  }

  // MARK: Threads and processes

  /// Random messages in both directions between two threads, or a child, with pauses and bursts.
  private final class Correspondent: Sendable {
    private struct State {
      var unsent: ArraySlice<[UInt8]>
      var received: [[UInt8]] = []
      var random: SplitMix64
      var fullCount = 0
    }

    private let state: Lock<State>
    private let count: Int
    let done = Latch()

    init(sends messages: [[UInt8]], expects count: Int, seed: UInt64) {
      state = Lock(State(unsent: messages[...], random: SplitMix64(seed: seed)))
      self.count = count
    }

    var received: [[UInt8]] { state.withLock { $0.received } }
    var fullCount: Int { state.withLock { $0.fullCount } }

    func handle(_ event: MessagePort.Event, of port: MessagePort) {
      state.withLock { state in
        switch event {
        case .message(let bytes): state.received.append(bytes)
        case .writable: break
        case .lost, .ended: return done.open()
        }
        if state.received.count == count, state.unsent.isEmpty { done.open() }
        // Sometimes it does not feel like it, if there will be another occasion.
        if event != .writable, state.received.count < count, Int.random(in: 0..<4, using: &state.random) == 0 { return }
        send(&state, port)
      }
    }

    func begin(_ port: MessagePort) { state.withLock { send(&$0, port) } }

    private func send(_ state: inout State, _ port: MessagePort) {
      while let next = state.unsent.first {
        do throws(MessageError) {
          try port.send(next)
          state.unsent.removeFirst()
        } catch {
          if error == .queueFull { state.fullCount += 1 } else { Issue.record("\(error)") }
          return
        }
      }
      if state.received.count == count { done.open() }
    }
  }

  private func messages(_ count: Int, seed: UInt64) -> [[UInt8]] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in
      // Mostly small, some as long as they may be.
      let greatest = [0, 1, 100, 5_000, 65_536].randomElement(using: &random) ?? 0
      let count = Int.random(in: 0...greatest, using: &random)
      var bytes = [UInt8](repeating: .random(in: 0...255, using: &random), count: count)
      // Marks show bytes that are lost, doubled or out of place.
      for index in stride(from: 0, to: count, by: 61) { bytes[index] = UInt8(truncatingIfNeeded: index / 61) }
      return bytes
    }
  }

  @Test(arguments: (isLongRun ? [1, 2, 3] : []) + [UInt64.random(in: 0...UInt64.max)])
  func randomMessagesArriveWholeAndInOrder(seed: UInt64) throws {
    print("seed \(seed)")
    let (first, second) = try MessageSocket.pair()
    let there = messages(300, seed: seed)
    let back = messages(300, seed: seed ^ 1)
    let left = Correspondent(sends: there, expects: back.count, seed: seed ^ 2)
    let right = Correspondent(sends: back, expects: there.count, seed: seed ^ 3)
    let threads = [try LoopThread(name: "left"), try LoopThread(name: "right")]
    let ports = [
      MessagePort(first, .onLoop { left.handle($1, of: $0) }), MessagePort(second, .onLoop { right.handle($1, of: $0) }),
    ]
    for (port, thread) in zip(ports, threads) { thread.loop.add(port, to: .default) }
    withExtendedLifetime((ports, threads)) {
      left.begin(ports[0])
      right.begin(ports[1])
      left.done.wait()
      right.done.wait()
    }
    #expect(left.received == back && right.received == there)
    #expect(left.fullCount + right.fullCount > 0)
  }

  @Test func aChildProcessAnswersUntilItsParentIsGone() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("seed \(seed)")
    let (own, childs) = try MessageSocket.pair()
    let child = try ChildProcess(["echo"], descriptor: childs.descriptor)
    let sent = messages(200, seed: seed)
    let thread = try LoopThread(name: "parent")
    let parent = Correspondent(sends: sent, expects: sent.count, seed: seed)
    let port = MessagePort(own, .onLoop { parent.handle($1, of: $0) })
    thread.loop.add(port, to: .default)
    withExtendedLifetime(thread) {
      parent.begin(port)
      parent.done.wait()
    }
    #expect(parent.received == sent.map { $0.reversed() })
    port.invalidate()
    #expect(child.wait() == 0)
  }

  @Test func theDeathOfAChildIsTheEnd() throws {
    let ended = Latch()
    let thread = try LoopThread(name: "parent")
    let port: MessagePort
    let child: ChildProcess
    do {
      let (own, childs) = try MessageSocket.pair()
      child = try ChildProcess(["echo"], descriptor: childs.descriptor)
      port = MessagePort(
        own,
        .onLoop { port, event in
          switch event {
          case .message: child.kill()
          case .ended: ended.open()
          case .lost, .writable: Issue.record("\(event)")
          }
        })
      thread.loop.add(port, to: .default)
      try port.send([1])
    }
    ended.wait()
    #expect(child.wait() == -SIGKILL && !port.isValid)
  }

  @Test func onlyASocketThatKeepsMessagesApartWillDo() throws {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { close(ends[1]) }
    let number = ends[0]
    let error = #expect(throws: SystemError.self) { try MessageSocket(owning: number) }
    #expect(error?.errno == EPROTOTYPE)
    let event = Event()
    let copy = withExtendedLifetime(event) { dup(event.number) }
    #expect(throws: SystemError.self) { try MessageSocket(owning: copy) }
  }

  @Test func anInvalidatedPortKeepsNothingThatItsHandlerCaptured() throws {
    final class Owner: Sendable {}
    let wire = try Wire()
    weak var owner: Owner?
    let (socket, other) = try MessageSocket.pair()
    let port: MessagePort
    do {
      let kept = Owner()
      owner = kept
      port = MessagePort(socket, .onLoop { _, _ in _ = kept })
    }
    wire.scenario.loop.add(port, to: .default)
    #expect(owner != nil)
    port.invalidate()
    #expect(owner == nil)
    withExtendedLifetime(other) {}
  }
}
