import Input
import LinuxSystem
import RunLoops

/// Brings keys to the first responder, and repeats the one that is held.
@MainActor
final class KeyRouter {
  var keyboard: Keyboard? {
    didSet {
      isKeyboardSet = true
      // The new one is there already: a responder whose key is cancelled may set another, which stays.
      cancelKeys(of: oldValue, at: loop.clock.now) { $0.releaseAll(at: $1) }
      showLEDs()
    }
  }
  /// True once there was a keyboard, or the program has said that there is none.
  private var isKeyboardSet = false
  /// The modifiers that a desktop told last; nil where keys tell them.
  private var modifiers: ModifierState?
  private(set) var firstResponder: Responder?
  /// Gets keys while there is no first responder.
  var lastResponder: Responder?
  var onLEDs: (@MainActor (KeyboardLEDs) -> Void)? {
    didSet { showLEDs() }
  }

  /// Called with the number of the session that keys ask for, instead of the first responder; nil to have no such keys.
  var onSession: (@MainActor (Int) -> Void)?

  /// The repetition; nil for none. A key that is held ends to repeat with another one.
  var keyRepeat: KeyRepeat? = KeyRepeat() {
    didSet { alarm.fireTime = keyRepeat?.deadline }
  }

  private let loop: FrameLoop
  private let alarm: FrameLoop.Alarm
  /// The responders that were told that keys are down, and are told when they are up.
  private var targets: [InputCode: Responder] = [:]

  init(_ loop: FrameLoop) {
    self.loop = loop
    let relay = Relay()
    alarm = FrameLoop.Alarm(.onMain { relay.owner?.repeatKey() })
    relay.owner = self
    loop.add(alarm, to: .common)
  }

  private final class Relay {
    weak var owner: KeyRouter?
  }

  func invalidate() { alarm.invalidate() }

  /// Makes the machine's keyboard where the program has set none: not before keys are wanted, as it takes some milliseconds. It has the modifiers
  /// of which a desktop told before.
  func requireKeyboard() {
    guard !isKeyboardSet else { return }
    do throws(KeyboardLayoutError) {
      keyboard = try Keyboard(layout: .automatic(), sequences: try? ComposeTable.automatic())
      if let modifiers {
        keyboard?.setModifiers(modifiers)
        showLEDs()
      }
    } catch {
      keyboard = nil
      #if DEBUG
        DebugHint.give("keys go nowhere: \(error)", kind: "no keyboard")
      #endif
    }
  }

  func handle(_ code: InputCode, isDown: Bool, of device: InputDevice.ID, at time: MonotonicTime) {
    pass(time)
    if firstResponder != nil || lastResponder != nil || onSession != nil { requireKeyboard() }
    guard let key = keyboard?.handle(code, isDown: isDown, of: device, at: time) else { return }
    if let onSession, let number = key.keysym.sessionNumber {
      if key.phase == .down { onSession(number) }
    } else {
      deliver(key)
    }
    showLEDs()
  }

  func setModifiers(_ modifiers: ModifierState, at time: MonotonicTime) {
    pass(time)
    self.modifiers = modifiers
    keyboard?.setModifiers(modifiers)
    showLEDs()
  }

  /// A keyboard is gone: its keys are up.
  func release(_ device: InputDevice.ID, at time: MonotonicTime) {
    cancelKeys(of: keyboard, at: time) { $0.releaseAll(of: device, at: $1) }
  }

  /// - Returns: false if the responder can not become it.
  func setFirstResponder(_ responder: Responder?) -> Bool {
    if let responder, !responder.canBecomeFirstResponder { return false }
    guard responder !== firstResponder else { return true }
    let old = firstResponder
    // Held keys end where they began: the new one is not told when they are lifted.
    let held = exchange(&targets, with: [:])
    for (code, target) in held.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      target.keyChanged(KeyEvent(time: loop.clock.now, code: code, phase: .cancelled, keysym: .none))
    }
    keyRepeat?.stop()
    guard firstResponder === old else { return false }
    keyboard?.endSequence()
    firstResponder = responder
    old?.resignedFirstResponder()
    // One that was told may have made another one the first responder.
    if firstResponder === responder { responder?.becameFirstResponder() }
    return firstResponder === responder
  }

  private func cancelKeys(
    of keyboard: Keyboard?, at time: MonotonicTime, _ release: (Keyboard, MonotonicTime) -> [KeyEvent]
  ) {
    guard let keyboard else { return }
    pass(time)
    for key in release(keyboard, time) { deliver(key) }
  }

  private func deliver(_ key: KeyEvent) {
    keyRepeat?.handle(key)
    switch key.phase {
    case .down:
      guard let target = firstResponder ?? lastResponder else { return }
      targets[key.code] = target
      target.keyChanged(key)
    case .repeated: targets[key.code]?.keyChanged(key)
    case .up, .cancelled: targets.removeValue(forKey: key.code)?.keyChanged(key)
    }
  }

  /// Once, however late: the release of the key may still wait to be read.
  private func repeatKey() {
    var last: KeyEvent?
    while let key = keyRepeat?.pass(loop.clock.now) { last = key }
    if let last { deliver(last) }
  }

  private func pass(_ time: MonotonicTime) {
    while let key = keyRepeat?.pass(time) { deliver(key) }
  }

  private func showLEDs() { if let keyboard { onLEDs?(keyboard.leds) } }
}
