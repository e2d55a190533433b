import RunLoops

/// A kind of loop that is compared.
struct LoopKind: Sendable {
  let name: String
  /// The calling thread's loop.
  let current: @Sendable () -> any LoopUnderTest

  static let coreFoundation = LoopKind(name: "CFRunLoop") { CoreFoundationUnderTest.current() }
  static let frameLoop = LoopKind(name: "FrameLoop") { FrameLoopUnderTest.current() }
  static let frameLoopOnManualTime = LoopKind(name: "FrameLoop on manual time") { FrameLoopUnderTest.onManualTime() }
}

/// The functions of a run loop that the scenarios use, for both `FrameLoop` and CFRunLoop. Modes are names; "default" and
/// "common" stand for the loop's own. Times are milliseconds since the loop was made.
protocol LoopUnderTest: AnyObject, Sendable {
  func observer(
    _ activities: FrameLoop.Activity, order: Int, repeats: Bool, _ body: @escaping @Sendable (FrameLoop.Activity) -> Void
  ) -> any ItemUnderTest
  /// - Parameter report: is called with "+mode" and "-mode" when the source is added and removed.
  func source(
    order: Int, report: (@Sendable (String) -> Void)?, _ body: @escaping @Sendable () -> Void
  ) -> any SourceUnderTest
  /// Makes an event descriptor, and a source that waits for it.
  ///
  /// - Parameter consumes: true if the source reads the descriptor. `FrameLoop` never reads it and CFRunLoop always does, so
  ///   this makes both behave alike.
  func descriptor(consumes: Bool, _ body: @escaping @Sendable () -> Void) -> any DescriptorUnderTest
  func timer(
    at time: Double, every interval: Double, tolerance: Double, _ body: @escaping @Sendable () -> Void
  ) -> any TimerUnderTest

  func add(_ item: any ItemUnderTest, to mode: String)
  func remove(_ item: any ItemUnderTest, from mode: String)
  func contains(_ item: any ItemUnderTest, in mode: String) -> Bool
  func addCommonMode(_ mode: String)

  func perform(in modes: [String], _ block: @escaping @Sendable () -> Void)
  func run()
  func run(in mode: String, for milliseconds: Double, returnAfterSourceHandled: Bool) -> FrameLoop.RunResult
  func stop()
  func wakeUp()

  var now: Double { get }
  /// A time in the past, for timers that are called in the order in which they get this time.
  var overdue: Double { get }
  var isWaiting: Bool { get }
  var currentMode: String? { get }
  func nextFireTime(in mode: String) -> Double?
}

protocol ItemUnderTest: AnyObject, Sendable {
  var isValid: Bool { get }
  func invalidate()
}

protocol SourceUnderTest: ItemUnderTest {
  func signal()
}

protocol DescriptorUnderTest: ItemUnderTest {
  func post()
}

protocol TimerUnderTest: ItemUnderTest {
  var nextFireTime: Double { get set }
}
