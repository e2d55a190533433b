import Layers

/// A property of an animation, or of a record, in a scene's text: its name, and the way to and from the parts that hold it.
@MainActor
struct TextProperty<Parts> {
  let name: String
  /// Names the properties that exclude this one, if one of them was read already.
  var conflict: @MainActor (Parts) -> String? = { _ in nil }
  /// Says why it may not stand in these parts, if it has no meaning there.
  var refusal: @MainActor (Parts) -> String? = { _ in nil }
  let read: @MainActor (SceneReader, inout Parts) throws(SceneError) -> Void
  /// The text of the value; nil if it is that of new parts.
  let text: @MainActor (_ parts: Parts, _ new: Parts, SceneWriter) -> String?
}

extension TextProperty {
  init<Value: Equatable>(_ name: String, _ path: WritableKeyPath<Parts, Value>, _ syntax: ValueSyntax<Value>) {
    self.init(name: name) { reader, parts throws(SceneError) in
      parts[keyPath: path] = try syntax.read(reader)
    } text: { parts, new, writer in
      let value = parts[keyPath: path]
      return value == new[keyPath: path] ? nil : syntax.text(value, writer)
    }
  }

  init<Value>(_ name: String, optional path: WritableKeyPath<Parts, Value?>, _ syntax: ValueSyntax<Value>) {
    self.init(name: name) { reader, parts throws(SceneError) in
      parts[keyPath: path] = try syntax.read(reader)
    } text: { parts, _, writer in
      parts[keyPath: path].map { syntax.text($0, writer) }
    }
  }

  /// A property of one form of the animation, which the `other` one excludes.
  init<Form>(_ property: TextProperty<Form>, in form: WritableKeyPath<Parts, Form?>, other: String) {
    let conflict: @MainActor (Parts) -> String? = { $0[keyPath: form] == nil ? other : nil }
    self.init(name: property.name, conflict: conflict) { reader, parts throws(SceneError) in
      guard var own = parts[keyPath: form] else { return }
      try property.read(reader, &own)
      parts[keyPath: form] = own
    } text: { parts, new, writer in
      guard let own = parts[keyPath: form], let new = new[keyPath: form] else { return nil }
      return property.text(own, new, writer)
    }
  }
}

extension TextProperty {
  /// The same property, which may not stand in some parts.
  func refused(_ refusal: @escaping @MainActor (Parts) -> String?) -> Self {
    var property = self
    property.refusal = refusal
    return property
  }
}

extension TextProperty where Parts: TrackParts {
  /// A value of the animated property.
  init(_ name: String, value path: WritableKeyPath<Parts, (any Animatable)?>) {
    self.init(name: name) { reader, parts throws(SceneError) in
      parts[keyPath: path] = try parts.track.read(reader)
    } text: { parts, _, writer in
      parts[keyPath: path].map { parts.track.text($0, writer) }
    }
  }
}

extension SceneReader {
  /// Reads a property if the token is the name of one.
  func take<Parts>(_ properties: [TextProperty<Parts>], in parts: inout Parts) throws(SceneError) -> Bool {
    guard let property = properties.first(where: { $0.name == word }) else { return false }
    if let other = property.conflict(parts) { throw expected("no \(property.name) beside \(other)") }
    if let refusal = property.refusal(parts) { throw expected(refusal) }
    try takeOnce(property.name)
    advance()
    try property.read(self, &parts)
    return true
  }
}

extension SceneWriter {
  /// The texts of all that is not as in new parts.
  func texts<Parts>(_ properties: [TextProperty<Parts>], of parts: Parts, new: Parts) -> [String] {
    properties.compactMap { property in
      property.text(parts, new, self).map { $0.isEmpty ? property.name : "\(property.name) \($0)" }
    }
  }
}
