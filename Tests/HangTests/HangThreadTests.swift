import LinuxSystem
import RunLoops
import Synchronization
import Testing

@testable import Hangs

/// The monitor on real threads; the thread sanitizer runs these.
@Suite(.serialized) struct HangThreadTests {
  private final class Flag: Sendable {
    let isSet = Atomic<Bool>(false)
  }

  /// Loops that turn all the time, come under watch and leave it: nothing is reported, and the monitor ends.
  @Test func severalLoopsAreWatchedAtATime() throws {
    let monitor = try HangMonitor()
    let threads = try (0..<4).map { try LoopThread(name: "loop \($0)") }
    for _ in 0..<20 {
      for thread in threads {
        monitor.watch(thread.loop)
        for _ in 0..<20 { thread.loop.perform {} }
        thread.loop.wakeUp()
      }
      for thread in threads {
        try thread.loop.performAndWait {}
        monitor.stopWatching(thread.loop)
      }
    }
    for thread in threads { thread.stop() }
    for thread in threads { thread.waitUntilEnded() }
    monitor.stop()
    #expect(monitor.counts.hangs == 0 && monitor.counts.wakeUps > 0)
  }

  /// A callback that goes on until it has been found to hang.
  @Test func aHangOfALoopThreadIsFound() throws {
    let told = Flag()
    var configuration = HangMonitor.Configuration()
    configuration.limits = HangDetector.Limits(
      countsFrom: .milliseconds(10), reportsFrom: .milliseconds(30), sampleInterval: .milliseconds(5))
    configuration.onReport = { report in if report.loop == "busy" { told.isSet.store(true, ordering: .releasing) } }
    let monitor = try HangMonitor(configuration)
    let thread = try LoopThread(name: "busy")
    monitor.watch(thread.loop, name: "busy")
    try thread.loop.performAndWait {
      let limit = SystemClock.monotonic.now + .seconds(60)
      while !told.isSet.load(ordering: .acquiring), SystemClock.monotonic.now < limit { _ = monitor.counts }
    }
    let isTold = told.isSet.load(ordering: .acquiring)
    #expect(isTold)
    thread.stop()
    thread.waitUntilEnded()
    monitor.stop()
    #expect(monitor.counts.hangs > 0 && monitor.counts.samples > 0)
  }

  /// Threads that end while they are sampled.
  @Test func aThreadThatEndsGivesNoSample() throws {
    for _ in 0..<50 {
      let thread = try LoopThread(name: "short")
      let sampled = try thread.loop.performAndWait { try SampledThread.current() }
      thread.stop()
      while sampled.sample() != nil {}
    }
  }
}
