/// The properties that few layers set, each at first its default. A plain layer stays small without them.
@MainActor
final class RareSettings {
  var name: String?
  weak var delegate: (any LayerDelegate)?
  var actions: [AnimatableProperty: LayerAction]?
  var style: LayerStyle?
  var contentsScale: Double?
  var clock = LayerClock()
  var managedLayout: ManagedLayout?
  var states: LayerStates?
  var hitBoxes: HitBoxes?
  var innerLayers: [Layer] = []
  var placement: LayoutPlacement?
  var layoutItem: AnyObject?
  var interaction: AnyObject?
}

extension Layer {
  /// A name, by which messages name the layer, and by which states and scenes find it; the first of several layers with the same
  /// one is found.
  public var name: String? {
    get { rareSettings?.name }
    set { settings(unless: newValue == nil)?.name = newValue }
  }

  /// Does for the layer what a subclass would override. The layer does not keep it alive.
  public var delegate: (any LayerDelegate)? {
    get { rareSettings?.delegate }
    set { settings(unless: newValue == nil)?.delegate = newValue }
  }

  /// The actions that changes begin by themselves, where the delegate does not say. See `action(forKey:)`.
  public var actions: [AnimatableProperty: LayerAction]? {
    get { rareSettings?.actions }
    set { settings(unless: newValue == nil)?.actions = newValue }
  }

  /// Further actions, asked for after `actions`.
  public var style: LayerStyle? {
    get { rareSettings?.style }
    set { settings(unless: newValue == nil)?.style = newValue }
  }

  /// Pixels per point in the contents, above 0. Nil, at first: 1 for contents that are set, and for contents that the layer
  /// draws the context's `scale`, so that they are as fine as the display.
  public var contentsScale: Double? {
    get { rareSettings?.contentsScale }
    set {
      precondition(newValue.map { $0 > 0 && $0.isFinite } ?? true, "Layer: the contents scale must be above 0")
      guard newValue != contentsScale else { return }
      settings(unless: newValue == nil)?.contentsScale = newValue
      markRecord()
    }
  }

  /// The layer's time, see LayerClock.
  var clock: LayerClock {
    get { rareSettings?.clock ?? LayerClock() }
    set { settings(unless: newValue == LayerClock())?.clock = newValue }
  }

  /// See Layer+Layout; nil while there is no manager.
  var managedLayout: ManagedLayout? {
    get { rareSettings?.managedLayout }
    set { settings(unless: newValue == nil)?.managedLayout = newValue }
  }

  /// See Layer+States; nil while there are none.
  var layerStates: LayerStates? {
    get { rareSettings?.states }
    set { settings(unless: newValue == nil)?.states = newValue }
  }

  /// See HitBoxes; nil until a hit test makes them, and where the order of the sublayers may be another one since.
  var hitBoxes: HitBoxes? {
    get { rareSettings?.hitBoxes }
    set { settings(unless: newValue == nil)?.hitBoxes = newValue }
  }

  /// The layers of which the kind makes its contents: below the sublayers, and not among them.
  package internal(set) var innerLayers: [Layer] {
    get { rareSettings?.innerLayers ?? [] }
    set { settings(unless: newValue.isEmpty)?.innerLayers = newValue }
  }

  /// True if there are layers in this one, which makes a picture of several layers of it.
  var holdsLayers: Bool { !sublayers.isEmpty || !innerLayers.isEmpty }

  /// See `placement`.
  var storedPlacement: LayoutPlacement? {
    get { rareSettings?.placement }
    set { settings(unless: newValue == nil)?.placement = newValue }
  }

  /// An object that a layout keeps with the layer, of a type that it chooses.
  package var layoutItemBox: AnyObject? {
    get { rareSettings?.layoutItem }
    set { settings(unless: newValue == nil)?.layoutItem = newValue }
  }

  /// An object that tells what the layer does with input, of a type that the module for it chooses.
  package var interactionBox: AnyObject? {
    get { rareSettings?.interaction }
    set { settings(unless: newValue == nil)?.interaction = newValue }
  }

  /// The box, made if need be unless it is to get what a layer without one has.
  private func settings(unless isDefault: Bool) -> RareSettings? {
    if rareSettings == nil, !isDefault { rareSettings = RareSettings() }
    return rareSettings
  }
}
