import CWaylandClient
import CWaylandProtocols
import LinuxSystem

/// A question to the compositor when a frame was seen. It is used again when it was answered.
@MainActor
final class FeedbackQuestion {
  private unowned let window: WaylandWindow
  private var pointer: OpaquePointer?
  private var serial: UInt64 = 0

  init(window: WaylandWindow) { self.window = window }

  var isOpen: Bool { pointer != nil }

  /// Asks about the frame that is committed next.
  func ask(_ presentation: OpaquePointer, _ surface: OpaquePointer, _ serial: UInt64) {
    self.serial = serial
    pointer = wp_presentation_feedback(presentation, surface)
    wp_presentation_feedback_add_listener(pointer, Self.listener, listenerData(self))
  }

  func destroy() {
    if let pointer { wp_presentation_feedback_destroy(pointer) }
    pointer = nil
  }

  private func answered(_ stamp: MonotonicTime?) {
    destroy()
    window.feedbackCame(serial, stamp: stamp)
  }

  private static let listener = listenerTable(
    wp_presentation_feedback_listener(
      sync_output: { _, _, _ in },
      presented: { data, _, high, low, nanoseconds, _, _, _, _ in
        // A stamp that means nothing tells at least that the frame was seen: now.
        let stamp = PresentationClock.stamp(secondsHigh: high, secondsLow: low, nanoseconds: nanoseconds) ?? .zero
        onMain(data) { (question: FeedbackQuestion) in question.answered(stamp) }
      },
      discarded: { data, _ in onMain(data) { (question: FeedbackQuestion) in question.answered(nil) } }))
}
