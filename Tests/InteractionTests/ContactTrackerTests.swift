import Geometry
import Input
import Interaction
import LinuxSystem
import Testing

@Suite struct ContactTrackerTests {
  static let screens = [
    InputScreen(name: "A", frame: Rect(x: 0, y: 0, width: 400, height: 300)),
    InputScreen(
      name: "B", frame: Rect(x: 400, y: 0, width: 300, height: 400), quarterTurns: 1,
      panelSize: Size(width: 101, height: 50)),
  ]

  /// Whatever devices send, each contact begins once, ends once and moves in between, and ends with its device.
  @Test(arguments: 0..<100) func eachContactBeginsAndEndsOnce(seed: UInt64) {
    var devices = RandomDevices(seed: seed)
    var tracker = ContactTracker(screens: Self.screens)
    var open: [Contact.ID: Contact] = [:]
    var seen: Set<Contact.ID> = []
    var keysDown: Set<InputDevice.ID> = []
    func check(_ event: ScreenEvent) {
      switch event.action {
      case .contact(let contact, _, _):
        #expect(contact.location.x.isFinite && contact.location.y.isFinite, "seed \(seed)")
        switch contact.phase {
        case .began:
          #expect(seen.insert(contact.id).inserted, "seed \(seed)")
          open[contact.id] = contact
        case .moved:
          #expect(open[contact.id] != nil, "seed \(seed)")
          open[contact.id] = contact
        case .ended, .cancelled:
          // A finger that is lifted is where it was last.
          #expect(open.removeValue(forKey: contact.id)?.location == contact.location, "seed \(seed)")
        }
      case .hover(let point), .scroll(_, let point), .gesture(_, let point):
        #expect(point.x.isFinite && point.y.isFinite, "seed \(seed)")
      case .key(_, let isDown): if isDown { keysDown.insert(event.device) }
      case .keysReleased: #expect(keysDown.remove(event.device) != nil, "seed \(seed)")
      case .hoverEnded, .modifiers, .keyboardChanged: break
      }
    }
    for _ in 0..<600 {
      tracker.handle(devices.next(), check)
      #expect(tracker.contactCount == open.count, "seed \(seed)")
    }
    for event in devices.end() { tracker.handle(event, check) }
    #expect(open.isEmpty && tracker.contactCount == 0, "seed \(seed)")
    #expect(keysDown.isEmpty, "seed \(seed)")
  }

  /// A pointer that is over another program's window hovers over nothing, and comes back where it is then.
  @Test func aPointerThatLeftHoversOverNothing() {
    let device = InputDevice(id: InputDevice.ID(rawValue: 1), name: "pointer", abilities: .pointer)
    let actions = events([.position(Point(0.5, 0.5)), .left, .left, .position(Point(0, 0))], of: device).map(\.action)
    #expect(actions == [.hover(Point(200, 150)), .hoverEnded, .hover(Point(0, 0))])
  }

  private func events(_ actions: [InputEvent.Action], of device: InputDevice) -> [ScreenEvent] {
    var tracker = ContactTracker(screens: Self.screens)
    var events: [ScreenEvent] = []
    for (index, action) in ([.added(device)] + actions).enumerated() {
      let time = MonotonicTime(nanoseconds: Int64(index))
      tracker.handle(InputEvent(time: time, device: device.id, action: action)) { events.append($0) }
    }
    return events
  }

  /// A finger that comes twice is cancelled in between, and one that was never there is not lifted.
  @Test func aFingerThatComesTwiceIsCancelled() {
    let device = InputDevice(id: InputDevice.ID(rawValue: 1), name: "", abilities: .touch)
    let found = events(
      [
        .touch(finger: 3, .up), .touch(finger: 3, .down(Point(0.5, 0.5))), .touch(finger: 3, .down(Point(0.25, 0.5))),
        .touch(finger: 4, .moved(Point(0, 0))), .touch(finger: 3, .up), .touch(finger: 3, .up),
      ], of: device)
    let phases = found.compactMap { event in
      if case .contact(let contact, _, _) = event.action { "\(contact.id.rawValue) \(contact.phase)" } else { nil }
    }
    #expect(phases == ["1 began", "1 cancelled", "2 began", "2 ended"])
  }

  /// Scrolling and gestures of a touchpad end with it.
  @Test func aTouchpadThatGoesEndsItsScrolling() {
    let device = InputDevice(id: InputDevice.ID(rawValue: 1), name: "", abilities: [.pointer, .gestures])
    let found = events(
      [
        .motion(Point(1, 1)), .scroll(.fingers(Point(0, 5))), .gesture(.began(.pinch, fingers: 2)), .removed,
      ], of: device)
    let place = Point(201, 151)
    #expect(
      found.map(\.action) == [
        .hover(place), .scroll(.fingers(Point(0, 5)), at: place), .gesture(.began(.pinch, fingers: 2), at: place),
        .scroll(.fingersEnded, at: place), .gesture(.cancelled, at: place), .hoverEnded,
      ])
  }

  /// A wheel that turns before the pointer was moved, and a gesture, are in the middle of the first screen, as a press is.
  @Test func aPointerThatWasNeverMovedIsInTheMiddle() {
    let device = InputDevice(id: InputDevice.ID(rawValue: 1), name: "", abilities: [.pointer, .gestures])
    let middle = Point(200, 150)
    let (wheel, fingers) = (InputEvent.Scroll.wheel(Point(0, 1)), InputEvent.Scroll.fingers(Point(0, 2)))
    #expect(events([.scroll(wheel)], of: device).map(\.action) == [.scroll(wheel, at: middle)])
    #expect(
      events([.scroll(fingers), .motion(Point(1, 1)), .removed], of: device).map(\.action) == [
        .scroll(fingers, at: middle), .hover(Point(201, 151)), .scroll(.fingersEnded, at: Point(201, 151)), .hoverEnded,
      ])
    #expect(
      events([.gesture(.began(.swipe, fingers: 3)), .gesture(.ended)], of: device).map(\.action) == [
        .gesture(.began(.swipe, fingers: 3), at: middle), .gesture(.ended, at: middle),
      ])
  }

  /// A device lies on the screen that udev names, or else on that with a panel of its size, or else on the first.
  @Test(
    arguments: [
      ("B", nil as Size?, 1), (nil, Size(width: 100, height: 51), 1), (nil, Size(width: 120, height: 50), 0), (nil, nil, 0),
      ("C", Size(width: 100, height: 50), 1),
    ] as [(String?, Size?, Int)])
  func aDeviceLiesOnItsScreen(name: String?, size: Size?, screen: Int) {
    let device = InputDevice(
      id: InputDevice.ID(rawValue: 1), name: "", abilities: .touch, size: size, outputName: name)
    let found = events([.touch(finger: 0, .down(Point(0.5, 0.5)))], of: device)
    #expect(found.map(\.screen) == [screen])
  }

  /// The pointer goes from a screen to the next, and stays at the edges of both; one that never moved is not seen.
  @Test func thePointerGoesOverScreens() {
    let mouse = InputDevice(id: InputDevice.ID(rawValue: 1), name: "", abilities: .pointer)
    var tracker = ContactTracker(screens: Self.screens)
    var hovers: [String] = []
    func send(_ action: InputEvent.Action) {
      tracker.handle(InputEvent(time: .zero, device: mouse.id, action: action)) { event in
        if case .hover(let point) = event.action { hovers.append("\(event.screen): \(Int(point.x)) \(Int(point.y))") }
        if case .hoverEnded = event.action { hovers.append("\(event.screen): ended") }
      }
    }
    send(.added(mouse))
    #expect(tracker.pointer == nil)
    send(.motion(.zero))
    #expect(tracker.pointer == nil && !tracker.isPointerVisible)
    send(.motion(Point(10, 0)))
    send(.motion(Point(200, 0)))
    send(.motion(Point(0, 220)))
    send(.motion(Point(-100, 0)))
    send(.motion(Point(0, 1000)))
    #expect(hovers == ["0: 210 150", "0: ended", "1: 10 150", "1: 10 370", "1: 0 370", "1: 0 399"])
    #expect(tracker.isPointerVisible)
    tracker.handle(
      InputEvent(
        time: .zero, device: InputDevice.ID(rawValue: 2),
        action: .added(InputDevice(id: InputDevice.ID(rawValue: 2), name: "", abilities: .touch)))
    ) { _ in }
    tracker.handle(
      InputEvent(time: .zero, device: InputDevice.ID(rawValue: 2), action: .touch(finger: 0, .down(Point(0.5, 0.5))))
    ) { _ in }
    #expect(!tracker.isPointerVisible)
  }
}
