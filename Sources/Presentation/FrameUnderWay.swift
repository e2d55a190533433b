import FrameTiming
import LinuxSystem
import RenderTree

/// A frame of an output between its diff and the presenter.
@MainActor
struct OutputFrame {
  let buffer: PresentationBuffer
  /// The pixels that are written in the buffer since it was presented.
  var damage: DamageRegion
  /// Its `submitted` is the time at which it could be rendered, and then that at which it was.
  var record: FrameRecord
  /// The output's inspector, if it had one, and what it is to see of the frame.
  var inspection: (any FrameInspector, InspectedFrame)?
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
