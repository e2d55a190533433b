import FrameTiming
package import LinuxSystem

/// A stretch of work on a frame that the main thread is at, while somebody measures the thread.
package struct WorkStretch {
  /// Nil where nobody measures; frames then have no `processorTime`.
  package var meter: ThreadMeter?
  private var begin: ThreadMeter.Mark?

  mutating func begin(_ mark: ThreadMeter.Mark?) { begin = mark }

  /// - Returns: the time that it was given.
  @discardableResult
  mutating func begin(at now: MonotonicTime) -> MonotonicTime {
    begin = meter?.mark(at: now)
    return now
  }

  /// Leaves out what the thread has done since `mark`: it was no work on the frame.
  mutating func leaveOut(since mark: ThreadMeter.Mark?, at now: MonotonicTime) {
    guard let mark, let meter else { return }
    begin?.leaveOut(from: mark, to: meter.mark(at: now))
  }

  /// Ends the stretch, and adds it to the frame's record.
  mutating func end(_ frame: inout FrameRecord, at now: MonotonicTime) {
    guard let begin, let meter else { return }
    self.begin = nil
    let isFirst = frame.processorTime == nil
    // A later stretch hands over what is ready.
    let ready = frame.submitted - frame.heldBack - frame.phases[.present]
    let lateness = isFirst ? frame.delivered - frame.start + frame.missedTime : begin.time - ready
    // Until now only waits for threads that composite with this one are known.
    frame.add(meter.usage(since: begin, at: now, lateness: lateness, waited: isFirst ? frame.runDelay : .zero))
  }
}
