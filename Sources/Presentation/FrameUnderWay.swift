import FrameTiming
import LinuxSystem
import RenderTree

/// A frame of an output between its diff and the presenter.
@MainActor
struct OutputFrame {
  let buffer: PresentationBuffer
  /// The pixels that are written in the buffer since it was presented.
  var written: DamageRegion
  /// The pixels that differ from the frame before and did not only move.
  let damage: DamageRegion
  /// Its `submitted` is the time at which it could be rendered, and then that at which it was.
  var record: FrameRecord
  /// The output's inspector, if it had one, and what it is to see of the frame.
  var inspection: (FrameInspector, InspectedFrame)?

  /// The target that the renderer paints in.
  var canvas: any RenderTarget {
    guard case (.painter(let painter), _)? = inspection else { return buffer.target }
    return painter.canvas(for: buffer) ?? buffer.target
  }

  /// Lets a painter draw over the frame that was rendered, which was not ready before. That is no work on the frame.
  mutating func paintOver(_ now: inout MonotonicTime, _ clock: SystemClock, _ stretch: inout WorkStretch) {
    guard case (.painter(let painter), let frame)? = inspection else { return }
    let begin = stretch.meter?.mark(at: now)
    written = painter.draw(over: frame)
    stretch.leaveOut(since: begin, at: clock.now)
    // The thread may lose its processor at the end of a system call: that time is the painter's too.
    let painted = clock.now
    record.submitted += painted - now
    now = painted
  }

  /// Tells the inspector that the frame was handed over.
  func tellObserver() {
    if case (.observer(let observe), let frame)? = inspection { observe(frame) }
  }
}

/// The one frame that an output has begun and not handed over.
@MainActor
enum FrameUnderWay {
  case none
  /// A thread renders it.
  case rendering(OutputFrame)
  /// It is ready early, and waits for its vblank.
  case heldBack(OutputFrame)
}

extension FrameRecord {
  /// - Parameter isMeasured: true where delays of threads are measured.
  mutating func take(_ work: RenderWork, isMeasured: Bool) {
    (missedPictures, pictureTime, layerPixels) = (work.missedPictures, work.pictureTime, work.layerPixels)
    if isMeasured { runDelay += work.runDelay }
  }
}
