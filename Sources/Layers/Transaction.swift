public import LinuxSystem

/// What changes of layers have in common until they are committed: whether and how they animate by themselves, and what is
/// called when those animations are over.
///
/// Every turn of the loop has one by itself, which the turn's commit ends. Between `begin()` and `commit()` there is a
/// further one inside it, which starts with the settings around it and forgets its own at the end. It does not hold back
/// the changes: those of a whole turn are committed together.
@MainActor
public enum Transaction {
  private struct Level {
    var disablesActions = false
    var animationDuration = Nanoseconds.milliseconds(250)
    var timingFunction: TimingFunction?
    /// Of this level, or of one around it.
    var group: CompletionGroup?
    var ownsGroup = false
  }

  private static var current = Level()
  private static var outer: [Level] = []

  /// Whether changes are seen at once instead of beginning an animation. False at first.
  public static var disablesActions: Bool {
    get { current.disablesActions }
    set { current.disablesActions = newValue }
  }

  /// The length of animations that do not say how long they are: 0.25 s at first.
  public static var animationDuration: Nanoseconds {
    get { current.animationDuration }
    set { current.animationDuration = newValue }
  }

  /// The timing function of animations that do not have one. Nil at first.
  public static var animationTimingFunction: TimingFunction? {
    get { current.timingFunction }
    set { current.timingFunction = newValue }
  }

  /// Has `completion` called when all animations are over or removed that are begun from now on in this transaction and
  /// those inside it: at the commit that finds them over. Without any it is called at the end of the transaction.
  ///
  /// Animations of layers that are in no context do not count. A second call leaves the first with the animations that
  /// were begun before it.
  public static func setCompletion(_ completion: @escaping @MainActor () -> Void) {
    closeGroup()
    current.group = CompletionGroup(parent: outer.last?.group, completion)
    current.ownsGroup = true
  }

  /// Begins a transaction inside the current one.
  public static func begin() {
    outer.append(current)
    current.ownsGroup = false
  }

  /// Ends the transaction that the last `begin()` began. One without the other is a programmer's error.
  public static func commit() {
    precondition(!outer.isEmpty, "Transaction.commit() without Transaction.begin()")
    let ended = current
    if let level = outer.popLast() { current = level }
    // Last, so that changes made by a completion belong to the transaction around this one.
    if ended.ownsGroup { ended.group?.leave() }
  }

  /// Runs `body` in a transaction whose changes are seen at once.
  public static func withoutActions<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    begin()
    defer { commit() }
    current.disablesActions = true
    return try body()
  }

  /// Ends the turn's own transaction; an engine does it once in each turn, after its commit. Completions without animations
  /// are called: what they change is for the next commit. A transaction that was begun and not committed stays, and so does
  /// what is around it.
  public static func endTurn() {
    guard outer.isEmpty else { return }
    let ended = current
    current = Level()
    if ended.ownsGroup { ended.group?.leave() }
  }

  /// Who is to hear of the end of an animation that begins now.
  static var group: CompletionGroup? { current.group }

  private static func closeGroup() {
    guard current.ownsGroup else { return }
    current.ownsGroup = false
    current.group?.leave()
  }
}

/// Counts what a completion waits for: its transaction, the animations begun in it, and the groups inside it.
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
