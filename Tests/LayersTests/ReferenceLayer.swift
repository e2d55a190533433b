import LinuxSystem

@testable import Layers

/// A layer of `ReferenceModel`.
final class ReferenceLayer {
  let name: Int
  weak var above: ReferenceLayer?
  var inside: [ReferenceLayer] = []
  var values = [10.0, 10, 1, 0, 0]
  var clock = LayerTime()
  var running: [ReferenceAnimation] = []
  var size = 4.0
  /// True while it is in a tree that was committed.
  var isShown = false
  /// The clocks from the display's down to its own, as they were committed.
  var shownClocks: [LayerTime]?

  // The pictures that workers draw of it: each is a gray.
  var gray = 0
  var wantsPicture = false
  var drawing: ReferenceDrawing?
  var picture: Int?

  init(_ name: Int) { self.name = name }

  /// This layer and all in it, each before what is in it.
  var all: [ReferenceLayer] { [self] + inside.flatMap(\.all) }

  var clocks: [LayerTime] { (above?.clocks ?? []) + [clock] }

  func isInside(of other: ReferenceLayer) -> Bool { self === other || above?.isInside(of: other) ?? false }

  func time(at outer: Double) -> Double { clocks.reduce(outer) { $1.time(at: $0) } }

  /// The numbers that are shown at a time of its own clock.
  func shown(at own: Double) -> ShownNumbers {
    var shown = ShownNumbers(values: values)
    for animation in running { animation.movement.apply(to: &shown, at: own) }
    return shown
  }
}

final class ReferenceAnimation {
  var movement: Movement
  let key: String?
  /// Its number in the log; nil for one that tells nobody.
  let number: Int?
  /// The edit that the application makes at its end.
  let reaction: ModelEdit?
  /// Its place among all that were ever added.
  let order: Int
  var group: ReferenceGroup?
  /// True once a committed tree had it.
  var isCommitted = false
  var hasToldStart = false
  var hasToldEnd = false

  /// True if its end makes a difference to somebody.
  var isAwaited: Bool { !hasToldEnd && (number != nil || group != nil) }

  init(_ movement: Movement, key: String?, number: Int?, order: Int, _ reaction: ModelEdit?) {
    (self.movement, self.key, self.number, self.order) = (movement, key, number, order)
    self.reaction = reaction
  }
}

/// The animations and transactions for which the completion of a transaction waits.
final class ReferenceGroup {
  let number: Int
  let reaction: ModelEdit?
  let outer: ReferenceGroup?
  var isOpen = true
  var animations: [ReferenceAnimation] = []
  var inner: [ReferenceGroup] = []
  var isDone = false

  init(_ number: Int, _ reaction: ModelEdit?, in outer: ReferenceGroup?) {
    (self.number, self.reaction, self.outer) = (number, reaction, outer)
    outer?.inner.append(self)
  }

  var isOver: Bool { !isOpen && animations.allSatisfy(\.hasToldEnd) && inner.allSatisfy(\.isDone) }
}

/// A layer as a commit found it.
struct ReferencePicture {
  let name: Int
  let size: Double
  private let values: [Double]
  private let movements: [Movement]
  private let clocks: [LayerTime]

  init(_ layer: ReferenceLayer) {
    (name, size, values, clocks) = (layer.name, layer.size, layer.values, layer.clocks)
    movements = layer.running.map(\.movement)
  }

  func shown(at time: Double) -> ShownNumbers {
    var shown = ShownNumbers(values: values)
    let own = clocks.reduce(time) { $1.time(at: $0) }
    for movement in movements { movement.apply(to: &shown, at: own) }
    return shown
  }
}

/// A picture that a worker draws.
final class ReferenceDrawing {
  let gray: Int
  /// The commit that began it: all of them appear together.
  let commit: Int
  var isFinished = false

  init(_ gray: Int, commit: Int) { (self.gray, self.commit) = (gray, commit) }
}
