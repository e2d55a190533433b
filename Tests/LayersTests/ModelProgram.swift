import LinuxSystem

@testable import Layers

/// A change of a program of `RandomModelTests`. Layers have numbers, the root is 0. One that is dead or does not exist is left alone;
/// so every part of a program is a program.
indirect enum ModelEdit {
  /// Makes the layer, or moves it: into another one, or to another place.
  case insert(Int, into: Int, at: Int)
  case remove(Int)
  /// Removes the layer and lets go of it, with all that is in it.
  case kill(Int)
  case set(Int, MovedProperty, [Double])
  case resize(Int, Double)
  /// Adds an animation; its completion makes another edit.
  case add(Int, Movement, key: String?, number: Int, reaction: ModelEdit?)
  case removeAnimation(Int, key: String)
  case removeAllAnimations(Int)
  case changeClock(Int, LayerTime)
  case begin
  case commit
  case setDuration(Double)
  case setCurve(TimingFunction)
  case setSpring(Spring)
  case disableActions(Bool)
  case setCompletion(Int, reaction: ModelEdit?)
  /// Asks for a picture in this gray.
  case draw(Int, gray: Int)
  /// A worker finishes the picture of the layer.
  case finishDrawing(Int)
  case setContents(Int)
  case addDisplay(Int)
  case loseDisplay(Int)
  /// Another engine takes the tree.
  case move
  /// Ends the turn, so many milliseconds after the last one; then the tree is shown at times after it, in nanoseconds.
  case turn(after: Int64, looks: [Look])

  struct Look {
    let after: Int64
    let display: Int
  }
}

/// A tree of layers, by the layers that theirs are in, and what happens to it.
struct ModelProgram {
  var parents: [Int] = []
  var edits: [ModelEdit] = []

  init(seed: UInt64) {
    var maker = ModelProgramMaker(seed: seed)
    for layer in 1...maker.random(in: 1...5) { parents.append(maker.random(in: 0...(layer - 1))) }
    for _ in 0..<6 {
      for _ in 0...maker.random(in: 0...5) { edits.append(maker.edit()) }
      edits.append(maker.turn())
    }
  }
}

private struct ModelProgramMaker {
  private var generator: SplitMix64
  /// The numbers of animations and completions.
  private var count = 0
  private var milliseconds: Int64 = 0

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  mutating func random(in range: ClosedRange<Int>) -> Int { .random(in: range, using: &generator) }

  private mutating func layer() -> Int { random(in: 0...6) }
  private mutating func seconds(_ range: ClosedRange<Int>) -> Double { Double(random(in: range)) / 1000 }
  private mutating func number() -> Double { Double(random(in: -36...36)) / 4 }
  private mutating func some<Element>(_ elements: [Element]) -> Element { elements[random(in: 0...(elements.count - 1))] }

  private mutating func next() -> Int {
    count += 1
    return count
  }

  mutating func turn() -> ModelEdit {
    let time = Int64(random(in: 0...400))
    milliseconds += time
    var looks: [ModelEdit.Look] = []
    for _ in 0..<random(in: 0...3) {
      looks.append(ModelEdit.Look(after: Int64(random(in: 1...1_200_000_000)), display: random(in: 0...2)))
    }
    return .turn(after: time, looks: looks)
  }

  mutating func edit() -> ModelEdit {
    switch random(in: 0...35) {
    case 0...2: .insert(random(in: 1...6), into: layer(), at: random(in: 0...3))
    case 3: .remove(random(in: 1...6))
    case 4: .kill(random(in: 1...6))
    case 5...10: set()
    case 11: .resize(random(in: 1...6), some([0, 4, 6]))
    case 12...18: .add(layer(), movement(), key: key(), number: next(), reaction: reaction())
    case 19: .removeAnimation(layer(), key: some(["a", "b", "opacity", "position", "transition"]))
    case 20: .removeAllAnimations(layer())
    case 21, 22: .changeClock(layer(), clock())
    case 23: .begin
    case 24: .commit
    case 25: transaction()
    case 26, 27: .setCompletion(next(), reaction: reaction())
    case 28, 29: .draw(random(in: 1...3), gray: random(in: 0...255))
    case 30, 31: .finishDrawing(random(in: 1...3))
    case 32: .setContents(random(in: 1...3))
    case 33: .addDisplay(random(in: 1...2))
    case 34: .loseDisplay(random(in: 1...2))
    default: random(in: 0...3) == 0 ? .move : transaction()
    }
  }

  private mutating func key() -> String? { some([nil, "a", "b", "opacity", "position"]) }

  private mutating func reaction() -> ModelEdit? {
    guard random(in: 0...4) == 0 else { return nil }
    return switch random(in: 0...7) {
    case 0: .insert(random(in: 1...6), into: layer(), at: random(in: 0...3))
    case 1: .remove(random(in: 1...6))
    case 2: .kill(random(in: 1...6))
    case 3: .removeAllAnimations(layer())
    case 4: .add(layer(), movement(), key: key(), number: next(), reaction: nil)
    case 5: .setCompletion(next(), reaction: nil)
    default: set()
    }
  }

  private mutating func set() -> ModelEdit {
    let property = some(MovedProperty.allCases)
    return .set(layer(), property, value(property))
  }

  private mutating func transaction() -> ModelEdit {
    switch random(in: 0...4) {
    case 0: .setDuration(seconds(50...700))
    case 1: .setCurve(.easeIn)
    case 2, 3: .setSpring(spring())
    default: .disableActions(random(in: 0...1) == 0)
    }
  }

  private mutating func clock() -> LayerTime {
    LayerTime(
      begin: random(in: 0...1) == 0 ? 0 : Double(milliseconds) / 1000, speed: some([0, 0.5, 1, 2, -1]),
      offset: random(in: 0...1) == 0 ? 0 : seconds(0...3000))
  }

  private mutating func spring() -> Spring {
    var spring = Spring()
    spring.damping = Double(random(in: 1...30))
    spring.initialVelocity = random(in: 0...2) == 0 ? number() : 0
    spring.allowsOverdamping = random(in: 0...1) == 0
    return spring
  }

  private mutating func movement(depth: Int = 0) -> Movement {
    let property = some(MovedProperty.allCases)
    let way: Movement.Way =
      switch random(in: 0...(depth < 2 ? 9 : 8)) {
      case 0...3: .basic(from: perhaps(property), to: perhaps(property), by: perhaps(property))
      case 4, 5: .spring(from: nil, to: perhaps(property), by: nil, spring(), keepsVelocity: random(in: 0...1) == 0)
      case 6, 7: keys(property)
      case 8: .transition(from: 0.25, to: 0.75)
      default: group(depth)
      }
    var movement = Movement(way: way, property: property)
    let isInGroup = depth > 0
    movement.begin = isInGroup ? seconds(0...200) : random(in: 0...9) < 7 ? nil : seconds(0...2500)
    movement.duration = random(in: 0...4) == 0 ? nil : seconds(50...700)
    movement.curve = some([nil, .linear, .easeInEaseOut])
    movement.speed = some([1, 1, 1, 2, 0.5, -1, 0])
    movement.offset = random(in: 0...9) < 7 ? 0 : seconds(0...900)
    movement.repeats = Double(random(in: 0...12)) / 4
    movement.repeatDuration = random(in: 0...4) > 0 ? 0 : seconds(1...900)
    movement.autoreverses = random(in: 0...9) < 3
    movement.fill = some(MediaTiming.FillMode.allCases)
    movement.isAdditive = random(in: 0...9) < 3
    movement.isCumulative = random(in: 0...9) < 3
    movement.isKept = random(in: 0...9) < 4
    return movement
  }

  private mutating func value(_ property: MovedProperty) -> [Double] {
    var value: [Double] = []
    for _ in property.places { value.append(number()) }
    return value
  }

  private mutating func perhaps(_ property: MovedProperty) -> [Double]? { random(in: 0...4) < 3 ? value(property) : nil }

  private mutating func keys(_ property: MovedProperty) -> Movement.Way {
    var values: [[Double]] = []
    for _ in 0...random(in: 1...3) { values.append(value(property)) }
    return .keys(values, times: values.indices.map { Double($0 + 1) / Double(values.count + 1) })
  }

  private mutating func group(_ depth: Int) -> Movement.Way {
    var members: [Movement] = []
    for _ in 0..<random(in: 0...3) { members.append(movement(depth: depth + 1)) }
    return .group(members)
  }
}
