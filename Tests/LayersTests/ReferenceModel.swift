import LinuxSystem

@testable import Layers

/// The meaning of the layer model, as slow and obvious as can be: nothing is remembered that can be looked up, and every question
/// is answered by going through everything.
final class ReferenceModel {
  struct Level {
    var duration: Double?
    var curve: TimingFunction?
    var spring: Spring?
    var disablesActions: Bool?
    var group: ReferenceGroup?
  }

  let root = ReferenceLayer(0)
  /// All callbacks so far, in order.
  private(set) var log: [String] = []
  /// Makes an edit from inside a callback.
  var react: ((ModelEdit) -> Void)?
  private(set) var now = 0.0
  private var levels = [Level()]
  /// The time that was shown last; nil before anything was.
  private var lastLook: Double?
  private var lastCommit = 0.0
  /// The last look of each display since the commit, and that of nobody in particular.
  private var looks: [Int: Double?] = [:]
  private var ownLook: Double?
  /// Animations that code ended, and layers that left the tree with theirs: the next commit tells it.
  private var removed: [ReferenceAnimation] = []
  private var left: [ReferenceLayer] = []
  /// Layers that got animations while they were in no tree.
  private var outside: [ReferenceLayer] = []
  /// Completions that wait for the end of the turn alone.
  private var due: [ReferenceGroup] = []
  /// The tree as it was committed: what code changes afterwards is seen with the next commit.
  private(set) var committed: [ReferencePicture] = []
  /// False while the tree is on its way from one engine to another: it is none that anybody shows then.
  private var hasEngine = true
  private var added = 0
  private var commits = 0

  init() { (root.values, root.size) = ([50, 50, 1, 0, 0], 100) }

  func isInTree(_ layer: ReferenceLayer) -> Bool { hasEngine && layer.isInside(of: root) }

  private func setting<Value>(_ value: (Level) -> Value?) -> Value? {
    for level in levels.reversed() {
      if let value = value(level) { return value }
    }
    return nil
  }

  // MARK: The tree

  func insert(_ layer: ReferenceLayer, into parent: ReferenceLayer, at index: Int) {
    let (was, willBe) = (isInTree(layer), isInTree(parent))
    layer.above?.inside.removeAll { $0 === layer }
    if was && !willBe { leave(layer) }
    parent.inside.insert(layer, at: min(index, parent.inside.count))
    layer.above = parent
    if !was && willBe { for inner in layer.all { inner.isShown = false } }
  }

  func remove(_ layer: ReferenceLayer) {
    let was = isInTree(layer)
    layer.above?.inside.removeAll { $0 === layer }
    layer.above = nil
    if was { leave(layer) }
  }

  private func leave(_ layer: ReferenceLayer) {
    for layer in layer.all {
      layer.isShown = false
      cancelDrawing(of: layer)
      if !layer.running.isEmpty { left.append(layer) }
    }
  }

  // MARK: Values and animations

  func set(_ property: MovedProperty, of layer: ReferenceLayer, to value: [Double]) {
    guard value != property.places.map({ layer.values[$0] }) else { return }
    let movement: Movement?
    // Setting a part is setting the whole.
    let whole = property == .positionX ? .position : property
    if !isInTree(layer) || !layer.isShown || setting(\.disablesActions) ?? false {
      movement = nil
    } else if let spring = setting(\.spring) {
      var swing = Movement(way: .spring(from: nil, to: nil, by: nil, spring, keepsVelocity: true), property: whole)
      swing.fill = .backwards
      movement = begun(swing, of: layer)
    } else {
      var change = Movement(way: .basic(from: nil, to: nil, by: nil), property: whole)
      change.fill = .backwards
      movement = begun(change, of: layer)
    }
    for (place, value) in zip(property.places, value) { layer.values[place] = value }
    if let movement { add(movement, to: layer, key: whole.name, number: nil, nil, curve: .default) }
  }

  func add(_ movement: Movement, to layer: ReferenceLayer, key: String?, number: Int, _ reaction: ModelEdit?) {
    add(begun(movement, of: layer), to: layer, key: key, number: number, reaction, curve: .linear)
  }

  /// The movement from what is on screen, where it begins there. A layer in no tree shows its own values, and they stand still.
  private func begun(_ movement: Movement, of layer: ReferenceLayer) -> Movement {
    var movement = movement
    guard isInTree(layer) else {
      let own = ShownNumbers(values: layer.values)
      movement.begin(at: own, later: nil)
      return movement
    }
    let own = layer.time(at: lastLook ?? lastCommit)
    let later = movement.speed > 0 ? layer.shown(at: wholeNanoseconds(own + 0.001 / movement.speed)) : nil
    movement.begin(at: layer.shown(at: own), later: later)
    return movement
  }

  private func add(
    _ given: Movement, to layer: ReferenceLayer, key: String?, number: Int?, _ reaction: ModelEdit?, curve: TimingFunction
  ) {
    var movement = given
    movement.close(duration: setting(\.duration) ?? 0.25, curve: setting(\.curve) ?? curve)
    added += 1
    let key = movement.isTransition ? "transition" : key
    let animation = ReferenceAnimation(movement, key: key, number: number, order: added, reaction)
    if !isInTree(layer) {
      outside.append(layer)
    } else if let group = setting(\.group) {
      animation.group = group
      group.animations.append(animation)
    }
    let replaced = key == nil ? [] : layer.running.filter { $0.key == key }
    layer.running.removeAll { running in replaced.contains { $0 === running } }
    layer.running.append(animation)
    end(replaced, of: layer)
  }

  func removeAnimation(_ key: String, of layer: ReferenceLayer) {
    let ended = layer.running.filter { $0.key == key }
    layer.running.removeAll { $0.key == key }
    end(ended, of: layer)
  }

  func removeAllAnimations(of layer: ReferenceLayer) {
    let ended = layer.running
    layer.running = []
    end(ended, of: layer)
  }

  private func end(_ animations: [ReferenceAnimation], of layer: ReferenceLayer) {
    if isInTree(layer) { removed += animations } else { tellEnds(animations.map { ($0, false) }) }
  }

  // MARK: Transactions

  func begin() { levels.append(Level()) }

  func commitTransaction() {
    guard levels.count > 1 else { return }
    close(levels.removeLast())
  }

  func change(_ body: (inout Level) -> Void) { body(&levels[levels.count - 1]) }

  func setCompletion(_ number: Int, _ reaction: ModelEdit?) {
    close(levels[levels.count - 1])
    let outer = levels.dropLast().reversed().lazy.compactMap(\.group).first
    levels[levels.count - 1].group = ReferenceGroup(number, reaction, in: outer)
  }

  private func close(_ level: Level) {
    guard let group = level.group else { return }
    group.isOpen = false
    if group.isOver { due.append(group) }
  }

  private func tell(_ event: String, _ reaction: ModelEdit?) {
    log.append(event)
    if let reaction { react?(reaction) }
  }

  private func complete(_ group: ReferenceGroup) {
    group.isDone = true
    tell("completion \(group.number)", group.reaction)
    if let outer = group.outer, outer.isOver { complete(outer) }
  }

  // MARK: Drawing

  func draw(_ layer: ReferenceLayer, gray: Int) { (layer.gray, layer.wantsPicture) = (gray, true) }

  func setContents(of layer: ReferenceLayer) {
    layer.drawing = nil
    layer.picture = nil
  }

  private func cancelDrawing(of layer: ReferenceLayer) {
    guard layer.drawing != nil else { return }
    layer.drawing = nil
    layer.wantsPicture = true
  }

  private func publish() {
    let drawings = root.all.compactMap(\.drawing)
    let late = Set(drawings.filter { !$0.isFinished }.map(\.commit))
    for layer in root.all {
      guard let drawing = layer.drawing, !late.contains(drawing.commit) else { continue }
      layer.picture = drawing.gray
      layer.drawing = nil
    }
  }

  private func beginDrawings() {
    for layer in root.all where layer.wantsPicture && layer.size > 0 {
      layer.wantsPicture = false
      layer.drawing = ReferenceDrawing(layer.gray, commit: commits)
    }
  }

  // MARK: Turns

  func turn(after seconds: Double) {
    now = wholeNanoseconds(now + seconds)
    publish()
    commit()
    endTurn()
  }

  private func commit() {
    commits += 1
    lastCommit = now
    // All have shown it, or could have.
    let seen = looks.values.map { $0 ?? now } + [ownLook].compactMap(\.self)
    let shown = max(now, seen.min() ?? now)
    for display in looks.keys { looks[display] = .some(nil) }
    ownLook = nil
    tellEnds(ends(at: shown))
    beginDrawings()
    for layer in root.all {
      layer.isShown = true
      layer.shownClocks = layer.clocks
      for animation in layer.running {
        animation.isCommitted = true
        guard animation.movement.begin == nil else { continue }
        animation.movement.begin = layer.time(at: now)
        animation.movement.isBegunByCommit = true
      }
    }
    committed = root.all.map(ReferencePicture.init)
    tellStarts(at: shown)
  }

  private func ends(at shown: Double) -> [(animation: ReferenceAnimation, isFinished: Bool)] {
    var ended = removed.map { (animation: $0, isFinished: false) }
    removed = []
    for layer in left where !isInTree(layer) {
      ended += layer.running.map { ($0, false) }
      layer.running = []
    }
    left = []
    var over: [ReferenceAnimation] = []
    for layer in root.all {
      // The clocks by which it was shown.
      guard let clocks = layer.shownClocks else { continue }
      // On a clock that runs backwards they are still to come.
      if clocks.runBackwards(at: shown) { continue }
      let own = clocks.reduce(shown) { $1.time(at: $0) }
      over += layer.running.filter { $0.isCommitted && !$0.hasToldEnd && $0.movement.isOver(at: own) }
      layer.running.removeAll { running in !running.movement.isKept && over.contains { $0 === running } }
    }
    ended += over.sorted { $0.order < $1.order }.map { ($0, true) }
    return ended
  }

  private func tellEnds(_ ended: [(animation: ReferenceAnimation, isFinished: Bool)]) {
    let news = ended.filter { !$0.animation.hasToldEnd }
    for end in news where end.isFinished { tellStart(of: end.animation) }
    var groups: [ReferenceGroup] = []
    for end in news {
      end.animation.hasToldEnd = true
      if let group = end.animation.group, group.isOver { groups.append(group) }
    }
    for group in groups { complete(group) }
    for end in news {
      guard let number = end.animation.number else { continue }
      tell("end \(number), \(end.isFinished ? "finished" : "not finished")", end.animation.reaction)
    }
  }

  private func tellStart(of animation: ReferenceAnimation) {
    guard !animation.hasToldStart else { return }
    animation.hasToldStart = true
    if let number = animation.number { tell("start \(number)", nil) }
  }

  private func tellStarts(at shown: Double) {
    let begun = root.all.flatMap { layer in
      layer.running.filter { !$0.hasToldEnd && $0.movement.begin ?? .infinity <= layer.time(at: shown) }
    }
    for animation in begun.sorted(by: { $0.order < $1.order }) { tellStart(of: animation) }
  }

  private func endTurn() {
    if levels.count == 1 {
      close(levels[0])
      levels[0] = Level()
    }
    let layers = outside
    outside = []
    for layer in layers where !isInTree(layer) {
      let ended = layer.running
      layer.running = []
      for animation in ended { tellStart(of: animation) }
      tellEnds(ended.map { ($0, false) })
    }
    let groups = due
    due = []
    for group in groups { complete(group) }
  }

  // MARK: Displays

  func addDisplay(_ number: Int) { looks[number] = .some(nil) }
  func loseDisplay(_ number: Int) { looks[number] = nil }

  /// Somebody shows the tree as it is at a time.
  func look(at time: Double, display: Int?) {
    lastLook = time
    if let display { looks[display] = time } else { ownLook = time }
  }

  /// True if a commit would have something to tell that was shown by now.
  func hasNews(at time: Double) -> Bool {
    if removed.contains(where: \.isAwaited)
      || left.contains(where: { !isInTree($0) && $0.running.contains(where: \.isAwaited) })
    {
      return true
    }
    return root.all.contains { layer in
      let own = layer.time(at: time)
      return layer.running.contains {
        guard $0.isCommitted, !$0.hasToldEnd else { return false }
        return $0.movement.isOver(at: own) && !layer.clocks.runBackwards(at: time)
          || (!$0.hasToldStart && $0.number != nil && $0.movement.begin ?? .infinity <= own)
      }
    }
  }

  /// The tree comes to another engine: what was shown is forgotten, what runs goes on.
  func move() {
    for layer in left where !isInTree(layer) { outside.append(layer) }
    left = []
    for layer in root.all {
      layer.isShown = false
      layer.shownClocks = nil
      for animation in layer.running { animation.isCommitted = false }
      cancelDrawing(of: layer)
    }
    (lastLook, lastCommit, ownLook) = (nil, 0, nil)
    looks = [:]
    let ended = removed
    removed = []
    hasEngine = false
    tellEnds(ended.map { ($0, false) })
    hasEngine = true
  }
}
