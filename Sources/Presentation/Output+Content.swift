public import LinuxSystem
public import RenderTree

extension Output {
  /// The source of an output's pictures. Closures, so that nothing below the render tree knows of layers.
  public struct Content {
    /// Returns the newest tree, with animations evaluated for the given time.
    public var tree: @MainActor (_ time: MonotonicTime) -> TreeSnapshot
    /// Returns true while the tree changes by itself with time.
    public var isAnimating: @MainActor () -> Bool
    /// Returns how often the tree is to be shown while it only changes by itself.
    public var frameRateRange: @MainActor () -> FrameRateRange

    public init(
      tree: @escaping @MainActor (_ time: MonotonicTime) -> TreeSnapshot, isAnimating: @escaping @MainActor () -> Bool,
      frameRateRange: @escaping @MainActor () -> FrameRateRange = { .default }
    ) {
      self.tree = tree
      self.isAnimating = isAnimating
      self.frameRateRange = frameRateRange
    }
  }
}
