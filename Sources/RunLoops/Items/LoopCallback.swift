/// The closure of an item, with the loops that may call it.
///
/// Every item of a loop is made with one:
///
///     let tick = FrameLoop.Timer(fireTime: start, interval: .milliseconds(500), .onMain { _ in label.text = "tick" })
///     let save = FrameLoop.Source(.onLoop { _ in store.save() })
///
/// An `onMain` callback is main-actor code. Its item can only be added to loops of the process's main thread; adding it to
/// another loop ends the program. An `onLoop` callback may be called by any loop, on that loop's thread.
public struct LoopCallback<Argument, Detail>: Sendable {
  package let body: @Sendable (Argument, Detail) -> Void
  package let isOnMain: Bool

  package init(body: @escaping @Sendable (Argument, Detail) -> Void, isOnMain: Bool) {
    self.body = body
    self.isOnMain = isOnMain
  }

  /// Main-actor code, for the main thread's loops only.
  public static func onMain(_ body: @escaping @MainActor (Argument, Detail) -> Void) -> Self {
    // Safe: the item can only be added to a loop of the main thread, and every run checks that it is on its loop's thread.
    Self(body: unsafeBitCast(body, to: (@Sendable (Argument, Detail) -> Void).self), isOnMain: true)
  }

  /// Code for any loop. It runs on the thread of the loop that calls it.
  public static func onLoop(_ body: @escaping @Sendable (Argument, Detail) -> Void) -> Self {
    Self(body: body, isOnMain: false)
  }
}

/// Callbacks with one argument, or none.
extension LoopCallback where Detail == Void {
  /// Main-actor code, for the main thread's loops only.
  public static func onMain(_ body: @escaping @MainActor (Argument) -> Void) -> Self {
    // Safe for the same reason.
    let body = unsafeBitCast(body, to: (@Sendable (Argument) -> Void).self)
    return Self(body: { argument, _ in body(argument) }, isOnMain: true)
  }

  /// Code for any loop. It runs on the thread of the loop that calls it.
  public static func onLoop(_ body: @escaping @Sendable (Argument) -> Void) -> Self {
    Self(body: { argument, _ in body(argument) }, isOnMain: false)
  }
}
