import Geometry
import Interaction
import LinuxSystem

/// Random contacts.
enum RandomContacts {
  static func point(_ random: inout SplitMix64, within reach: Double) -> Point {
    Point(Double.random(in: -reach...reach, using: &random), Double.random(in: -reach...reach, using: &random))
  }

  /// Fingers that come, rest, tremble, move and go, as people's do, until all are gone: the states of all gestures are reached.
  static func fingers(_ random: inout SplitMix64) -> [Contact] {
    var contacts: [Contact] = []
    var time = MonotonicTime(nanoseconds: Int64.random(in: 0...(1 << 40), using: &random))
    var lastID: UInt32 = 0
    var down: [(id: Contact.ID, location: Point)] = []
    let most = Int.random(in: 1...3, using: &random)
    let center = point(&random, within: 500)

    func add(_ index: Int, _ phase: Contact.Phase) {
      contacts.append(Contact(id: down[index].id, phase: phase, time: time, location: down[index].location))
    }
    func wait() { time += .microseconds(Int64.random(in: 0...(random.chance(0.1) ? 400_000 : 20_000), using: &random)) }

    // A few touches in a row: taps, then something else.
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let way = point(&random, within: 20)
      let trembles = random.chance(0.5)
      let spread: Double = random.chance(0.5) ? 10 : 60
      for _ in 0..<Int.random(in: 1...most, using: &random) {
        lastID += 1
        down.append((Contact.ID(rawValue: lastID), center + point(&random, within: spread)))
        add(down.count - 1, .began)
        wait()
      }
      for _ in 0..<Int.random(in: 0...(trembles ? 3 : 12), using: &random) {
        for index in down.indices where random.chance(0.8) {
          down[index].location += point(&random, within: 3) + (trembles ? .zero : way)
          add(index, .moved)
        }
        wait()
        if random.chance(0.03), let index = down.indices.randomElement(using: &random) {
          add(index, random.chance(0.8) ? .ended : .cancelled)
          down.remove(at: index)
        } else if random.chance(0.03) {
          lastID += 1
          down.append((Contact.ID(rawValue: lastID), center + point(&random, within: 60)))
          add(down.count - 1, .began)
        }
      }
      while let index = down.indices.randomElement(using: &random) {
        wait()
        add(index, random.chance(0.9) ? .ended : .cancelled)
        down.remove(at: index)
      }
      wait()
    }
    return contacts
  }

  /// Contacts in orders that no device sends: ends without a beginning, second beginnings, times that go back, places that are none.
  static func nonsense(count: Int, ids: UInt32, _ random: inout SplitMix64) -> [Contact] {
    var time: Int64 = 0
    let reaches: [Double] = [10, 100, 1000, 1e9, 1e300]
    let reach = reaches.randomElement(using: &random) ?? 10
    let extremes: [Int64] = [.min, .max, 0, -1]
    return (0..<count).map { _ in
      switch Int.random(in: 0..<20, using: &random) {
      case 0: time = extremes.randomElement(using: &random) ?? 0
      case 1: time = time.subtractingReportingOverflow(Int64.random(in: 0...2_000_000_000, using: &random)).partialValue
      case 2, 3: time = time.addingReportingOverflow(Int64.random(in: 0...1_000_000_000, using: &random)).partialValue
      default: time = time.addingReportingOverflow(Int64.random(in: 0...20_000_000, using: &random)).partialValue
      }
      var location = point(&random, within: reach)
      if random.chance(0.05) {
        let odd: [Double] = [.nan, .infinity, -.infinity, 1e308, .leastNonzeroMagnitude]
        location.x = odd.randomElement(using: &random) ?? .nan
      }
      return Contact(
        id: Contact.ID(rawValue: UInt32.random(in: 0...ids, using: &random)),
        phase: random.chance(0.6) ? .moved : Contact.Phase.allCases.randomElement(using: &random) ?? .moved,
        time: MonotonicTime(nanoseconds: time), location: location)
    }
  }
}
