/// The order of observers within an activity: what happens at the beginning and the end of a turn, and when.
///
/// Lower orders are called first. Place your own observer by this table: a change made below `commit` is part of this turn's
/// frame, a change made above it waits for the next turn.
///
///     loop.add(FrameLoop.Observer(.beforeWaiting, order: ObserverOrder.preCommit, .onMain { _, _ in layOut() }), to: .common)
///
/// The numbers of `poolPush`, `commit`, `afterCommit` and `poolDrain` are Core Animation's and UIKit's.
public enum ObserverOrder {
  /// First of all: the turn's clock starts. For `entry` and `afterWaiting`.
  public static let turnBegin = Int.min
  /// Memory that lives for one turn begins a level, at a run's entry.
  public static let poolPush = -2_147_483_647
  /// Gesture recognisers deliver what they found in this turn's events.
  public static let gestures = 0
  /// Finished bitmaps of asynchronous drawings become contents.
  public static let publish = 999_999
  /// Last changes before the commit, such as an application's own layout.
  public static let preCommit = 1_000_000
  /// Layout, drawing, the new render tree, and the render pass of every output that may render now.
  public static let commit = 2_000_000
  /// Looks at what was committed. Changes made here wake the loop for another turn.
  public static let afterCommit = 2_001_000
  /// Memory that lives for one turn is given back.
  public static let poolDrain = 2_147_483_647
  /// Last of all: the loop is about to sleep, or its run to end.
  public static let turnEnd = Int.max
}
