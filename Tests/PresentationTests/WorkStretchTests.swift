import FrameTiming
import LinuxSystem
import RenderTree
import Testing

@testable import Presentation

/// The times of a frame's threads in its record.
@Suite struct WorkStretchTests {
  /// A thread composites for 1 ms, waits 8 ms for another one that has no processor, and 2 ms for one that has, while it is itself away for
  /// 3 ms: none of that is work, and the machine is to blame. Where nobody measures, compositing is.
  @Test(arguments: [true, false]) func aWaitForAThreadWithoutAProcessor(isMeasured: Bool) {
    let clock = ManualClock(start: .zero + .seconds(1))
    var stretch = WorkStretch()
    if isMeasured { stretch.meter = ThreadMeter(clock: .manual(clock)) }
    var record = FrameRecord()
    (record.start, record.delivered, record.target) = (clock.now, clock.now, clock.now + .milliseconds(10))
    stretch.begin(at: clock.now)
    clock.advance(by: .milliseconds(1))
    clock.advance(by: .milliseconds(3), thread: .runnable)
    clock.advance(by: .milliseconds(10), thread: .blocked)
    var work = RenderWork()
    work.runDelay = .milliseconds(8)
    record.take(work, isMeasured: isMeasured)
    record.phases[.composite] = .milliseconds(14)
    record.submitted = clock.now
    stretch.end(&record, at: clock.now)
    record.presented = record.target + .milliseconds(10)
    #expect(record.runDelay == .milliseconds(isMeasured ? 11 : 0))
    #expect(record.processorTime == (isMeasured ? .milliseconds(1) : nil))
    #expect(record.blockedTime == (isMeasured ? .milliseconds(2) : nil))
    #expect(
      record.causes(interval: .milliseconds(10))?.main == (isMeasured ? .machineBusy : .phase(.composite)))
  }
}
