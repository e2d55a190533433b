import Geometry
import LinuxSystem
import Raster
import RenderTree

/// The animations of one layer as they were committed, with all that evaluating them needs: changes made since are not seen
/// before their commit.
@MainActor
final class CommittedAnimations {
  /// The layer if it draws itself, else nil: to hold a layer takes longer once there is a weak reference to it.
  private weak var drawer: Layer?
  var recordIndex = 0
  var isListed = false
  /// The layer's kind, which makes its content of the values.
  var kind: Layer.Type
  /// See `Layer.isSpace`.
  private var isSpace: Bool
  private var holdsLayers = false
  private(set) var values = AnimatableValues()
  var contents = ContentsSource()
  /// Content and effects of the values as they were committed.
  var sides = SideValues()
  /// True if `sides` have the colours of the copy that the layer was in at the commit.
  var areSidesTinted = false
  /// The effects that were shown last; nil where content and effects were those of the commit.
  private var lastEffects: RenderEffects?
  /// The content that was shown last, if it was not the commit's: the same object while it is the same.
  private var lastContent: (any RenderContent)?
  var flags: RenderRecord.Flags = []
  var clocks: ClockChain
  /// The clocks by which the animations end: those of the copy that is furthest behind.
  var endClocks: ClockChain
  /// Nil without an animation of its own.
  var stack: AnimationStack?
  /// True in a copy whose clock is behind.
  var isLate = false
  var space = Space.still(nil)
  /// The values at the commit, of a layer that places its sublayers.
  var committedValues: AnimatableValues?
  /// How often they are to be shown; nil while none of them needs frames.
  var frameRateRange: FrameRateRange?
  /// The picture that the layer drew of other values than its own, and those of them that it was drawn from.
  private var drawn: (values: [AnimatableProperty: any Animatable], image: Image)?
  /// True if they may show other values later than at the commit.
  var isMoving = false

  /// The space in which the layer lies.
  enum Space {
    /// Nil for the superlayer's plane.
    case still(SublayerSpace?)
    /// The superlayer's animations move it. See `Layer.isPlacedFlipped`.
    case moving(by: CommittedAnimations, isFlipped: Bool, ReplicatorInstance?)
  }

  init(_ layer: Layer) {
    (kind, isSpace) = (type(of: layer), layer.isSpace)
    clocks = ClockChain(layer)
    endClocks = clocks
  }

  /// Writes the layer as it is shown at a time of the display's clock.
  func write(_ record: inout RenderRecord, _ sides: inout SideValues, at time: MonotonicTime) {
    // It moves its sublayers and nothing else.
    if isSpace { return }
    var values = values
    let own = clocks.time(at: time)
    apply(to: &values, atOwn: own)
    record.flags = flags
    let space = space(at: time)
    // It is made once: a tint has to know if there is one, and does not change it.
    var content: (any RenderContent)?
    if space?.tint != nil {
      content = kind.content(for: values, image: values.image)
      values.takeTint(of: space, hasPicture: holdsLayers || content != nil)
    }
    let homography = values.homography(in: space)
    if values.hasNamed(of: self.values), values.hasContents(of: self.values), hasCommittedParts(values, homography) {
      // Pictures that were shown for a while are not kept.
      if lastEffects != nil { lastEffects = nil }
      if let timed = self.sides.content?.timed {
        sides.take(shown(timed.content(at: own)), self.sides.effects)
      } else {
        if lastContent != nil { lastContent = nil }
        sides.take(self.sides.content, self.sides.effects)
      }
    } else {
      values.settleTransition(&record.flags)
      if !values.named.isEmpty, let image = drawnImage(for: values) { (values.contents, content) = (image, nil) }
      let source = contents.or(values.image)
      lastEffects =
        hasCommittedParts(values, homography) && source.pixels == contents.pixels
        ? self.sides.effects : source.effects(for: values, homography, last: lastEffects ?? self.sides.effects)
      sides.take(lasting(content ?? kind.content(for: values, image: values.image), atOwn: own), lastEffects)
    }
    record.update(from: values, sides, in: space)
  }

  /// True if no animation changes what the effects are made of, but for the picture.
  @inline(__always)
  private func hasCommittedParts(_ values: borrowing AnimatableValues, _ homography: Homography?) -> Bool {
    !areSidesTinted && values.rareBox === self.values.rareBox && homography == sides.effects?.parts.homography
  }

  /// The space in which the layer lies at a time of the display's clock.
  private func space(at time: MonotonicTime) -> SublayerSpace? {
    switch space {
    case .still(let space): space
    case .moving(let outer, let isFlipped, let instance): outer.sublayerSpace(at: time, isFlipped: isFlipped, instance)
    }
  }

  private func sublayerSpace(at time: MonotonicTime, isFlipped: Bool, _ instance: ReplicatorInstance?) -> SublayerSpace {
    let values = shown(at: time)
    return isSpace
      ? SublayerSpace(values, isFlipped: isFlipped, instance, through: space(at: time))
      : SublayerSpace(values, isFlipped: isFlipped, instance)
  }

  /// The space of the layer at a time of the display's clock, if it is a transform layer.
  func ownSpace(at time: MonotonicTime) -> SublayerSpace? { isSpace ? space(at: time) : nil }

  /// The content to show, or the one that was shown last, if that looks the same.
  private func lasting(_ content: (any RenderContent)?, atOwn time: MonotonicTime) -> (any RenderContent)? {
    if let timed = content?.timed { return shown(timed.content(at: time)) }
    guard let content, content !== sides.content else { return content }
    return shown(content)
  }

  /// The content that was shown last, if it looks the same.
  private func shown(_ content: any RenderContent) -> any RenderContent {
    if let lastContent, content.isEqual(to: lastContent) { return lastContent }
    lastContent = content
    return content
  }

  /// The values that are shown at a time of the display's clock.
  func shown(at time: MonotonicTime) -> AnimatableValues {
    var values = values
    apply(to: &values, at: time)
    return values
  }

  /// Puts what the animations show at a time of the display's clock into `values`, in place: a copy takes as long as a curve.
  @inline(__always)
  private func apply(to values: inout AnimatableValues, at time: MonotonicTime) {
    apply(to: &values, atOwn: clocks.time(at: time))
  }

  /// - Parameter own: the time on the layer's clock.
  @inline(__always)
  private func apply(to values: inout AnimatableValues, atOwn own: MonotonicTime) {
    stack?.apply(to: &values, at: own, isLate: isLate)
  }

  private var outer: CommittedAnimations? { if case .moving(let outer, _, _) = space { outer } else { nil } }

  /// True without animations that may change the layer, and without a content that moves by itself.
  var isEmpty: Bool { stack == nil && outer == nil && sides.content?.timed == nil }

  /// Takes over the layer's values. What was drawn of older contents is forgotten.
  func takeValues(of layer: Layer) {
    let values = layer.values
    if !values.hasContents(of: self.values) { drawn = nil }
    self.values = values
    (isSpace, holdsLayers) = (layer.isSpace, layer.holdsLayers)
    drawer = layer.drawnMeasures == nil ? nil : layer
  }

  /// The picture for values from which the layer draws itself; nil where its contents are one of them. It is drawn when these values
  /// are others than the last time.
  private func drawnImage(for shown: AnimatableValues) -> Image? {
    guard let layer = drawer, layer.drawnMeasures != nil else { return nil }
    let own = values.named
    let wanted = shown.named.filter { kind.needsDisplay(forKey: $0.key) }
    if wanted.allSatisfy({ own[$0]?.isEqual(to: $1) ?? false }) { return nil }
    if let drawn, wanted.allSatisfy({ drawn.values[$0]?.isEqual(to: $1) ?? false }) { return drawn.image }
    guard let image = layer.drawnImage(for: shown, bounds: values.bounds) else { return drawn?.image }
    drawn = (wanted, image)
    return image
  }

  /// The time of the display's clock at which the first animation is under way: `time` itself, a later one while all wait for their
  /// beginnings, and `distantFuture` where all are over.
  func runningTime(from time: MonotonicTime) -> MonotonicTime {
    if contentChanges(from: time) { return time }
    var first = outer?.runningTime(from: time) ?? .distantFuture
    let local = clocks.time(at: time)
    switch clocks.course(from: time) {
    case .still: break
    case .waiting: if stack != nil { return time }
    case .backwards: if changes(from: local, backwards: true) { return time }
    case .forwards:
      let runs = stack?.contains { animation in
        guard animation.changes(from: local, backwards: false), !animation.isOver(at: local) else { return false }
        first = min(first, clocks.outerTime(ofReaching: animation.active.begin, from: time))
        return animation.active.begin <= local
      }
      if runs ?? false { return time }
    }
    return first
  }

  /// True if they may show other values later than at a time of the display's clock.
  func change(from time: MonotonicTime) -> Bool {
    if outer != nil || contentChanges(from: time) { return true }
    let local = clocks.time(at: time)
    return switch clocks.course(from: time) {
    case .still: false
    case .waiting: stack != nil
    case .forwards: changes(from: local, backwards: false)
    case .backwards: changes(from: local, backwards: true)
    }
  }

  /// True if an animation may show another value after a time of the layer's clock, or earlier on one that runs backwards.
  private func changes(from local: MonotonicTime, backwards: Bool) -> Bool {
    stack?.contains { $0.changes(from: local, backwards: backwards) } ?? false
  }

  private func shownContent(atOwn time: MonotonicTime) -> (any RenderContent)? {
    var values = values
    apply(to: &values, atOwn: time)
    return kind.content(for: values, image: values.image)
  }

  /// True if a content that moves by itself may look otherwise later than at a time of the display's clock.
  private func contentChanges(from time: MonotonicTime) -> Bool {
    guard sides.content?.timed != nil else { return false }
    let own = clocks.time(at: time)
    // Animations may change the cells.
    guard let content = stack == nil ? sides.content?.timed : shownContent(atOwn: own)?.timed else { return false }
    return switch clocks.course(from: time) {
    case .still: false
    case .waiting: true
    case .forwards: content.changes(from: own, backwards: false)
    case .backwards: content.changes(from: own, backwards: true)
    }
  }
}

extension AnimatableValues {
  @inline(__always)
  fileprivate func hasContents(of other: borrowing AnimatableValues) -> Bool {
    image === other.image && content === other.content
  }

  /// True if the properties that kinds of layers add have the same values.
  @inline(__always)
  fileprivate func hasNamed(of other: AnimatableValues) -> Bool {
    named.isEmpty
      || named.count == other.named.count && named.allSatisfy { other.named[$0.key]?.isEqual(to: $0.value) ?? false }
  }
}

extension SideValues {
  /// Takes over other objects. To hold one takes longer than to see that it is the same.
  fileprivate mutating func take(_ content: (any RenderContent)?, _ effects: RenderEffects?) {
    if content !== self.content { self.content = content }
    if effects !== self.effects { self.effects = effects }
  }
}
