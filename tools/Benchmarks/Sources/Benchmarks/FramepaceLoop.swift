import CPeers
import LinuxSystem
import RunLoops

/// The `FrameLoop` of framepace.
final class FramepaceLoop: MeasuredLoop {
  /// The state of the source's callback. Only the loop's thread reads and writes it.
  private struct Work {
    var left = 0
    var body: (() -> Void)?
    var observed = 0
  }

  private let loop = FrameLoop.current
  private let work: UnsafeMutablePointer<Work>
  private let source: FrameLoop.Source
  private var observers: [FrameLoop.Observer] = []
  private var timers: [FrameLoop.Timer] = []

  init() {
    work = .allocate(capacity: 1)
    work.initialize(to: Work())
    // Safe: all of it stays on the loop's thread.
    nonisolated(unsafe) let work = work
    let loop = loop
    source = FrameLoop.Source(
      .onLoop { source in
        if work.pointee.left > 1 {
          work.pointee.left -= 1
          source.signal()
          loop.wakeUp()
        } else {
          work.pointee.body?()
          loop.stop()
        }
      })
    loop.add(source, to: .default)
  }

  deinit {
    source.invalidate()
    for observer in observers { observer.invalidate() }
    for timer in timers { timer.invalidate() }
    work.deinitialize(count: 1)
    work.deallocate()
  }

  func serve(_ body: () -> Void) {
    withoutActuallyEscaping(body) { body in
      work.pointee.body = body
      loop.run(mode: .default)
      work.pointee.body = nil
    }
  }

  func signal() {
    source.signal()
    loop.wakeUp()
  }

  func wakeUp(repeats: Int) {
    for _ in 0..<repeats { loop.wakeUp() }
  }

  func signalAndPass(repeats: Int) {
    work.pointee.left = repeats
    signal()
    loop.run(mode: .default)
  }

  func poll(repeats: Int) {
    for _ in 0..<repeats { loop.run(mode: .default, until: .zero) }
  }

  func runBlocks(_ count: Int) -> Bool {
    nonisolated(unsafe) let work = work
    for _ in 0..<count { loop.perform(in: [.default]) { work.pointee.observed += 1 } }
    loop.run(mode: .default, until: .zero)
    return true
  }

  func addObservers(_ count: Int) {
    nonisolated(unsafe) let work = work
    for _ in 0..<count {
      let observer = FrameLoop.Observer(.beforeTimers, .onLoop { _, _ in work.pointee.observed += 1 })
      loop.add(observer, to: .default)
      observers.append(observer)
    }
  }

  func makeTimers(at times: [Int64]) {
    timers = times.map { FrameLoop.Timer(fireTime: MonotonicTime(nanoseconds: $0), .onLoop { _ in }) }
  }

  func addTimers() {
    for timer in timers { loop.add(timer, to: .default) }
  }

  func moveTimers(_ which: ArraySlice<Int32>, to times: ArraySlice<Int64>) {
    for (index, time) in zip(which, times) { timers[Int(index)].nextFireTime = MonotonicTime(nanoseconds: time) }
  }

  func tick(every interval: Int64, count: Int) -> [Int64] {
    var lateness = [Int64](repeating: 0, count: count)
    lateness.withUnsafeMutableBufferPointer { lateness in
      nonisolated(unsafe) let (work, lateness) = (work, lateness)
      let loop = loop
      work.pointee.observed = 0
      let interval = Nanoseconds(interval)
      let timer = FrameLoop.Timer(
        fireTime: loop.clock.now + interval, interval: interval,
        .onLoop { timer in
          lateness[work.pointee.observed] = (loop.clock.now - timer.nextFireTime).count
          work.pointee.observed += 1
          if work.pointee.observed == lateness.count {
            loop.stop()
            timer.invalidate()
          }
        })
      loop.add(timer, to: .default)
      loop.run(mode: .default)
    }
    return lateness
  }
}
