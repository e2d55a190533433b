public import LinuxSystem

/// A transaction collects changes of layers: it says whether and how they animate, and what is called when these animations
/// have ended.
///
/// ```swift
/// Transaction.begin()
/// Transaction.animationDuration = .seconds(1)
/// Transaction.setCompletion { print("arrived") }
/// card.position = Point(200, 100)
/// Transaction.commit()
/// ```
///
/// Every turn of the loop has an implicit transaction, which ends with the turn's commit. `begin()` starts another one
/// inside the current one with the same settings; `commit()` ends it and restores the outer settings. It does not delay the
/// changes: those of a whole turn are committed together.
@MainActor
public enum Transaction {
  private struct Level {
    var disablesActions = false
    var animationDuration = Nanoseconds.milliseconds(250)
    var timingFunction: TimingFunction?
    /// The completion group of this level, or of an outer one.
    var group: CompletionGroup?
    var ownsGroup = false
    /// The place of the call of `begin()`.
    var place: (fileID: StaticString, line: UInt)?
  }

  private static var current = Level()
  private static var outer: [Level] = []

  /// True to show changes at once instead of animating them. False at first.
  public static var disablesActions: Bool {
    get { current.disablesActions }
    set { current.disablesActions = newValue }
  }

  /// The duration of animations without their own; 0.25 s at first.
  public static var animationDuration: Nanoseconds {
    get { current.animationDuration }
    set { current.animationDuration = newValue }
  }

  /// The timing function of animations without their own; nil at first.
  public static var animationTimingFunction: TimingFunction? {
    get { current.timingFunction }
    set { current.timingFunction = newValue }
  }

  /// Calls `completion` when all animations that begin from now on in this transaction, and in transactions inside it, have
  /// ended or are removed. It is called by the commit that finds them ended. Without any animation it is called at the end
  /// of the transaction.
  ///
  /// Animations of layers without a context do not count. After a second call, the first completion keeps the animations
  /// that began before it.
  public static func setCompletion(_ completion: @escaping @MainActor () -> Void) {
    closeGroup()
    current.group = CompletionGroup(parent: outer.last?.group, completion)
    current.ownsGroup = true
  }

  /// Starts a transaction inside the current one. A debug build names the place of the call if the transaction is still open at
  /// the end of a turn.
  public static func begin(fileID: StaticString = #fileID, line: UInt = #line) {
    outer.append(current)
    current.ownsGroup = false
    current.place = (fileID, line)
  }

  /// Ends the transaction of the last `begin()`. Calling it without a `begin()` traps.
  public static func commit() {
    precondition(!outer.isEmpty, "Transaction.commit() without Transaction.begin()")
    let ended = current
    if let level = outer.popLast() { current = level }
    // This comes last, so that changes made by a completion belong to the outer transaction.
    if ended.ownsGroup { ended.group?.leave() }
  }

  /// Runs `body` in a transaction whose changes are shown at once.
  public static func withoutActions<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    begin()
    defer { commit() }
    current.disablesActions = true
    return try body()
  }

  /// Ends the turn's implicit transaction. The engine calls it once in each turn, after its commit. Completions without
  /// animations are called, and their changes belong to the next commit. A transaction that was begun and not committed
  /// stays open, and so do the outer ones.
  package static func endTurn() {
    #if DEBUG
      if let place = current.place {
        DebugHint.give(
          "the Transaction.begin() at \(place.fileID):\(place.line) has no commit() at the end of the turn: "
            + "its settings go on for all later changes",
          kind: "transaction at \(place)")
      }
    #endif
    guard outer.isEmpty else { return }
    let ended = current
    current = Level()
    if ended.ownsGroup { ended.group?.leave() }
  }

  /// The completion group for an animation that begins now.
  static var group: CompletionGroup? { current.group }

  private static func closeGroup() {
    guard current.ownsGroup else { return }
    current.ownsGroup = false
    current.group?.leave()
  }
}

/// Counts the conditions of a completion: its transaction, the animations that began in it, and the groups inside it.
@MainActor
final class CompletionGroup {
  private var waitingFor = 1
  private let parent: CompletionGroup?
  private let completion: @MainActor () -> Void

  init(parent: CompletionGroup?, _ completion: @escaping @MainActor () -> Void) {
    self.parent = parent
    self.completion = completion
    parent?.enter()
  }

  func enter() { waitingFor += 1 }

  func leave() {
    waitingFor -= 1
    guard waitingFor == 0 else { return }
    completion()
    parent?.leave()
  }
}
