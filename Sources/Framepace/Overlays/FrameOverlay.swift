public import Presentation
public import Raster

/// A drawing over the frames of an output that shows how they are made.
public enum FrameOverlay: String, CaseIterable, Hashable, Sendable {
  /// The rectangles that differ from the frame before, but for pixels that only moved.
  case damage
  /// The bounds of every layer: blue around contents, orange around layers that become a picture of their own before they are
  /// blended, white around the others.
  case borders
  /// The layers and properties that caused each rectangle of damage, beside it.
  case reasons
  /// How often each pixel was painted, in colours that a legend names. Pixels that were not painted keep their colour.
  case overdraw
  /// The meter, in the upper right corner: the presented rate beside the display's; the median and the 95th percentile of a frame's
  /// work beside its budget, the time to the next tick of its link; the work of the last 120 frames as bars, each beside its own budget, red
  /// with a mark below where a frame was late, with a gap for a pause; and the intervals of the last two seconds that were late, missed and idle.
  case meter
}

extension Engine {
  /// Draws over the frames of an output from now on; an empty set ends that.
  ///
  /// ```swift
  /// try engine.show([.damage, .reasons])
  /// ```
  ///
  /// The overlays are neither damage nor work: phases, pixels, processor time and causes of damage are the same without them, but for the
  /// time in which the display takes their pixels over, which counts as `present`. Each frame is ready later by the time that drawing
  /// them takes: milliseconds, but less than one for `damage` and `meter`. One that is late for that is late by `scheduling`. They
  /// come with frames that are made anyway: a still program stays still. They need another bitmap for each of the output's
  /// buffers; where there is no memory for it, frames are shown without overlays.
  ///
  /// `FRAMEPACE_HUD=1` in the environment shows the meter and the damage on all outputs of any program, until this is called for
  /// one; it also takes names, as `FRAMEPACE_HUD=meter,borders`.
  ///
  /// - Parameter output: nil for the engine's first.
  /// - Throws: an error if there is no font for the labels.
  public func show(_ overlays: Set<FrameOverlay>, on output: Output? = nil) throws(FontError) {
    let output = output ?? self.output
    guard let group = groups.first(where: { $0.shows(output) }) else {
      preconditionFailure("Engine: an output that is none of this engine's, or was removed, has no overlays")
    }
    guard !overlays.isEmpty else { return output.inspector = nil }
    let painter = try OverlayPainter(
      overlays, names: LayerNames(of: group.context), workers: workers, geometry: { [unowned output] in output.geometry },
      meter: overlays.contains(.meter) ? MeterPanel(of: output, clock: loop.clock) : nil)
    output.inspector = .painter(painter)
  }
}
