extension FrameLoop {
  /// A stack of modes: the loop runs in the top one.
  ///
  /// Use it where an activity takes the loop over for a while, such as the tracking of a finger. Pushing a mode ends the
  /// innermost run after its pass, and whoever runs the loop begins the next run in the new top. So no run is nested in
  /// a callback, and observers and the main queue are served on.
  ///
  ///     while !isFinished { loop.run(mode: modes.top) }
  ///
  ///     let tracking = modes.push(.tracking)  // a finger touches the list
  ///     tracking.pop()                        // it is lifted
  ///
  /// A stack is used on its loop's thread.
  public final class ModeStack {
    /// A mode that was pushed. Pop it once; popping it again does nothing.
    public final class Entry {
      public let mode: Mode
      private weak let stack: ModeStack?

      fileprivate init(_ mode: Mode, _ stack: ModeStack) {
        self.mode = mode
        self.stack = stack
      }

      /// Takes the mode off the stack, also from under others.
      public func pop() { stack?.change { entries in entries.removeAll { $0 === self } } }
    }

    private let loop: FrameLoop
    private let base: Mode
    private var entries: [Entry] = []

    /// - Parameter base: the mode while nothing is pushed.
    public init(of loop: FrameLoop, base: Mode = .default) {
      self.loop = loop
      self.base = base
    }

    /// The mode to run in.
    public var top: Mode { entries.last?.mode ?? base }

    /// Puts a mode on top until its entry is popped.
    public func push(_ mode: Mode) -> Entry {
      let entry = Entry(mode, self)
      change { $0.append(entry) }
      return entry
    }

    private func change(_ body: (inout [Entry]) -> Void) {
      let before = top
      body(&entries)
      if top != before { loop.stop() }
    }
  }
}
