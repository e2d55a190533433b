import Raster

extension ValueSyntax where Value == Font {
  /// The file's name, the size, and what else is not as the file has it: the face, places on axes, features.
  static var font: Self {
    let expected = "a font: the name of its file, as a string, and its size"
    return Self(expected) { reader throws(SceneError) in
      let token = reader.token
      let name = try reader.string(expected)
      let size = try reader.number("the size of the font")
      var font = try reader.font(at: token) { resources throws(FontError) in Font(try resources.face(name), size: size) }
      if reader.takeInValue("face") {
        let index = try reader.wholeNumber("the number of a face", upTo: 0x7FFF)
        font = try reader.font(at: token) { resources throws(FontError) in
          Font(try resources.face(font.face, index: index), size: size)
        }
      }
      let variations = try reader.variations(of: font.face)
      font = try reader.font(at: token) { resources throws(FontError) in
        Font(try resources.face(font.face, index: font.face.index, variations: variations), size: size)
      }
      font.features = try reader.features()
      if reader.takeInValue("tabularFigures") { font.features.append(.tabularFigures) }
      return font
    } text: { value, writer in
      let face = value.face
      var words = [SceneWriter.quoted(writer.name(of: face)), SceneNumber.text(value.size)]
      if face.index > 0 { words.append("face \(face.index)") }
      words += face.variations.map { "axis \(SceneWriter.name($0.axis.description)) \(SceneNumber.text($0.value))" }
      // With its value, since a number may follow the font.
      words += value.features.filter { $0 != .tabularFigures }.map {
        "feature \(SceneWriter.name($0.tag.description)) \($0.value)"
      }
      if value.tabularFigures { words.append("tabularFigures") }
      return words.joined(separator: " ")
    }
  }
}

extension SceneReader {
  /// A font, unless the scene has too many; `token` is where it is named.
  fileprivate func font(
    at token: SceneToken, _ open: (SceneResources) throws(FontError) -> Font
  ) throws(SceneError) -> Font {
    let font: Font
    do throws(FontError) {
      font = try open(resources)
    } catch {
      throw self.error(.font(error), at: token)
    }
    try checkDesigns(at: token)
    return font
  }

  /// Refuses a font, which is named at a token, in a scene that has too many.
  func checkDesigns(at token: SceneToken) throws(SceneError) {
    guard resources.designCount > SceneLimit.designs else { return }
    throw error(.tooMany("designs of fonts", limit: SceneLimit.designs), at: token)
  }

  fileprivate func variations(of face: FontFace) throws(SceneError) -> [FontVariation] {
    var places: [FontTag: SceneToken] = [:]
    return try list(while: { takeInValue("axis") }) { () throws(SceneError) in
      let start = token
      let tag = try tag(once: &places)
      guard let axis = face.axes.first(where: { $0.tag == tag }) else {
        let names = face.axes.map(\.tag.description)
        let expected = names.isEmpty ? "none, as the font has no axes" : names.joined(separator: ", ")
        throw error(.expected("an axis of the font: \(expected)", found: start.name), at: start)
      }
      let place = token
      let (low, high) = (SceneNumber.text(axis.range.lowerBound), SceneNumber.text(axis.range.upperBound))
      let expected = "a place on the axis \(tag), from \(low) to \(high)"
      let value = try number(expected)
      guard axis.range.contains(value) else { throw error(.expected(expected, found: place.name), at: place) }
      return FontVariation(tag, value)
    }
  }

  func features() throws(SceneError) -> [FontFeature] {
    var places: [FontTag: SceneToken] = [:]
    return try list(while: { takeInValue("feature") }) { () throws(SceneError) in
      let tag = try tag(once: &places)
      guard isAtNumber else { return FontFeature(tag) }
      return FontFeature(tag, UInt32(try wholeNumber("the value of a feature", upTo: Int(UInt32.max))))
    }
  }

  /// The name of an axis or a feature, which is not among those that were named before.
  func tag(once places: inout [FontTag: SceneToken]) throws(SceneError) -> FontTag {
    let token = token
    let expected = "a name of one to four characters, such as wght"
    guard let tag = FontTag(try takeName(expected)) else {
      throw error(.expected(expected, found: token.name), at: token)
    }
    if let first = places.updateValue(token, forKey: tag) { throw repeated("\(tag)", first: first, at: token) }
    return tag
  }

  func wholeNumber(_ name: String, from least: Int = 0, upTo limit: Int) throws(SceneError) -> Int {
    let token = token
    let expected = "\(name), from \(least) to \(limit)"
    let value = try number(expected)
    guard value >= Double(least), value <= Double(limit), value == value.rounded() else {
      throw error(.expected(expected, found: token.name), at: token)
    }
    return Int(value)
  }
}
