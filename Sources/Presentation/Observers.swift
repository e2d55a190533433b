/// All who follow one subject, such as the frames of an output or the state of a display.
///
/// A type that conforms to `Display` makes one and notifies it; whoever wants to listen calls `observe` on the display or the
/// output. Notifying allocates nothing.
@MainActor
public final class Observers<Event> {
  private var observers: [Observer<Event>] = []

  public init() {}

  /// Adds an observer, which is called after those that were added before it.
  ///
  /// - Returns: the token: the observer listens until it is let go of or invalidated.
  public func add(_ handler: @escaping @MainActor (Event) -> Void) -> Observation {
    observers.removeAll { $0.handler == nil }
    let observer = Observer(handler)
    observers.append(observer)
    return Observation(observer)
  }

  /// Calls every observer. One that is added meanwhile is called from the next event on.
  ///
  /// - Returns: true if anybody listened.
  @discardableResult
  public func notify(_ event: Event) -> Bool {
    var isHeard = false
    for observer in observers {
      guard let handler = observer.handler else { continue }
      handler(event)
      isHeard = true
    }
    return isHeard
  }

  /// Ends all observations: the subject is invalidated.
  public func removeAll() {
    for observer in observers { observer.end() }
    observers.removeAll()
  }
}

/// The token of an observer: who lets go of it, or invalidates it, is not called any more.
///
/// ```swift
/// let seen = output.observe { event in
///   if case .presented(let frame) = event { frames.append(frame) }
/// }
/// ```
@MainActor
public final class Observation {
  private let listener: any Listener
  private var isKept = false

  fileprivate init(_ listener: any Listener) { self.listener = listener }

  /// Ends the observation. Its handler is released and not called again, not even for the event that is being passed on.
  public func invalidate() { listener.end() }

  /// Lets the observer listen as long as its subject exists, without anybody holding the token.
  public func keep() { isKept = true }

  isolated deinit {
    if !isKept { listener.end() }
  }
}

@MainActor
private protocol Listener: AnyObject {
  func end()
}

@MainActor
private final class Observer<Event>: Listener {
  private(set) var handler: (@MainActor (Event) -> Void)?

  init(_ handler: @escaping @MainActor (Event) -> Void) { self.handler = handler }

  func end() { handler = nil }
}
