import Geometry
import Glibc
import Interaction
import LinuxSystem
import TestLength
import Testing

/// Properties that all machines have, whatever the contacts are.
@Suite struct GesturePropertyTests {
  /// Machines that do not care where up is, each in some settings.
  private static var turnable: [any GestureMachine] {
    [
      TapMachine(), TapMachine(taps: 2), TapMachine(fingers: 2, maximumDuration: .milliseconds(400)),
      TapMachine(taps: 3, fingers: 2), LongPressMachine(), LongPressMachine(fingers: 2),
      LongPressMachine(taps: 1, minimumDuration: .milliseconds(100)), PanMachine(), PanMachine(fingers: 2...3),
      PanMachine(fingers: 1...1, slop: 0), PinchMachine(), PinchMachine(slop: 0), RotationMachine(),
      RotationMachine(slop: 0),
    ]
  }

  private static var all: [any GestureMachine] {
    let rect = Rect(x: -500, y: -500, width: 1000, height: 1000)
    return turnable + SwipeMachine.Direction.allCases.map { SwipeMachine(direction: $0) as any GestureMachine }
      + PanMachine.Edge.allCases.map { PanMachine(course: .inward(from: $0, of: rect, within: 300)) as any GestureMachine }
      + [
        SwipeMachine(fingers: 2), PanMachine(course: .horizontal), PanMachine(fingers: 1...2, course: .vertical),
      ]
  }

  /// The values of a machine: ways, and numbers that do not depend on directions.
  private func values(_ machine: any GestureMachine) -> (ways: [Point], numbers: [Double], places: [Point]) {
    switch machine {
    case let machine as TapMachine: ([], [], machine.location.map { [$0] } ?? [])
    case let machine as LongPressMachine: ([], [], [machine.location])
    case let machine as PanMachine: ([machine.translation, machine.velocity], [], [machine.location])
    case let machine as PinchMachine: ([], [machine.scale, machine.velocity], [machine.location])
    case let machine as RotationMachine: ([], [machine.rotation, machine.velocity], [machine.location])
    case let machine as SwipeMachine: ([], [], machine.location.map { [$0] } ?? [])
    default: ([], [], [])
    }
  }

  private func mayFollow(_ state: GestureState, _ next: GestureState, isDiscrete: Bool) -> Bool {
    switch state {
    case .possible: next == .possible || next == .failed || next == (isDiscrete ? .ended : .began)
    case .began: next != .possible && next != .failed
    case .changed: next != .possible && next != .failed && next != .began
    case .ended, .cancelled, .failed: next == state
    }
  }

  /// Contacts as no device sends them.
  @Test(arguments: some(20, of: 0..<200)) func nonsenseIsHarmless(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let ids: [UInt32] = [1, 2, 4, 1000]
    let contacts = RandomContacts.nonsense(count: 400, ids: ids[Int(seed % 4)], &random)
    for machine in Self.all { checkNonsense(machine, contacts, seed: seed, &random) }
  }

  private func checkNonsense(
    _ machine: some GestureMachine, _ contacts: [Contact], seed: UInt64, _ random: inout SplitMix64
  ) {
    var machine = machine
    let isDiscrete = machine is TapMachine || machine is SwipeMachine
    for (index, contact) in contacts.enumerated() {
      var state = machine.state
      let before = state.isFinal && random.chance(0.05) ? String(reflecting: machine) : ""
      func check() -> Bool {
        defer { state = machine.state }
        let values = values(machine)
        return mayFollow(state, machine.state, isDiscrete: isDiscrete)
          && (machine.deadline == nil || machine.state == .possible)
          && (values.ways + values.places).allSatisfy { $0.x.isFinite && $0.y.isFinite }
          && values.numbers.allSatisfy(\.isFinite) && ((machine as? PinchMachine)?.scale ?? 1) > 0
      }
      machine.pass(contact.time)
      guard check() else {
        Issue.record("seed \(seed), before contact \(index) of \(machine)")
        return
      }
      machine.handle(contact)
      guard check(), before.isEmpty || String(reflecting: machine) == before else {
        Issue.record("seed \(seed), contact \(index) of \(machine)")
        return
      }
      if random.chance(state.isFinal ? 0.2 : 0.01) {
        machine.reset()
        #expect(machine.state == .possible && machine.deadline == nil, "seed \(seed)")
      }
    }
    // When all contacts have ended, and the deadline has passed, it is over, or has not begun.
    for id in 0...1000 as ClosedRange<UInt32> {
      machine.handle(Contact(id: Contact.ID(rawValue: id), phase: .ended, time: .zero, location: .zero))
    }
    if let deadline = machine.deadline { machine.pass(deadline) }
    var idle = machine
    idle.reset()
    #expect(machine.state.isFinal || String(reflecting: machine) == String(reflecting: idle), "seed \(seed): \(machine)")
    #expect(machine.deadline == nil)
  }

  /// The same after contacts as people make them, where the clock is looked at or not.
  @Test(arguments: some(20, of: 0..<200)) func theClockMayBeLookedAtAnyTime(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let contacts = RandomContacts.fingers(&random)
    for machine in Self.all { checkClock(machine, contacts, seed: seed, &random) }
  }

  private func checkClock(
    _ machine: some GestureMachine, _ contacts: [Contact], seed: UInt64, _ random: inout SplitMix64
  ) {
    var (silent, told) = (machine, machine)
    for contact in contacts {
      if let deadline = told.deadline, deadline <= contact.time { told.pass(deadline) }
      let early = contact.time - .microseconds(Int64.random(in: 0...5000, using: &random))
      if random.chance(0.3), early < contact.time { told.pass(min(early, told.deadline ?? early)) }
      told.handle(contact)
      silent.handle(contact)
      #expect(told.state == silent.state, "seed \(seed): \(machine)")
    }
    if let deadline = silent.deadline { silent.pass(deadline) }
    #expect(silent.state.isFinal, "seed \(seed): \(machine)")
  }

  /// Later, elsewhere and turned, all is the same, and ways are turned.
  @Test(arguments: some(20, of: 0..<200)) func placeAndTimeDoNotMatter(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let contacts = RandomContacts.fingers(&random)
    let turn = Affine.rotation(Double.random(in: -4...4, using: &random))
    let move = RandomContacts.point(&random, within: 1000)
    let later = Nanoseconds(Int64.random(in: 0...(1 << 50), using: &random))
    for machine in Self.turnable {
      checkPlace(machine, contacts, seed: seed, turn: turn, move: move, later: later, &random)
    }
  }

  private func checkPlace(
    _ machine: some GestureMachine, _ contacts: [Contact], seed: UInt64, turn: Affine, move: Point, later: Nanoseconds,
    _ random: inout SplitMix64
  ) {
    var (here, there) = (machine, machine)
    for contact in contacts {
      here.handle(contact)
      var moved = contact
      moved.time += later
      moved.location = turn.apply(contact.location) + move
      there.handle(moved)
      #expect(here.state == there.state, "seed \(seed): \(machine)")
      #expect(here.deadline.map { $0 + later } == there.deadline, "seed \(seed): \(machine)")
      let (a, b) = (values(here), values(there))
      // Velocities are up to 1e5.
      for (a, b) in zip(a.ways, b.ways) { #expect(isClose(turn.apply(a), b, 1e-5), "seed \(seed): \(machine)") }
      for (a, b) in zip(a.numbers, b.numbers) { #expect(abs(a - b) < 1e-5, "seed \(seed): \(machine)") }
      for (a, b) in zip(a.places, b.places) where a != .zero {
        #expect(isClose(turn.apply(a) + move, b, 1e-5), "seed \(seed): \(machine)")
      }
      if here.state.isFinal, random.chance(0.1) { (here, there) = (machine, machine) }
    }
  }

  /// Gestures begin anew after `reset()`, whatever was before.
  @Test(arguments: some(10, of: 0..<100)) func aResetMachineIsAsNew(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let contacts = RandomContacts.fingers(&random)
    var before = RandomContacts.nonsense(count: 30, ids: 3, &random)
    if random.chance(0.5) {
      // Other fingers, the last one of which was there just before.
      before = RandomContacts.fingers(&random)
      let early = contacts[0].time - before[before.count - 1].time - .milliseconds(1)
      for index in before.indices { before[index].time += early }
    }
    for machine in Self.all { checkReset(machine, before, contacts, seed: seed) }
  }

  private func checkReset(_ machine: some GestureMachine, _ before: [Contact], _ contacts: [Contact], seed: UInt64) {
    var (fresh, used) = (machine, machine)
    for contact in before { used.handle(contact) }
    used.reset()
    #expect(values(fresh).places == values(used).places, "seed \(seed): \(machine)")
    for contact in contacts {
      fresh.handle(contact)
      used.handle(contact)
      #expect(fresh.state == used.state && fresh.deadline == used.deadline, "seed \(seed): \(machine)")
      let (a, b) = (values(fresh), values(used))
      #expect(a.ways == b.ways && a.numbers == b.numbers && a.places == b.places, "seed \(seed): \(machine)")
    }
  }

  /// Each finger of a thousand comes, moves and goes.
  @Test func aThousandFingers() {
    for var machine in Self.all {
      func handle(_ phase: Contact.Phase, _ id: UInt32, _ x: Double) {
        let time = MonotonicTime.zero + .milliseconds(Int64(id) / 100)
        machine.handle(Contact(id: Contact.ID(rawValue: id), phase: phase, time: time, location: Point(x, Double(id))))
      }
      for id in 0..<1000 as Range<UInt32> { handle(.began, id, 0) }
      for id in 0..<1000 as Range<UInt32> { handle(.moved, id, 100) }
      if let pan = machine as? PanMachine, pan.fingers.upperBound == .max, pan.course == .free {
        #expect(isClose(pan.translation, Point(90, 0), 1e-6) && pan.state == .changed)
        #expect(isClose(pan.location, Point(100, 499.5), 1e-6))
      }
      for id in 0..<1000 as Range<UInt32> { handle(.ended, id, 100) }
      #expect(machine.state.isFinal)
    }
  }

  private func isClose(_ a: Point, _ b: Point, _ tolerance: Double) -> Bool {
    abs(a.x - b.x) <= tolerance && abs(a.y - b.y) <= tolerance
  }
}
