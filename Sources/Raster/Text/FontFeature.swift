internal import CHarfBuzz

/// A name of four characters by which OpenType knows axes and features, such as `wght` and `tnum`.
public struct FontTag: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The characters as bytes, the first one highest.
  let value: UInt32

  package init(value: UInt32) { self.value = value }

  /// Nil unless the name has one to four characters of ASCII from " " to "~". Blanks fill up a short one, as in OpenType.
  public init?(_ name: String) {
    let bytes = Array(name.utf8)
    guard (1...4).contains(bytes.count), bytes.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
    value = (0..<4).reduce(0) { $0 << 8 | UInt32($1 < bytes.count ? bytes[$1] : 0x20) }
  }

  /// - Precondition: the literal is a tag.
  public init(stringLiteral name: String) {
    guard let tag = FontTag(name) else {
      preconditionFailure("“\(name)” is no tag of OpenType: it has one to four characters")
    }
    self = tag
  }

  /// The name without the blanks at its end.
  public var description: String {
    var name = String.UnicodeScalarView()
    for shift in [24, 16, 8, 0] { name.append(Unicode.Scalar(UInt8(truncatingIfNeeded: value >> shift))) }
    while name.count > 1, name.last == " " { name.removeLast() }
    return String(name)
  }
}

/// A feature of OpenType that is turned on or off, such as small capitals. Fonts ignore those that they do not have.
public struct FontFeature: Hashable, Sendable {
  public var tag: FontTag
  /// 0 turns it off. 1 turns it on, or chooses the first of several alternatives; higher numbers choose others.
  public var value: UInt32

  public init(_ tag: FontTag, _ value: UInt32 = 1) { (self.tag, self.value) = (tag, value) }

  /// Digits of the same width, for figures that change while one looks at them: `tnum`.
  public static let tabularFigures = FontFeature("tnum")

  /// One of each tag, the last, sorted by tags: fonts with the same features are equal.
  static func normalized(_ features: [FontFeature]) -> [FontFeature] {
    if features.count < 2 { return features }
    var last: [FontTag: FontFeature] = [:]
    for feature in features { last[feature.tag] = feature }
    return last.values.sorted { $0.tag.value < $1.tag.value }
  }
}

/// A place on an axis of a variable font, such as the weight 600.
public struct FontVariation: Hashable, Sendable {
  public var axis: FontTag
  /// In the axis's unit. It is moved into the axis's range; a value that is not a number counts as the default.
  public var value: Double

  public init(_ axis: FontTag, _ value: Double) { (self.axis, self.value) = (axis, value) }

  /// 400 for regular, 700 for bold: `wght`.
  public static func weight(_ value: Double) -> FontVariation { FontVariation("wght", value) }
  /// In percent of the normal width: `wdth`.
  public static func width(_ percent: Double) -> FontVariation { FontVariation("wdth", percent) }
  /// The angle of slanted letters in degrees, counterclockwise: -10 leans to the right. `slnt`.
  public static func slant(_ degrees: Double) -> FontVariation { FontVariation("slnt", degrees) }
}

/// An axis along which the design of a variable font changes.
public struct FontAxis: Hashable, Sendable {
  public let tag: FontTag
  /// The values that it has, in its own unit.
  public let range: ClosedRange<Double>
  /// The value of the design in which the font is opened, inside the range.
  public let defaultValue: Double

  /// The value that is taken for one that was asked for.
  func value(_ wanted: Double) -> Double {
    wanted.isNaN ? defaultValue : min(max(wanted, range.lowerBound), range.upperBound)
  }
}

/// A design of a variable font that has a name, such as Semibold.
public struct FontInstance: Hashable, Sendable {
  /// The English name.
  public let name: String
  /// A place on each axis.
  public let variations: [FontVariation]
}

extension FontFace {
  /// The designs that the font has names for; empty for fonts without axes. They are read from the font each time.
  public var namedInstances: [FontInstance] { shaper.namedInstances(axes) }

  /// True if the font can show a character, alone or with others: all scalars of it become glyphs of the font, or parts of one.
  /// Line breaks and control characters, which are drawn as blanks, count as blanks.
  public func contains(_ character: Character) -> Bool {
    let scalars = character.unicodeScalars
    if scalars.count == 1, let scalar = scalars.first, shaper.glyph(for: scalar) != nil { return true }
    var isComplete = true
    shaper.shape(String(character), features: []) { if $0.id == 0 { isComplete = false } }
    return isComplete
  }
}
