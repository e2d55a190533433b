import Framepace
import Input

/// The events of a script that do nothing where they are played: moves and releases of fingers, buttons and keys that are not down. A slip
/// of the pen makes them, and a recording that began while something was held.
struct StrayEvents {
  private struct Held: Hashable {
    enum Source: Hashable { case finger(Int), button(InputCode), key(InputCode) }
    var device: InputDevice.ID
    var source: Source
    var isKey: Bool { if case .key = source { true } else { false } }
  }

  private var first: InputEvent?
  private var count = 0
  private var held: Set<Held> = []

  init(_ events: [InputEvent]) { for event in events { add(event) } }

  /// A sentence about them; nil without any.
  var sentence: String? {
    guard let first else { return nil }
    let line = first.scriptLine(since: .zero)
    let events = count == 1 ? "1 event does nothing: \(line)" : "\(count) events do nothing, the first is: \(line)"
    return "\(events). Its finger, button or key is not down: the line that presses it is missing"
  }

  private mutating func add(_ event: InputEvent) {
    func this(_ source: Held.Source) -> Held { Held(device: event.device, source: source) }
    let isStray =
      switch event.action {
      case .touch(let finger, .moved): !held.contains(this(.finger(finger)))
      case .touch(let finger, let touch): !change(this(.finger(finger)), isDown: touch != .up && touch != .cancelled)
      case .button(let code, let isDown): !change(this(.button(code)), isDown: isDown)
      case .key(let code, let isDown): !change(this(.key(code)), isDown: isDown)
      default: false
      }
    if isStray {
      first = first ?? event
      count += 1
    }
    if event.action == .removed { held = held.filter { $0.device != event.device } }
    if event.action == .keysReleased { held = held.filter { $0.device != event.device || !$0.isKey } }
  }

  /// - Returns: false if it goes up and was not down.
  private mutating func change(_ source: Held, isDown: Bool) -> Bool {
    if isDown { held.insert(source) }
    return isDown || held.remove(source) != nil
  }
}
