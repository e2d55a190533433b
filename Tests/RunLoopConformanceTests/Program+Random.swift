import LinuxSystem
import RunLoops

extension Program {
  /// Makes the program of a seed, with 5 to 40 operations.
  init(seed: UInt64) {
    var writer = Writer(seed: seed)
    self = writer.program()
  }

  private enum Choice: CaseIterable {
    case add, remove, invalidate, signal, post, fire, park, block, run, stop, wakeUp, addCommonMode, look
  }

  /// The subject of a program. In a program about everything, operations that must meet would rarely meet.
  private struct Theme {
    let sources: ClosedRange<Int>
    let observers: ClosedRange<Int>
    let timers: ClosedRange<Int>
    let descriptors: ClosedRange<Int>
    /// The number of activities that the observers choose from.
    let activities: Int
    let modeCount: Int
    /// The weights in the order of the choices.
    let weights: [Int]

    static let all = [
      Theme(
        sources: 1...3, observers: 0...3, timers: 0...3, descriptors: 0...2, activities: 6, modeCount: 3,
        weights: [12, 8, 4, 14, 10, 7, 3, 12, 12, 6, 6, 3, 3]),
      // Observers that change observers.
      Theme(
        sources: 1...1, observers: 3...5, timers: 0...1, descriptors: 0...0, activities: 2, modeCount: 1,
        weights: [20, 20, 8, 4, 0, 2, 0, 4, 10, 4, 4, 0, 3]),
      // Sources, blocks and nested runs.
      Theme(
        sources: 2...4, observers: 0...1, timers: 0...1, descriptors: 0...1, activities: 4, modeCount: 2,
        weights: [10, 4, 3, 24, 4, 2, 0, 20, 14, 5, 5, 1, 2]),
      // Timers that change timers.
      Theme(
        sources: 0...1, observers: 0...1, timers: 2...4, descriptors: 0...1, activities: 4, modeCount: 2,
        weights: [14, 9, 6, 3, 3, 24, 6, 6, 12, 4, 4, 1, 3]),
      // Items that move between modes.
      Theme(
        sources: 1...2, observers: 1...2, timers: 0...2, descriptors: 0...1, activities: 3, modeCount: 3,
        weights: [22, 20, 4, 8, 2, 3, 1, 6, 12, 2, 2, 10, 8]),
    ]
  }

  private struct Writer {
    private var random: SplitMix64
    private let theme: Theme
    private var activities: [FrameLoop.Activity] = [
      .entry, .beforeTimers, .beforeSources, .beforeWaiting, .afterWaiting, .exit,
    ]
    private var items: [Item] = []
    private var blockCount = 0

    init(seed: UInt64) {
      random = SplitMix64(seed: seed)
      theme = Theme.all[Int.random(in: Theme.all.indices, using: &random)]
      activities.shuffle(using: &random)
      activities.removeLast(activities.count - theme.activities)
    }

    mutating func program() -> Program {
      makeItems()
      let hasAnchors = random.chance(0.6)
      var budget = Int.random(in: 5...40, using: &random) - 1
      var script: [Operation] = []
      for item in items where budget > 2 && random.chance(0.85) {
        script.append(.add(item.name, to: mode(orCommon: true)))
        budget -= 1
      }
      while budget > 0 {
        let (operation, size) = operation(budget)
        budget -= size
        if random.chance(0.45) {
          let index = Int.random(in: items.indices, using: &random)
          items[index].calls[random.chance(0.6) ? 0 : .random(in: 1..<3, using: &random)].append(operation)
        } else {
          script.append(operation)
        }
      }
      script.append(.run(mode(), .untilIdle, returnAfterSourceHandled: false))
      return Program(hasAnchors: hasAnchors, items: items, script: script)
    }

    private mutating func makeItems() {
      for index in 0..<Int.random(in: theme.sources, using: &random) {
        items.append(Item(name: "source\(index)", kind: .source(order: .random(in: 0...1, using: &random))))
      }
      for index in 0..<Int.random(in: theme.observers, using: &random) {
        var wanted = FrameLoop.Activity()
        for _ in 0..<Int.random(in: 1...2, using: &random) {
          wanted.formUnion(activities[Int.random(in: activities.indices, using: &random)])
        }
        let kind = Item.Kind.observer(wanted, order: .random(in: 0...1, using: &random), repeats: random.chance(0.75))
        items.append(Item(name: "observer\(index)", kind: kind))
      }
      for index in 0..<Int.random(in: theme.timers, using: &random) {
        items.append(Item(name: "timer\(index)", kind: .timer(isDue: random.chance(0.6), repeats: random.chance(0.5))))
      }
      for index in 0..<Int.random(in: theme.descriptors, using: &random) {
        items.append(Item(name: "descriptor\(index)", kind: .descriptor))
      }
    }

    private mutating func mode(orCommon: Bool = false) -> String {
      if orCommon, random.chance(0.2) { return "common" }
      // The default mode is chosen most often, so that operations meet.
      return random.chance(0.6) ? "default" : Program.modes[Int.random(in: 0..<theme.modeCount, using: &random)]
    }

    private mutating func item(_ prefix: String = "") -> String? {
      let names = items.map(\.name).filter { $0.hasPrefix(prefix) }
      return names.isEmpty ? nil : names[Int.random(in: names.indices, using: &random)]
    }

    private mutating func choice() -> Choice {
      var rest = Int.random(in: 0..<theme.weights.reduce(0, +), using: &random)
      for (choice, weight) in zip(Choice.allCases, theme.weights) {
        rest -= weight
        if rest < 0 { return choice }
      }
      return .run
    }

    private mutating func operation(_ budget: Int, isNested: Bool = false) -> (Operation, size: Int) {
      while true {
        switch choice() {
        case .add: if let item = item() { return (.add(item, to: mode(orCommon: true)), 1) }
        case .remove: if let item = item() { return (.remove(item, from: mode(orCommon: true)), 1) }
        case .invalidate: if let item = item() { return (.invalidate(item), 1) }
        case .signal: if let item = item("source") { return (.signal(item), 1) }
        case .post: if let item = item("descriptor") { return (.post(item), 1) }
        case .fire: if let item = item("timer") { return (.fire(item), 1) }
        case .park: if let item = item("timer") { return (.park(item), 1) }
        case .block:
          var body: [Operation] = []
          var size = 1
          while size < budget, !isNested || body.isEmpty, random.chance(0.5) {
            let (inner, innerSize) = operation(budget - size, isNested: true)
            body.append(inner)
            size += innerSize
          }
          blockCount += 1
          let modes = random.chance(0.8) ? [mode(orCommon: true)] : [mode(), mode(orCommon: true)]
          return (.block("block\(blockCount)", in: modes, body), size)
        case .run:
          let length: RunLength = random.chance(0.03) ? .brief : random.chance(0.5) ? .poll : .untilIdle
          return (.run(mode(), length, returnAfterSourceHandled: random.chance(0.4)), 1)
        case .stop: return (.stop, 1)
        case .wakeUp: return (.wakeUp, 1)
        case .addCommonMode: return (.addCommonMode(random.chance(0.5) ? "a" : "b"), 1)
        case .look: if let item = item() { return (.look(item, mode(orCommon: true)), 1) }
        }
      }
    }
  }
}
