import CPeers
import CoreFoundation

/// The CFRunLoop of libFoundation.
final class CoreFoundationLoop: MeasuredLoop {
  /// The state of the callbacks. Only the loop's thread reads and writes it.
  private struct Work {
    let loop: CFRunLoop
    var source: CFRunLoopSource?
    var left = 0
    var body: (() -> Void)?
    var observed = 0
    var start: CFAbsoluteTime = 0
    var interval: CFTimeInterval = 0
    var lateness: UnsafeMutableBufferPointer<Int64>?
  }

  private let loop: CFRunLoop = CFRunLoopGetCurrent()
  private let mode: CFString = kCFRunLoopDefaultMode
  private let work: UnsafeMutablePointer<Work>
  private let source: CFRunLoopSource
  private var observers: [CFRunLoopObserver] = []
  private var timers: [CFRunLoopTimer] = []
  /// CoreFoundation counts seconds of the wall clock.
  private let epoch = CFAbsoluteTimeGetCurrent() - Double(peer_now()) / 1e9

  init() {
    work = .allocate(capacity: 1)
    work.initialize(to: Work(loop: loop))
    var context = CFRunLoopSourceContext()
    context.info = UnsafeMutableRawPointer(work)
    context.perform = { info in
      guard let work = CoreFoundationLoop.work(info) else { return }
      if work.pointee.left > 1 {
        work.pointee.left -= 1
        CFRunLoopSourceSignal(work.pointee.source)
        CFRunLoopWakeUp(work.pointee.loop)
      } else {
        work.pointee.body?()
        CFRunLoopStop(work.pointee.loop)
      }
    }
    source = CFRunLoopSourceCreate(nil, 0, &context)
    work.pointee.source = source
    CFRunLoopAddSource(loop, source, mode)
  }

  deinit {
    CFRunLoopSourceInvalidate(source)
    for observer in observers { CFRunLoopObserverInvalidate(observer) }
    // In this order the earliest timers are first in the mode's array and are found at once.
    for timer in timers.sorted(by: { CFRunLoopTimerGetNextFireDate($0) < CFRunLoopTimerGetNextFireDate($1) }) {
      CFRunLoopTimerInvalidate(timer)
    }
    work.deinitialize(count: 1)
    work.deallocate()
  }

  private static func work(_ info: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<Work>? {
    info?.assumingMemoryBound(to: Work.self)
  }

  func serve(_ body: () -> Void) {
    withoutActuallyEscaping(body) { body in
      work.pointee.body = body
      CFRunLoopRun()
      work.pointee.body = nil
    }
  }

  func signal() {
    CFRunLoopSourceSignal(source)
    CFRunLoopWakeUp(loop)
  }

  func wakeUp(repeats: Int) {
    for _ in 0..<repeats { CFRunLoopWakeUp(loop) }
  }

  func signalAndPass(repeats: Int) {
    work.pointee.left = repeats
    signal()
    CFRunLoopRun()
  }

  func poll(repeats: Int) {
    for _ in 0..<repeats { CFRunLoopRunInMode(mode, 0, false) }
  }

  func runBlocks(_ count: Int) -> Bool {
    let work = work
    for _ in 0..<count { CFRunLoopPerformBlock(loop, mode) { work.pointee.observed += 1 } }
    CFRunLoopRunInMode(mode, 0, false)
    return true
  }

  func addObservers(_ count: Int) {
    var context = CFRunLoopObserverContext()
    context.info = UnsafeMutableRawPointer(work)
    for _ in 0..<count {
      guard
        let observer = CFRunLoopObserverCreate(
          nil, CFOptionFlags(CFRunLoopActivity.beforeTimers.rawValue), true, 0,
          { _, _, info in CoreFoundationLoop.work(info)?.pointee.observed += 1 }, &context)
      else { continue }
      CFRunLoopAddObserver(loop, observer, mode)
      observers.append(observer)
    }
  }

  private func date(_ time: Int64) -> CFAbsoluteTime { epoch + Double(time) / 1e9 }

  func makeTimers(at times: [Int64]) {
    var context = CFRunLoopTimerContext()
    timers = times.map { CFRunLoopTimerCreate(nil, date($0), 0, 0, 0, { _, _ in }, &context) }
  }

  func addTimers() {
    for timer in timers { CFRunLoopAddTimer(loop, timer, mode) }
  }

  func moveTimers(_ which: ArraySlice<Int32>, to times: ArraySlice<Int64>) {
    for (index, time) in zip(which, times) { CFRunLoopTimerSetNextFireDate(timers[Int(index)], date(time)) }
  }

  func tick(every interval: Int64, count: Int) -> [Int64] {
    var lateness = [Int64](repeating: 0, count: count)
    lateness.withUnsafeMutableBufferPointer { lateness in
      var context = CFRunLoopTimerContext()
      context.info = UnsafeMutableRawPointer(work)
      work.pointee.lateness = lateness
      work.pointee.observed = 0
      work.pointee.interval = Double(interval) / 1e9
      work.pointee.start = CFAbsoluteTimeGetCurrent() + work.pointee.interval
      let timer = CFRunLoopTimerCreate(
        nil, work.pointee.start, work.pointee.interval, 0, 0,
        { timer, info in
          guard let work = CoreFoundationLoop.work(info), let lateness = work.pointee.lateness else { return }
          // During the callback, the timer still has the date for which it fires.
          let late = CFAbsoluteTimeGetCurrent() - CFRunLoopTimerGetNextFireDate(timer)
          lateness[work.pointee.observed] = Int64(late * 1e9)
          work.pointee.observed += 1
          if work.pointee.observed == lateness.count {
            CFRunLoopStop(work.pointee.loop)
            CFRunLoopTimerInvalidate(timer)
          }
        }, &context)
      CFRunLoopAddTimer(loop, timer, mode)
      CFRunLoopRun()
    }
    return lateness
  }
}
