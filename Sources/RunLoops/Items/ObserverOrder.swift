import RunLoops

/// The orders of the engine's observers of `beforeWaiting` and `exit`: what happens at the end of every turn, and when.
///
/// Lower orders run first. An application's own observer finds its place by these: below `commit` its changes are part of
/// this turn's frame, above it they wait for the next turn.
public enum ObserverOrder {
  /// Finished bitmaps of asynchronous drawings become contents.
  public static let publish = 999_999
  /// Last changes before the commit, such as an application's own layout.
  public static let preCommit = 1_000_000
  /// Layout, drawing, the new render tree, and the render pass of every output that may render now.
  ///
  /// The number is Core Animation's.
  public static let commit = 2_000_000
  /// Looking at what was committed; changes made here wake the loop for another turn.
  public static let afterCommit = 2_001_000
  /// Where `Engine.frameMemory` begins anew, at a run's entry.
  public static let frameMemoryPush = FrameLoop.FrameMemory.pushOrder
  /// Where it is drained, after everything else in a turn.
  public static let frameMemoryDrain = FrameLoop.FrameMemory.drainOrder
}
