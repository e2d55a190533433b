import CoreFoundation
import LoopTestSupport
import RunLoops

/// The CFRunLoop of libFoundation.
///
/// Safe to share although unchecked: all CFRunLoop functions used here may be called from any thread, and the two constants
/// never change.
final class CoreFoundationUnderTest: LoopUnderTest, @unchecked Sendable {
  private let loop: CFRunLoop
  private let start = CFAbsoluteTimeGetCurrent()

  private init(_ loop: CFRunLoop) {
    self.loop = loop
  }

  static func current() -> CoreFoundationUnderTest { CoreFoundationUnderTest(CFRunLoopGetCurrent()) }

  // MARK: Items

  func observer(
    _ activities: FrameLoop.Activity, order: Int, repeats: Bool, _ body: @escaping @Sendable (FrameLoop.Activity) -> Void
  ) -> any ItemUnderTest {
    ObserverItem(activities, order: order, repeats: repeats, body)
  }

  func source(
    order: Int, report: (@Sendable (String) -> Void)?, _ body: @escaping @Sendable () -> Void
  ) -> any SourceUnderTest {
    SourceItem(order: order, report: report, body)
  }

  func descriptor(consumes: Bool, _ body: @escaping @Sendable () -> Void) -> any DescriptorUnderTest {
    DescriptorItem(body)
  }

  func timer(
    at time: Double, every interval: Double, tolerance: Double, _ body: @escaping @Sendable () -> Void
  ) -> any TimerUnderTest {
    TimerItem(start: start, at: time, every: interval, tolerance: tolerance, body)
  }

  func add(_ item: any ItemUnderTest, to mode: String) {
    switch item {
    case let item as ObserverItem: CFRunLoopAddObserver(loop, item.observer, named(mode))
    case let item as AnySource: CFRunLoopAddSource(loop, item.source, named(mode))
    case let item as TimerItem: CFRunLoopAddTimer(loop, item.timer, named(mode))
    default: break
    }
  }

  func remove(_ item: any ItemUnderTest, from mode: String) {
    switch item {
    case let item as ObserverItem: CFRunLoopRemoveObserver(loop, item.observer, named(mode))
    case let item as AnySource: CFRunLoopRemoveSource(loop, item.source, named(mode))
    case let item as TimerItem: CFRunLoopRemoveTimer(loop, item.timer, named(mode))
    default: break
    }
  }

  func contains(_ item: any ItemUnderTest, in mode: String) -> Bool {
    switch item {
    case let item as ObserverItem: CFRunLoopContainsObserver(loop, item.observer, named(mode))
    case let item as AnySource: CFRunLoopContainsSource(loop, item.source, named(mode))
    case let item as TimerItem: CFRunLoopContainsTimer(loop, item.timer, named(mode))
    default: false
    }
  }

  func addCommonMode(_ mode: String) { CFRunLoopAddCommonMode(loop, named(mode)) }

  // MARK: Runs

  func perform(in modes: [String], _ block: @escaping @Sendable () -> Void) {
    if modes.count == 1 { return CFRunLoopPerformBlock(loop, named(modes[0]), block) }
    var callbacks = kCFTypeArrayCallBacks
    let names = CFArrayCreateMutable(kCFAllocatorSystemDefault, modes.count, &callbacks)
    for mode in modes {
      let name = named(mode)
      withExtendedLifetime(name) { CFArrayAppendValue(names, Unmanaged.passUnretained(name).toOpaque()) }
    }
    CFRunLoopPerformBlock(loop, names, block)
  }

  func run() { CFRunLoopRun() }

  func run(in mode: String, for milliseconds: Double, returnAfterSourceHandled: Bool) -> FrameLoop.RunResult {
    switch CFRunLoopRunInMode(named(mode), milliseconds / 1_000, returnAfterSourceHandled) {
    case .stopped: .stopped
    case .timedOut: .timedOut
    case .handledSource: .handledSource
    default: .finished
    }
  }

  func stop() { CFRunLoopStop(loop) }
  func wakeUp() { CFRunLoopWakeUp(loop) }

  var now: Double { (CFAbsoluteTimeGetCurrent() - start) * 1_000 }
  // CoreFoundation treats any past time as the time at which it is given.
  var overdue: Double { -1_000 }
  var isWaiting: Bool { CFRunLoopIsWaiting(loop) }
  var currentMode: String? { CFRunLoopCopyCurrentMode(loop).map(name) }
  func nextFireTime(in mode: String) -> Double? {
    let date = CFRunLoopGetNextTimerFireDate(loop, named(mode))
    return date == 0 ? nil : (date - start) * 1_000
  }
}

// MARK: - Modes

private func named(_ mode: String) -> CFString {
  switch mode {
  case "default": kCFRunLoopDefaultMode
  case "common": kCFRunLoopCommonModes
  default: mode.withCString { CFStringCreateWithCString(nil, $0, CFStringBuiltInEncodings.UTF8.rawValue) }
  }
}

private func name(_ mode: CFString) -> String {
  if CFEqual(mode, kCFRunLoopDefaultMode) { return "default" }
  return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
    guard CFStringGetCString(mode, buffer.baseAddress, 64, CFStringBuiltInEncodings.UTF8.rawValue),
      let text = buffer.baseAddress
    else { return "?" }
    return String(cString: text)
  }
}

// MARK: - Items

// CoreFoundation gets an unretained pointer to the item as its `info`: the stage keeps all items until its end.
// Safe to share although unchecked: the initialiser makes the CoreFoundation objects, which any thread may use.

private final class ObserverItem: ItemUnderTest, @unchecked Sendable {
  private(set) var observer: CFRunLoopObserver!
  private let body: @Sendable (FrameLoop.Activity) -> Void

  init(
    _ activities: FrameLoop.Activity, order: Int, repeats: Bool, _ body: @escaping @Sendable (FrameLoop.Activity) -> Void
  ) {
    self.body = body
    var context = CFRunLoopObserverContext()
    context.info = Unmanaged.passUnretained(self).toOpaque()
    observer = CFRunLoopObserverCreate(
      nil, CFOptionFlags(activities.rawValue), repeats, order,
      { _, activity, info in
        info.map { Unmanaged<ObserverItem>.fromOpaque($0).takeUnretainedValue() }?
          .body(FrameLoop.Activity(rawValue: UInt32(activity.rawValue)))
      }, &context)
  }

  var isValid: Bool { CFRunLoopObserverIsValid(observer) }
  func invalidate() { CFRunLoopObserverInvalidate(observer) }
}

/// The common part of signalled sources and descriptors.
private class AnySource: ItemUnderTest, @unchecked Sendable {
  fileprivate(set) var source: CFRunLoopSource!
  fileprivate let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  var isValid: Bool { CFRunLoopSourceIsValid(source) }
  func invalidate() { CFRunLoopSourceInvalidate(source) }

  static func of(_ info: UnsafeMutableRawPointer?) -> Self? {
    info.map { Unmanaged<Self>.fromOpaque($0).takeUnretainedValue() }
  }
}

private final class SourceItem: AnySource, SourceUnderTest, @unchecked Sendable {
  private let report: (@Sendable (String) -> Void)?

  init(order: Int, report: (@Sendable (String) -> Void)?, _ body: @escaping @Sendable () -> Void) {
    self.report = report
    super.init(body)
    var context = CFRunLoopSourceContext()
    context.info = Unmanaged.passUnretained(self).toOpaque()
    context.schedule = { info, _, mode in SourceItem.of(info)?.report?("+\(mode.map(name) ?? "?")") }
    context.cancel = { info, _, mode in SourceItem.of(info)?.report?("-\(mode.map(name) ?? "?")") }
    context.perform = { info in SourceItem.of(info)?.body() }
    source = CFRunLoopSourceCreate(nil, order, &context)
  }

  func signal() { CFRunLoopSourceSignal(source) }
}

private final class DescriptorItem: AnySource, DescriptorUnderTest, @unchecked Sendable {
  private let event = Event()

  override init(_ body: @escaping @Sendable () -> Void) {
    super.init(body)
    var context = CFRunLoopSourceContext1()
    context.version = 1
    context.info = Unmanaged.passUnretained(self).toOpaque()
    context.getPort = { info in DescriptorItem.of(info)?.event.number ?? -1 }
    context.perform = { info in DescriptorItem.of(info)?.body() }
    source = withUnsafeMutablePointer(to: &context) { context in
      // Both structures begin alike; the version tells them apart.
      context.withMemoryRebound(to: CFRunLoopSourceContext.self, capacity: 1) { CFRunLoopSourceCreate(nil, 0, $0) }
    }
  }

  func post() { event.post() }
}

private final class TimerItem: TimerUnderTest, @unchecked Sendable {
  private(set) var timer: CFRunLoopTimer!
  private let start: CFAbsoluteTime
  private let body: @Sendable () -> Void

  init(
    start: CFAbsoluteTime, at time: Double, every interval: Double, tolerance: Double, _ body: @escaping @Sendable () -> Void
  ) {
    self.start = start
    self.body = body
    var context = CFRunLoopTimerContext()
    context.info = Unmanaged.passUnretained(self).toOpaque()
    timer = CFRunLoopTimerCreate(
      nil, start + time / 1_000, interval / 1_000, 0, 0,
      { _, info in info.map { Unmanaged<TimerItem>.fromOpaque($0).takeUnretainedValue() }?.body() }, &context)
    CFRunLoopTimerSetTolerance(timer, tolerance / 1_000)
  }

  var isValid: Bool { CFRunLoopTimerIsValid(timer) }
  func invalidate() { CFRunLoopTimerInvalidate(timer) }
  var nextFireTime: Double {
    get { (CFRunLoopTimerGetNextFireDate(timer) - start) * 1_000 }
    set { CFRunLoopTimerSetNextFireDate(timer, start + newValue / 1_000) }
  }
}
