import Geometry

extension CompositorSurface {
  /// Notes what is wrong with a commit and the layout that it sets.
  func check(_ commit: SurfaceCommit, _ layout: SurfaceLayout) {
    if commit.damageCount > 32 { compositor.note(.tooMuchDamage, "\(commit.damageCount) rectangles") }
    checkViewport(layout)
    guard let buffer = committedBuffer else { return }
    guard let size = layout.size(width: buffer.width, height: buffer.height) else {
      return compositor.note(.wrongScale, "a buffer of \(buffer.width)x\(buffer.height) at scale \(layout.scale)")
    }
    guard let window else { return }
    guard let configuration = window.acknowledged else {
      return compositor.note(.commitBeforeAck, "commit \(commit.number)")
    }
    let shown = layout.geometry.map { SurfaceLayout.IntSize(width: $0.width, height: $0.height) } ?? size
    if configuration.width != 0 && shown.width != configuration.width
      || configuration.height != 0 && shown.height != configuration.height
    {
      compositor.note(
        .wrongSize,
        "\(shown.width)x\(shown.height) instead of \(configuration.width)x\(configuration.height), commit \(commit.number)")
    }
    checkScale(buffer, size)
  }

  private func checkScale(_ buffer: ClientBuffer, _ size: SurfaceLayout.IntSize) {
    let isFractional = extensions.contains("wp_fractional_scale_v1")
    let fits = scales.contains { scale in
      let scale = isFractional ? scale : (scale + 119) / 120 * 120
      return buffer.width == (size.width * scale + 60) / 120 && buffer.height == (size.height * scale + 60) / 120
    }
    if !fits {
      compositor.note(
        .wrongScale,
        "\(buffer.width)x\(buffer.height) pixels for \(size.width)x\(size.height) points at scale \(scales)/120")
    }
  }

  private func checkViewport(_ layout: SurfaceLayout) {
    if let destination = layout.destination, destination.width <= 0 || destination.height <= 0 {
      compositor.note(.wrongViewport, "a destination of \(destination.width)x\(destination.height)")
    }
    if layout.destination != nil, layout.scale != 1 {
      compositor.note(.wrongViewport, "a viewport beside a scale of \(layout.scale)")
    }
    guard let source = layout.source, let buffer = committedBuffer else { return }
    let isInside =
      source.minX >= 0 && source.minY >= 0 && source.width > 0 && source.height > 0
      && source.maxX <= Double(buffer.width) && source.maxY <= Double(buffer.height)
    if !isInside { compositor.note(.wrongViewport, "a source of \(source) in \(buffer.width)x\(buffer.height)") }
  }
}
