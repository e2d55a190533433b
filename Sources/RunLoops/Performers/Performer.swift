import LinuxSystem

/// Work that waits for its turn on a loop. It is performed, or refused with an error: one of the two, once.
final class Performer: Sendable {
  /// Called with nil it does the work; with an error it tells who waits for it.
  typealias Body = @Sendable (PerformError?) -> Void

  let modes: [FrameLoop.Mode]
  let order: Int
  private weak let target: (any AnyObject & Sendable)?
  private let key: (any Hashable & Sendable)?
  private let body: Lock<Body?>

  init(
    modes: [FrameLoop.Mode], order: Int = 0, target: (any AnyObject & Sendable)? = nil,
    key: (any Hashable & Sendable)? = nil, body: @escaping Body
  ) {
    self.modes = modes
    self.order = order
    self.target = target
    self.key = key
    self.body = Lock(body)
  }

  deinit {
    // Nobody can perform it any more: the loop went.
    refuse(.cancelled)
  }

  func perform() { takeBody()?(nil) }
  func refuse(_ error: PerformError) { takeBody()?(error) }

  private func takeBody() -> Body? {
    body.withLock { body in
      defer { body = nil }
      return body
    }
  }

  func isMeant(for target: AnyObject) -> Bool { self.target === target }

  func isMeant(for target: AnyObject?, key: some Hashable) -> Bool {
    guard let own = self.key, AnyHashable(own) == AnyHashable(key) else { return false }
    return target.map(isMeant(for:)) ?? true
  }
}
