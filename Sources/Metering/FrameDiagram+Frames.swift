public import FrameTiming
public import LinuxSystem

extension FrameDiagram {
  /// The diagram of frames and the vblanks around them.
  ///
  /// Its lanes are
  /// - `vblank`;
  /// - `tick`: when a frame was begun, after dashes from when it was due;
  /// - `work`: the time spent on it;
  /// - `commit`: when its buffer was handed over;
  /// - `flip`: when it was seen, after dots from when it was due if it was late.
  ///
  /// - Parameters:
  ///   - vblanks: the times of the vblanks.
  ///   - frames: the frames in any order. One that has not been seen has no flip.
  ///   - interval: the display's refresh interval.
  ///   - start: the time of the first character.
  public init(
    vblanks: [MonotonicTime], frames: [FrameRecord], interval: Nanoseconds, start: MonotonicTime,
    scale: Nanoseconds = .milliseconds(1), columns: Int = 72
  ) {
    self.init(start: start, scale: scale, columns: columns)
    for lane in ["vblank", "tick", "work", "commit", "flip"] { addLane(lane) }
    for vblank in vblanks { mark("|", at: vblank, in: "vblank") }
    // Marks come first: a span fills only characters that are still free.
    for frame in frames {
      let digit = frame.digit
      mark(digit, at: frame.delivered, in: "tick")
      mark(digit, at: frame.submitted, in: "commit")
      if frame.presented != .zero { mark(digit, at: frame.presented, in: "flip") }
    }
    for frame in frames {
      if frame.delivered > frame.start { fill("-", from: frame.start, to: frame.delivered, in: "tick") }
      let ready = frame.submitted - frame.heldBack
      if frame.work > .zero { fill(frame.digit, from: ready - frame.work, to: ready, in: "work") }
      guard frame.isLate(interval: interval) else { continue }
      mark("x", at: frame.due, in: "flip")
      fill(".", from: frame.due, to: frame.presented, in: "flip")
    }
  }
}

extension FrameRecord {
  /// The frame's character in a diagram.
  fileprivate var digit: Character { Character(String(frameNumber % 10)) }
}
