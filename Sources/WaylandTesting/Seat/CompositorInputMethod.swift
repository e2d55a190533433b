public import Geometry

/// The input method of a scripted compositor: what the client with the keyboard tells of its text, and what a person composes in it.
///
/// ```swift
/// compositor.inputMethod.send(marked: "にほ", caret: 6)
/// compositor.inputMethod.send(inserted: "日本")
/// XCTAssertEqual(compositor.inputMethod.state?.text, "日本")
/// ```
@MainActor
public final class CompositorInputMethod {
  /// The text of a client, as it was committed last.
  public struct State: Hashable, Sendable {
    public var text = ""
    /// The ends of the selection, in bytes of UTF-8.
    public var cursor = 0
    public var anchor = 0
    /// The numbers of text-input-v3.
    public var hint: UInt32 = 0
    public var purpose: UInt32 = 0
    /// True for a change that the input method did not make.
    public var isOtherChange = false
    /// The caret, in points of the window.
    public var caret = IntRect(x: 0, y: 0, width: 0, height: 0)
  }

  /// Nil while the client with the keyboard has no text that is written in.
  public var state: State? { focused.flatMap { objects[ObjectIdentifier($0)]?.current } }
  /// How often that client has committed a state.
  public var commitCount: UInt32 { focused.flatMap { objects[ObjectIdentifier($0)]?.commits } ?? 0 }

  private struct Object {
    var pending = State()
    var isEnabled = false
    var current: State?
    var commits: UInt32 = 0
  }

  private unowned let compositor: ScriptedCompositor
  private var objects: [ObjectIdentifier: Object] = [:]

  init(of compositor: ScriptedCompositor) { self.compositor = compositor }

  private var focused: ServerObject? { compositor.seat.keyboardFocus?.surface.object.client.textInputs.first }

  // MARK: The person

  /// Takes a step in the text of the client with the keyboard.
  ///
  /// - Parameters:
  ///   - caret: in bytes of the marked text; nil for one that is not seen.
  ///   - lag: how many commits of the client the input method has not heard of.
  public func send(
    inserted: String? = nil, marked: String? = nil, caret: Int? = nil, deletedBefore: Int = 0, deletedBehind: Int = 0,
    lag: UInt32 = 0
  ) {
    guard let focused else { return }
    if let marked { focused.send("preedit_string", .string(marked), .int(caret ?? -1), .int(caret ?? -1)) }
    if let inserted { focused.send("commit_string", .string(inserted)) }
    if deletedBefore > 0 || deletedBehind > 0 {
      focused.send("delete_surrounding_text", .uint(UInt32(deletedBefore)), .uint(UInt32(deletedBehind)))
    }
    focused.send("done", .uint(commitCount &- lag))
  }

  // MARK: Clients

  func offer(_ manager: ServerObject) {
    manager.onRequest = { [unowned self] request in
      if request.name == "get_text_input" { add(request.newObject(0)) }
    }
  }

  private func add(_ object: ServerObject) {
    let (client, key) = (object.client, ObjectIdentifier(object))
    objects[key] = Object()
    client.textInputs.append(object)
    object.onEnd = { [unowned self] in
      objects[key] = nil
      client.textInputs.removeAll { $0 === object }
    }
    object.onRequest = { [unowned self] request in handle(request, key) }
    if let window = compositor.seat.keyboardFocus, window.surface.object.client === client {
      object.send("enter", .object(window.surface.object))
    }
  }

  private func handle(_ request: Request, _ key: ObjectIdentifier) {
    guard var object = objects[key] else { return }
    defer { objects[key] = object }
    switch request.name {
    case "enable": (object.isEnabled, object.pending) = (true, State())
    case "disable": object.isEnabled = false
    case "set_surrounding_text":
      (object.pending.text, object.pending.cursor, object.pending.anchor) = (
        request.string(0), request.int(1), request.int(2)
      )
      let bytes = Array(object.pending.text.utf8)
      for place in [request.int(1), request.int(2)] {
        let isEdge = place == bytes.count || bytes.indices.contains(place) && bytes[place] & 0xC0 != 0x80
        if !isEdge || bytes.count > 4000 {
          compositor.note(.wrongText, "byte \(place) of \(bytes.count)")
        }
      }
    case "set_text_change_cause": object.pending.isOtherChange = request.uint(0) == 1
    case "set_content_type": (object.pending.hint, object.pending.purpose) = (request.uint(0), request.uint(1))
    case "set_cursor_rectangle":
      object.pending.caret = IntRect(x: request.int(0), y: request.int(1), width: request.int(2), height: request.int(3))
    case "commit":
      object.commits &+= 1
      object.current = object.isEnabled ? object.pending : nil
    default: break
    }
  }

  /// A window has the keyboard, or has it no longer.
  func focus(_ window: CompositorWindow, _ isFocused: Bool) {
    for object in window.surface.object.client.textInputs {
      object.send(isFocused ? "enter" : "leave", .object(window.surface.object))
      objects[ObjectIdentifier(object)]?.current = nil
      objects[ObjectIdentifier(object)]?.isEnabled = false
    }
  }
}
