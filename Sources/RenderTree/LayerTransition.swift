package import Geometry

/// A layer between two pictures of itself with its descendants: one that it had, and the one that it has.
public struct LayerTransition: Hashable, Sendable {
  /// The picture that the layer had.
  public var old: OldPicture
  public var type: TransitionType
  public var subtype: TransitionSubtype
  /// 0 for the old picture alone, 1 for the new one.
  public let progress: Double
  /// True if the layer shows nothing now: it is hidden once the transition is over.
  public var isNewHidden = false

  /// - Parameter progress: is brought into 0…1; no number is 0.
  public init(old: OldPicture, type: TransitionType, subtype: TransitionSubtype, progress: Double) {
    (self.old, self.type, self.subtype) = (old, type, subtype)
    self.progress = progress > 0 ? min(progress, 1) : 0
  }

  /// The part of the new picture in each pixel of a fade, 0…255.
  package var share: UInt32 { UInt32((progress * 255).rounded()) }

  /// The map of the pictures' coordinates to the layer's, which has this size.
  package func places(in size: Size) -> (old: Affine, new: Affine) {
    let start =
      switch subtype {
      case .fromLeft: Point(-size.width, 0)
      case .fromRight: Point(size.width, 0)
      case .fromTop: Point(0, -size.height)
      case .fromBottom: Point(0, size.height)
      }
    let coming = Affine.translation(x: start.x * (1 - progress), y: start.y * (1 - progress))
    let going = Affine.translation(x: -start.x * progress, y: -start.y * progress)
    return switch type {
    case .fade: (.identity, .identity)
    case .moveIn: (.identity, coming)
    case .push: (going, coming)
    case .reveal: (going, .identity)
    }
  }
}

/// The way in which a transition leads from one picture to the other.
public enum TransitionType: String, CaseIterable, Hashable, Sendable {
  /// The old picture becomes the new one where it is.
  case fade
  /// The new picture slides over the old one.
  case moveIn
  /// The new picture pushes the old one away.
  case push
  /// The old picture slides away from over the new one.
  case reveal
}

/// The side from which a transition moves the new picture, or away from which it moves the old one.
public enum TransitionSubtype: String, CaseIterable, Hashable, Sendable {
  case fromLeft
  case fromRight
  case fromTop
  case fromBottom
}

/// The records of a layer with its descendants as they were. Immutable, and compared by identity.
public final class OldPicture: Hashable, Sendable {
  /// The layer comes first, at the origin of its own coordinates. Empty where nothing was shown.
  public let tree: TreeSnapshot

  public init(_ tree: TreeSnapshot = TreeSnapshot()) { self.tree = tree }

  /// A layer of a tree with its descendants. Transitions that they were in have come to their ends: with an older picture in each,
  /// what there is to paint would double with every transition inside of another.
  package convenience init(of index: Int, in tree: TreeSnapshot) {
    var picture = TreeSnapshot()
    let end = tree.records.indices.contains(index) ? tree.records[index].end(at: index, in: tree.records.count) : 0
    guard index < end, !tree.isHiddenInTheEnd(index) else {
      self.init()
      return
    }
    for place in index..<end {
      var record = tree.records[place]
      var sides = tree.sides[place]
      record.subtreeEnd -= UInt32(index)
      if tree.isHiddenInTheEnd(place) { record.flags.insert(.hidden) }
      if var parts = sides.effects?.parts {
        parts.transition = nil
        if place == index { parts.homography = nil }
        sides.effects = .make(parts, last: sides.effects)
      }
      if place == index {
        record.transform = .identity
        record.flags.remove(.mask)
      }
      picture.append(record, sides)
    }
    self.init(picture)
  }

  public static func == (one: OldPicture, other: OldPicture) -> Bool { one === other }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension TreeSnapshot {
  /// True if a layer is hidden, or will be once its transition is over.
  fileprivate func isHiddenInTheEnd(_ index: Int) -> Bool {
    records[index].flags.contains(.hidden) || sides[index].effects?.parts.transition?.isNewHidden == true
  }
}
