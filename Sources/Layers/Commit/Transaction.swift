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
/// changes: those of a whole turn are committed together. There is one stack of transactions, that of the main actor, and so no lock.
@MainActor
public enum Transaction {
  private struct Level {
    var disablesActions = false
    var animationDuration = Nanoseconds.milliseconds(250)
    var timingFunction: TimingFunction?
    var spring: Spring?
    var values: [String: any Sendable] = [:]
    /// The completion group of this level.
    var ownGroup: CompletionGroup?
    /// The completion group of the nearest level around it that has one.
    var outerGroup: CompletionGroup?
    /// The place of the call of `begin()`.
    var place: (fileID: StaticString, line: UInt)?
  }

  private static var current = Level()
  private static var outer: [Level] = []
  /// The completions without animations, which the end of the turn calls.
  private static var due: [CompletionGroup] = []
  /// Layers that got animations while they were in no tree.
  private static var animatedOutside: [Layer] = []
  private static var hosts: [Host] = []

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

  /// The spring by which changes move the values of layers, instead of duration and timing function; nil at first. One that
  /// interrupts another movement goes on with its velocity, see `SpringAnimation.keepsVelocity`.
  public static var animationSpring: Spring? {
    get { current.spring }
    set { current.spring = newValue }
  }

  /// A setting of the application's own, which goes with the transaction as the others do. See ``TransactionKey``.
  public static subscript<Value>(key: TransactionKey<Value>) -> Value {
    get { current.values[key.name] as? Value ?? key.defaultValue }
    set { current.values[key.name] = newValue }
  }

  /// Calls `completion` when all animations that begin from now on in this transaction, and in transactions inside it, have
  /// ended or are removed. It is called by the commit that finds them ended, before their own completions. Without any animation
  /// it is called at the end of the turn in which the transaction ends, after the commit.
  ///
  /// Animations of layers without a context do not count. After a second call, the first completion keeps the animations
  /// that began before it.
  public static func setCompletion(_ completion: @escaping @MainActor () -> Void) {
    endGroup(of: current)
    current.ownGroup = CompletionGroup(parent: current.outerGroup, completion)
  }

  /// Runs changes that nobody's transaction has asked for: none of its settings holds for them, and no completion waits for them.
  static func apart(_ body: () -> Void) {
    let level = current
    current = Level()
    body()
    endGroup(of: current)
    current = level
  }

  /// Starts a transaction inside the current one. A debug build names the place of the call if the transaction is still open at
  /// the end of a turn.
  public static func begin(fileID: StaticString = #fileID, line: UInt = #line) {
    outer.append(current)
    (current.ownGroup, current.outerGroup) = (nil, group)
    current.place = (fileID, line)
  }

  /// Ends the transaction of the last `begin()`. Without one it does nothing, and a debug build names the place of the call.
  public static func commit(fileID: StaticString = #fileID, line: UInt = #line) {
    guard let level = outer.popLast() else {
      #if DEBUG
        DebugHint.give("the Transaction.commit() at \(fileID):\(line) has no begin()", kind: "commit at \(fileID):\(line)")
      #endif
      return
    }
    let ended = current
    current = level
    endGroup(of: ended)
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

  /// Ends the turn's implicit transaction now: every engine commits its layers. For code that computes for long before the turn
  /// ends. It does nothing while a transaction of `begin()` is open, or in a commit.
  public static func flush() {
    guard outer.isEmpty else { return }
    for host in hosts { host.value?.commitNow() }
  }

  /// The completion group for an animation that begins now.
  static var group: CompletionGroup? { current.ownGroup ?? current.outerGroup }

  private static func endGroup(of level: Level) {
    guard let group = level.ownGroup, group.leave() else { return }
    due.append(group)
    for host in hosts { host.value?.needsCommit() }
  }
}

/// The name and the type of a setting of the application's own, which is handed on with a ``Transaction``.
///
/// ```swift
/// extension TransactionKey where Value == Bool {
///   static var isUserInitiated: Self { Self("isUserInitiated", default: false) }
/// }
///
/// Transaction[.isUserInitiated] = true
/// ```
public struct TransactionKey<Value: Sendable>: Sendable {
  let name: String
  let defaultValue: Value

  /// - Parameters:
  ///   - name: different from the names of other keys.
  ///   - value: the value in a transaction in which none was set, nor in one around it.
  public init(_ name: String, default value: Value) {
    self.name = name
    defaultValue = value
  }
}

// MARK: - The end of a turn

/// Commits the layers at the end of each turn: an engine.
@MainActor
package protocol TransactionHost: AnyObject {
  /// Commits the layers, unless they are being committed.
  func commitNow()
  /// Something changed that the end of the turn must handle.
  func needsCommit()
}

extension Transaction {
  private struct Host {
    weak var value: (any TransactionHost)?
  }

  /// Adds a host, which commits layers as long as it exists.
  package static func add(_ host: any TransactionHost) {
    hosts.removeAll { $0.value == nil }
    hosts.append(Host(value: host))
  }

  /// True if completions wait for the end of a turn.
  package static var hasDueCompletions: Bool { !due.isEmpty }

  /// A layer without a context got an animation. It has until the end of the turn to come into a tree.
  static func animatesOutside(_ layer: Layer) { animatedOutside.append(layer) }

  /// Ends the turn's implicit transaction. An engine calls it once in each turn, after its commit; code that commits a
  /// ``LayerContext`` without an engine must do the same. Completions without animations are called, and their changes belong to the
  /// next commit. Animations of layers that came into no tree end. A transaction that was begun and not committed stays open, and
  /// so do the outer ones.
  public static func endTurn() {
    #if DEBUG
      if let place = current.place {
        DebugHint.give(
          "the Transaction.begin() at \(place.fileID):\(place.line) has no commit() at the end of the turn: "
            + "its settings go on for all later changes",
          kind: "transaction at \(place)")
      }
    #endif
    if outer.isEmpty {
      let ended = current
      current = Level()
      endGroup(of: ended)
    }
    let layers = animatedOutside
    animatedOutside.removeAll()
    for layer in layers where layer.context == nil { layer.endAnimationsOutside() }
    let groups = due
    due.removeAll()
    for group in groups { group.complete() }
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

  /// - Returns: true if it waits for nothing any more: `complete()` is to be called.
  func leave() -> Bool {
    waitingFor -= 1
    return waitingFor == 0
  }

  func complete() {
    completion()
    if let parent, parent.leave() { parent.complete() }
  }
}
