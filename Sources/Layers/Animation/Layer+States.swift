public import LinuxSystem
package import Raster

/// A named set of values for a layer and the layers below it. See `Layer.state`.
@MainActor
public struct LayerState {
  /// A scene's text takes `none` for no state: it prints a state with that name under another one.
  public let name: String
  public var elements: [Element]

  public init(_ name: String, _ elements: [Element]) {
    self.name = name
    self.elements = elements
  }

  /// A value that a state gives a property.
  @MainActor
  public struct Element {
    /// The name of a layer below the one that has the state, of several the first; nil for that layer itself. Where there is none,
    /// the element has no effect.
    public let target: String?
    public let property: AnimatableProperty
    package let value: any Sendable
    let read: @MainActor (Layer) -> (any Sendable)?
    let write: @MainActor (Layer, any Sendable) -> Void
    /// An animation from the value in what was shown; nil where none can be.
    let implicit: (@MainActor (AnimatableValues) -> any Animation)?

    /// A value of an animatable property, or of a part of one. A layer that draws itself is drawn again when a state in which it has
    /// other `contents` is left.
    public init<Value: Animatable>(_ key: AnimatableKey<Value>, _ value: Value, of target: String? = nil) {
      if key.property == .contents, let contents = value as? LayerContents {
        self.init(.image(contents.image), of: target)
      } else {
        self.init(
          target: target, property: key.property, value: value, read: { $0[key] },
          write: { layer, value in if let value = value as? Value { layer[key] = value } },
          implicit: { BasicAnimation(key, from: $0[key]) })
      }
    }

    private init(_ picture: LayerPicture, of target: String?) {
      self.init(
        target: target, property: .contents, value: picture, read: { $0.layerPicture },
        write: { layer, value in if let picture = value as? LayerPicture { layer.layerPicture = picture } },
        implicit: { BasicAnimation(.contents, from: $0[.contents]) })
    }

    package init(
      target: String?, property: AnimatableProperty, value: any Sendable,
      read: @escaping @MainActor (Layer) -> (any Sendable)?, write: @escaping @MainActor (Layer, any Sendable) -> Void,
      implicit: (@MainActor (AnimatableValues) -> any Animation)?
    ) {
      (self.target, self.property, self.value) = (target, property, value)
      (self.read, self.write, self.implicit) = (read, write, implicit)
    }

    package var place: Place { Place(target: target, property: property) }
  }

  /// A property of a layer by its name.
  package struct Place: Hashable {
    package let target: String?
    let property: AnimatableProperty
  }

  /// The layers that the names in the states of a layer stand for.
  @MainActor
  package struct Targets {
    private let layer: Layer
    private var named: [String: Layer] = [:]

    /// - Parameter names: those to find in the layer; nil is the layer itself.
    package init(in layer: Layer, _ names: some Sequence<String?>) {
      self.layer = layer
      let wanted = Set(names.lazy.compactMap(\.self))
      if !wanted.isEmpty { find(wanted, in: layer) }
    }

    private mutating func find(_ wanted: Set<String>, in layer: Layer) {
      for sublayer in layer.sublayers where named.count < wanted.count {
        if let name = sublayer.name, named[name] == nil, wanted.contains(name) { named[name] = sublayer }
        find(wanted, in: sublayer)
      }
    }

    package subscript(name: String?) -> Layer? { name.map { named[$0] } ?? layer }
  }
}

/// The animations of the change from one state to another.
///
/// Properties without an animation of their own move with `duration` and `timingFunction`, or change at once where whole layers have a
/// `Transition`. A change for which a layer has no state transition is seen at once.
public struct StateTransition: Sendable {
  /// The state that is left.
  public var from: End
  /// The state that is entered.
  public var to: End
  /// Nil for the transaction's.
  public var duration: Nanoseconds?
  /// Nil for the transaction's, and without one there `TimingFunction.default`.
  public var timingFunction: TimingFunction?
  /// The last of several animations of one property of a layer holds: they have one key. A scene's text can only have one.
  public var animations: [Element]

  public init(
    from: End = .any, to: End = .any, duration: Nanoseconds? = nil, timingFunction: TimingFunction? = nil,
    animations: [Element] = []
  ) {
    (self.from, self.to, self.duration) = (from, to, duration)
    (self.timingFunction, self.animations) = (timingFunction, animations)
  }

  /// The states that an end of a transition stands for. A literal is the name of one: `StateTransition(from: "open", to: .noState)`.
  public enum End: Hashable, Sendable, ExpressibleByStringLiteral {
    /// Each state, and no state.
    case any
    /// The layer's own values.
    case noState
    case state(String)

    public init(stringLiteral name: String) { self = .state(name) }

    /// How well it suits a state, or nil for none; nil if not at all.
    fileprivate func rank(of state: String?) -> Int? {
      self == .any ? 0 : self == (state.map(Self.state) ?? .noState) ? 1 : nil
    }

    /// The state that it names.
    package var name: String? { if case .state(let name) = self { name } else { nil } }
  }

  /// The animation of one property.
  public struct Element: Sendable {
    /// The name of a layer below, of several the first; nil for the one that has the state.
    public let target: String?
    public let property: AnimatableProperty
    /// Without values it goes from the value on screen to the new one. Its `beginTime` counts from the change; until then it shows its
    /// first value, and in a replicator's copies that are behind what its fill mode says.
    public let animation: any Animation

    public init(_ property: AnimatableProperty, _ animation: any Animation, of target: String? = nil) {
      (self.property, self.animation, self.target) = (property, animation, target)
    }

    package var place: LayerState.Place { LayerState.Place(target: target, property: property) }

    /// A transition of a whole layer, from its picture in the state that is left to the one in the state that is entered.
    public init(_ transition: Transition, of target: String? = nil) {
      self.init(AnimatableProperty(rawValue: Transition.key), transition, of: target)
    }
  }

  /// True if it leads from one picture of a layer to another.
  fileprivate var changesWholeLayers: Bool { animations.contains { $0.animation.motion.transition != nil } }

  /// Sets the transaction's duration and timing function.
  @MainActor
  fileprivate func setTiming() {
    if let duration { Transaction.animationDuration = duration }
    if let timingFunction { Transaction.animationTimingFunction = timingFunction }
  }

  /// How well it suits a change; nil if not at all. The state that is entered counts for more.
  func rank(from old: String?, to new: String?) -> Int? {
    guard let left = from.rank(of: old), let entered = to.rank(of: new) else { return nil }
    return left + entered * 2
  }
}

/// The states of a layer, and the values that it had before the present one.
@MainActor
final class LayerStates {
  var states: [LayerState] = []
  var transitions: [StateTransition] = []
  /// The state in effect, with the values from before it; nil for the layer's own.
  var present: (name: String, base: [LayerState.Element])?

  /// The transition from the present state that suits best, and of several the first.
  func transition(to name: String?) -> StateTransition? {
    var best: (rank: Int, transition: StateTransition)?
    for transition in transitions {
      guard let rank = transition.rank(from: present?.name, to: name), rank > best?.rank ?? -1 else { continue }
      best = (rank, transition)
    }
    return best?.transition
  }
}

/// A layer can have named states, each a set of values for itself and the layers below it, and transitions between them:
///
/// ```swift
/// card.states = [LayerState("open", [.init(.position, Point(480, 120)), .init(.opacity, 0.6, of: "shade")])]
/// card.stateTransitions = [StateTransition(to: "open", duration: .milliseconds(400), timingFunction: .easeOut)]
/// card.state = "open"
/// card.state = nil                // the values from before are back
/// ```
extension Layer {
  public var states: [LayerState] {
    get { layerStates?.states ?? [] }
    set { states(unless: newValue.isEmpty)?.states = newValue }
  }

  /// The animations of changes of `state`. Of several that suit the one for this very change holds, then one that names the state
  /// that is entered, then one that names the state that is left, and of the same rank the first. `.noState` counts as a name.
  public var stateTransitions: [StateTransition] {
    get { layerStates?.transitions ?? [] }
    set { states(unless: newValue.isEmpty)?.transitions = newValue }
  }

  /// The name of the state in effect; nil, at first, for none. Setting it gives the properties of the new state their values, and
  /// those of the old state alone the values that they had before. In a layer that was shown before, a transition animates that from
  /// what is on screen. A name that no state has is taken for a state without values.
  public var state: String? {
    get { layerStates?.present?.name }
    set { setState(newValue, at: nil) }
  }

  /// Changes the state as it would have been at a time of the display's clock.
  package func setState(_ name: String?, at time: MonotonicTime?) {
    guard name != state, let own = states(unless: false) else { return }
    let transition = own.transition(to: name)
    let left = (own.present?.base ?? []).contentsLast
    let entered = own.states.first { $0.name == name }?.elements ?? []
    let animations = transition?.animations ?? []
    let targets = LayerState.Targets(in: self, (left + entered).map(\.target) + animations.map(\.target))
    if let transition, !Transaction.disablesActions { addTransitions(transition, to: targets, at: time) }
    let places = Set(entered.map(\.place))
    let all = (left.filter { !places.contains($0.place) } + entered).contentsLast
    let given = Dictionary(animations.map { ($0.place, $0) }) { $1 }
    let changes = all.compactMap { element in
      targets[element.target].map { change(of: $0, to: element, given[element.place], at: time) }
    }
    // Parts of one property may overlap: what the state that is left has set must not be read as a value from before.
    Transaction.withoutActions {
      for element in left { targets[element.target].map { element.write($0, element.value) } }
    }
    var base: [LayerState.Element] = []
    var saved: Set<LayerState.Place> = []
    for element in entered where saved.insert(element.place).inserted {
      if let layer = targets[element.target], let value = element.read(layer) { base.append(element.with(value)) }
    }
    own.present = name.map { ($0, base) }
    for change in changes { make(change, transition, at: time) }
  }

  /// Takes a state for the one in effect, whose values are there already.
  package func takeState(_ name: String, base: [LayerState.Element]) {
    states(unless: false)?.present = (name, base)
  }

  /// The values before the state in effect.
  package var valuesBeforeState: [LayerState.Element] { layerStates?.present?.base ?? [] }

  /// The contents that a layer would draw without the state in effect; nil if there is nothing to draw, or no memory.
  ///
  /// - Parameter target: the layer that the elements for `name` mean. It gets the values from before the state while it draws.
  package func drawnContents(
    beforeStateOf target: Layer, named name: String?, scale: Double
  ) -> (image: Image, measures: DrawnMeasures)? {
    let before = valuesBeforeState.filter { $0.target == name && $0.property != .contents }
    let picture = target.layerPicture
    let present = before.compactMap { element in element.read(target).map(element.with) }
    return Transaction.withoutActions {
      for element in before { element.write(target, element.value) }
      defer {
        for element in present { element.write(target, element.value) }
        // Other properties may have asked for a drawing.
        target.layerPicture = picture
      }
      return try? target.drawnContents(scale: scale)
    }
  }

  /// The states, made if need be unless they are to get what a layer without them has.
  private func states(unless isDefault: Bool) -> LayerStates? {
    if layerStates == nil, !isDefault { layerStates = LayerStates() }
    return layerStates
  }

  /// A value that a layer gets, with what the layer showed before.
  private struct Change {
    let element: LayerState.Element
    let layer: Layer
    let given: StateTransition.Element?
    let shown: ShownValues?
  }

  private func change(
    of layer: Layer, to element: LayerState.Element, _ given: StateTransition.Element?, at time: MonotonicTime?
  ) -> Change {
    let shown = layer.shownValues(at: time, for: given?.animation)
    return Change(element: element, layer: layer, given: given, shown: shown)
  }

  private func make(_ change: Change, _ transition: StateTransition?, at time: MonotonicTime?) {
    let (element, layer, given) = (change.element, change.layer, change.given)
    Transaction.begin()
    defer { Transaction.commit() }
    transition?.setTiming()
    Transaction.withoutActions { element.write(layer, element.value) }
    layer.removeAnimation(forKey: element.property.rawValue)
    guard let transition, given != nil || !transition.changesWholeLayers, let shown = change.shown,
      !Transaction.disablesActions, let implicit = element.implicit?(shown.now)
    else { return }
    layer.addForState(
      given?.animation ?? implicit, forKey: element.property.rawValue, defaultTiming: given == nil ? .default : .linear,
      from: shown, at: time)
  }

  /// Adds an animation of a change: its `beginTime` counts from the change.
  private func addForState(
    _ animation: any Animation, forKey key: String, defaultTiming: TimingFunction, from shown: ShownValues?,
    at time: MonotonicTime?
  ) {
    var animation = animation
    let delay = animation.beginTime.map { $0 - MonotonicTime.zero } ?? .zero
    animation.beginTime = nil
    add(animation, forKey: key, defaultTiming: defaultTiming, from: shown, delay: delay)
    if let time { beginLastAnimation(at: self.time(at: time, of: nil)) }
  }

  /// Begins the transitions of whole layers, from their pictures before the change.
  private func addTransitions(_ transition: StateTransition, to targets: LayerState.Targets, at time: MonotonicTime?) {
    Transaction.begin()
    defer { Transaction.commit() }
    transition.setTiming()
    for element in transition.animations {
      guard var change = element.animation.motion.transition, let layer = targets[element.target] else { continue }
      if let time, change.from == nil { change.from = layer.oldPicture(at: time) }
      guard change.from != nil || time == nil && layer.isCommitted else { continue }
      layer.addForState(change, forKey: Transition.key, defaultTiming: .linear, from: nil, at: time)
    }
  }

  /// The values that are shown at a time, or now, as far as an animation needs them; nil in a layer that was never shown.
  private func shownValues(at time: MonotonicTime?, for animation: (any Animation)?) -> ShownValues? {
    guard time != nil || isCommitted else { return nil }
    return shownValues(
      at: time, withVelocity: animation?.motion.keepsVelocity ?? false, speed: animation?.speed ?? 1)
  }
}

extension [LayerState.Element] {
  /// In the order in which they are written: other properties may ask for a drawing, which would take the place of contents that are
  /// set before.
  fileprivate var contentsLast: Self { filter { $0.property != .contents } + filter { $0.property == .contents } }
}

extension LayerState.Element {
  fileprivate func with(_ value: any Sendable) -> Self {
    Self(target: target, property: property, value: value, read: read, write: write, implicit: implicit)
  }
}
