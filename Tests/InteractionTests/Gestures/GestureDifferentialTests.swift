import Geometry
import Glibc
import Interaction
import LinuxSystem
import TestLength
import Testing

/// The machines against the definitions of their gestures.
@Suite struct GestureDifferentialTests {
  /// Plays what fingers do on a machine that begins anew when it is done and no finger is down, and compares its state with that of the definition;
  /// counts the states.
  private func play<Machine: GestureMachine>(
    _ machine: Machine, seeds: [UInt64], isAs reference: (Machine, [Contact]) -> Bool
  ) -> [GestureState: Int] {
    var counts: [GestureState: Int] = [:]
    for seed in seeds {
      var random = SplitMix64(seed: seed)
      var machine = machine
      var contacts: [Contact] = []
      for contact in RandomContacts.fingers(&random) {
        contacts.append(contact)
        machine.handle(contact)
        counts[machine.state, default: 0] += 1
        guard reference(machine, contacts) else {
          Issue.record("seed \(seed), after \(contacts.count) contacts: \(machine)")
          return counts
        }
        let down = contacts.count { $0.phase == .began } - contacts.count { $0.phase.isEnd }
        if down == 0, machine.state.isFinal {
          machine.reset()
          contacts = []
        }
      }
    }
    return counts
  }

  @Test(arguments: [
    TapMachine(), TapMachine(taps: 2), TapMachine(fingers: 2), TapMachine(taps: 2, maximumDuration: .milliseconds(50)),
    TapMachine(maximumDuration: .milliseconds(30), allowableMovement: 4), TapMachine(taps: 2, allowableDistance: 30),
    TapMachine(taps: 2, maximumInterval: .milliseconds(8)), TapMachine(taps: 2, fingers: 2, allowableMovement: 30),
  ]) func taps(machine: TapMachine) {
    let counts = play(machine, seeds: some(300, of: 0..<3000)) { $0.state == GestureReference.state(of: $0, after: $1) }
    #expect(counts[.ended, default: 0] > 0 && counts[.failed, default: 0] > 0, "\(counts)")
  }

  @Test(arguments: [
    LongPressMachine(), LongPressMachine(minimumDuration: .milliseconds(60)),
    LongPressMachine(fingers: 2, minimumDuration: .milliseconds(40)),
    LongPressMachine(fingers: 3, minimumDuration: .milliseconds(20), allowableMovement: 3),
  ]) func longPresses(machine: LongPressMachine) {
    let counts = play(machine, seeds: some(300, of: 0..<3000)) { $0.state == GestureReference.state(of: $0, after: $1) }
    #expect(counts[.ended, default: 0] > 0 && counts[.failed, default: 0] > 0, "\(counts)")
  }

  @Test(arguments: [
    SwipeMachine(), SwipeMachine(direction: .up, fingers: 2),
    SwipeMachine(direction: .down, maximumDuration: .milliseconds(80)),
    SwipeMachine(direction: .left, minimumDistance: 20, allowableDeviation: 5),
  ]) func swipes(machine: SwipeMachine) {
    let counts = play(machine, seeds: some(800, of: 0..<8000)) { $0.state == GestureReference.state(of: $0, after: $1) }
    #expect(counts[.ended, default: 0] > 0 && counts[.failed, default: 0] > 0, "\(counts)")
  }

  @Test(arguments: [
    PanMachine(), PanMachine(slop: 30), PanMachine(fingers: 2...Int.max), PanMachine(course: .horizontal),
    PanMachine(fingers: 2...Int.max, course: .vertical, slop: 0),
  ]) func pans(machine: PanMachine) {
    let counts = play(machine, seeds: some(80, of: 0..<800)) { machine, contacts in
      let expected = GestureReference.state(of: machine, after: contacts)
      let difference = machine.translation - expected.translation
      return machine.state == expected.state && abs(difference.x) < 1e-9 && abs(difference.y) < 1e-9
    }
    for state in GestureState.allCases { #expect(counts[state, default: 0] > 0, "\(counts)") }
  }

  /// The way of one finger goes from the first place to the last one, without the slop.
  @Test(arguments: 0..<100) func thePanOfAFingerIsItsWay(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var machine = PanMachine(slop: Double.random(in: 0...30, using: &random))
    let first = RandomContacts.point(&random, within: 1000)
    var (location, slop) = (first, Point?.none)
    var time = MonotonicTime.zero
    machine.handle(Contact(id: Contact.ID(rawValue: 1), phase: .began, time: time, location: first))
    for _ in 0..<50 {
      location += RandomContacts.point(&random, within: 10)
      time += .milliseconds(8)
      machine.handle(Contact(id: Contact.ID(rawValue: 1), phase: .moved, time: time, location: location))
      let way = location - first
      let length = (way.x * way.x + way.y * way.y).squareRoot()
      if slop == nil, length > machine.slop { slop = way * (machine.slop / length) }
      let difference = machine.translation - (slop.map { way - $0 } ?? .zero)
      #expect(abs(difference.x) < 1e-9 && abs(difference.y) < 1e-9, "seed \(seed)")
      #expect((machine.state == .possible) == (slop == nil), "seed \(seed)")
    }
  }

  /// Two fingers around a middle, by a distance and an angle that are known: scale and rotation follow from them alone.
  @Test(arguments: 0..<100) func pinchAndRotationFollowFromDistanceAndAngle(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var (pinch, rotation) = (PinchMachine(), RotationMachine())
    var middle = RandomContacts.point(&random, within: 500)
    var distance = Double.random(in: 40...300, using: &random)
    var angle = Double.random(in: -9...9, using: &random)
    let (turns, grows) = (Double.random(in: -0.5...0.5, using: &random), Double.random(in: 0.9...1.1, using: &random))
    let (firstDistance, firstAngle) = (distance, angle)
    var (reference, slop) = (Double?.none, Double?.none)
    var places = [Point.zero, .zero]
    var time = MonotonicTime.zero

    func place(_ finger: Int) -> Point {
      let sign = finger == 0 ? -0.5 : 0.5
      return middle + Point(cos(angle), sin(angle)) * (distance * sign)
    }
    func handle(_ finger: Int, _ phase: Contact.Phase) {
      places[finger] = place(finger)
      let id = Contact.ID(rawValue: UInt32(finger))
      let contact = Contact(id: id, phase: phase, time: time, location: places[finger])
      pinch.handle(contact)
      rotation.handle(contact)
    }
    handle(0, .began)
    handle(1, .began)
    for _ in 0..<100 {
      time += .milliseconds(8)
      middle += RandomContacts.point(&random, within: 5)
      distance = min(max(distance * grows + Double.random(in: -2...2, using: &random), 30), 2000)
      angle += turns * Double.random(in: 0...1, using: &random)
      for finger in 0..<2 {
        handle(finger, .moved)
        let way = places[1] - places[0]
        let found = (way.x * way.x + way.y * way.y).squareRoot()
        // The turn of which the last angle is known to be near.
        let total = angle + (atan2(way.y, way.x) - angle).remainder(dividingBy: 2 * .pi) - firstAngle

        let change = found - firstDistance
        if reference == nil, abs(change) > pinch.slop { reference = firstDistance + (change < 0 ? -pinch.slop : pinch.slop) }
        #expect((pinch.state == .possible) == (reference == nil), "seed \(seed)")
        let scale = reference.map { found / $0 } ?? 1
        #expect(abs(pinch.scale / scale - 1) < 1e-9, "seed \(seed)")

        if slop == nil, abs(total) * found > rotation.slop { slop = (total < 0 ? -rotation.slop : rotation.slop) / found }
        #expect((rotation.state == .possible) == (slop == nil), "seed \(seed)")
        #expect(abs(rotation.rotation - (slop.map { total - $0 } ?? 0)) < 1e-9, "seed \(seed)")
      }
    }
  }

  /// Fingers that move as steadily as they can: the velocities are those.
  @Test(arguments: 0..<100) func velocitiesAreThoseOfTheFingers(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var (pan, pinch, rotation) = (PanMachine(), PinchMachine(), RotationMachine())
    let velocity = RandomContacts.point(&random, within: 2000)
    let (growth, turn) = (Double.random(in: 200...900, using: &random), Double.random(in: 2...6, using: &random))
    func handle(_ phase: Contact.Phase, at time: Double) {
      let way = Point(cos(turn * time), sin(turn * time)) * (50 + growth * time / 2)
      for finger in 0..<2 {
        let contact = Contact(
          id: Contact.ID(rawValue: UInt32(finger)), phase: phase, time: .zero + .seconds(time),
          location: velocity * time + (finger == 0 ? -way : way))
        pan.handle(contact)
        pinch.handle(contact)
        rotation.handle(contact)
      }
    }
    handle(.began, at: 0)
    for index in 1..<40 { handle(.moved, at: Double(index) * 0.008) }
    #expect(pan.state == .changed && pinch.state == .changed && rotation.state == .changed, "seed \(seed)")
    func check() {
      #expect(abs(pan.velocity.x - velocity.x) < 1e-3 && abs(pan.velocity.y - velocity.y) < 1e-3, "seed \(seed)")
      #expect(abs(pinch.velocity * 116 - growth) < 1e-3, "seed \(seed)")
      #expect(abs(rotation.velocity - turn) < 1e-3, "seed \(seed)")
    }
    check()
    // Lifted where they were.
    let last = 39 * 0.008
    let way = Point(cos(turn * last), sin(turn * last)) * (50 + growth * last / 2)
    for finger in 0..<2 {
      let contact = Contact(
        id: Contact.ID(rawValue: UInt32(finger)), phase: .ended, time: .zero + .seconds(last + 0.008),
        location: velocity * last + (finger == 0 ? -way : way))
      pan.handle(contact)
      pinch.handle(contact)
      rotation.handle(contact)
    }
    #expect(pan.state == .ended && pinch.state == .ended && rotation.state == .ended, "seed \(seed)")
    check()
  }
}
