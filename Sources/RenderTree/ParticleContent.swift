public import Geometry
import Glibc
package import LinuxSystem
import Raster

extension RenderContent {
  /// The content as one that is another at each time of its layer's clock; nil for all kinds but particles.
  package var timed: ParticleContent? { self as? ParticleContent }
}

/// The particles of an emitter at a time, as content: the compositor finds each by its number and paints it where it is.
///
/// They lie in the layer's coordinates wherever the bounds are. The rules that place and stretch images do not concern them.
public final class ParticleContent: RenderContent {
  package let emission: Emission
  /// The time of the layer's clock; nil for one that has not begun to go.
  package let time: MonotonicTime?
  /// The rectangle around all that it may paint; zero if no particle is alive.
  private let box: Rect

  package convenience init(_ parts: Emission.Parts, at time: MonotonicTime? = nil) {
    self.init(Emission(parts), at: time)
  }

  private init(_ emission: Emission, at time: MonotonicTime?) {
    (self.emission, self.time) = (emission, time)
    box = time.map { time in emission.sources.reduce(Rect.zero) { $0.union($1.bounds(at: time) ?? .zero) } } ?? .zero
  }

  /// A small particle has a pixel of the output, however small the emitter is shown.
  public var reachInPixels: Int { 2 }

  public func drawnBounds(in bounds: Rect, _ effects: RenderEffects?) -> Rect { box }

  /// The same emission at times at which nothing is alive looks the same.
  public func isEqual(to other: any RenderContent) -> Bool {
    guard let other = other as? ParticleContent else { return false }
    let isSameTime = time == other.time || box.isEmpty && other.box.isEmpty
    return isSameTime && (emission === other.emission || emission.parts == other.emission.parts)
  }

  public var description: String {
    let time = time.map { " at \($0 - MonotonicTime.zero)" } ?? ""
    return "particles of \(emission.parts.cells.count) cells\(time)"
  }
}

extension ParticleContent {
  /// The content as it is shown at a time.
  package func content(at time: MonotonicTime) -> ParticleContent {
    time == self.time ? self : ParticleContent(emission, at: time)
  }

  /// True if it may look otherwise after that time, or before it on a clock that runs backwards.
  package func changes(from time: MonotonicTime, backwards: Bool) -> Bool {
    emission.sources.contains { source in
      let seconds = source.seconds(at: time)
      return backwards ? seconds > 0 : seconds < source.end + source.lifetime.most
    }
  }
}

/// Cosines of angles.
enum Cosine {
  static func of(_ angle: Double) -> Double { cos(angle) }

  /// The least and the greatest cosine of angles that are spread evenly about one.
  static func range(_ angle: Double, spread: Double) -> ClosedRange<Double> {
    let turn = 2 * Double.pi
    guard spread < turn, abs(angle) < 0x1p30 else { return -1...1 }
    let (first, last) = (angle - spread / 2, angle + spread / 2)
    func contains(_ place: Double) -> Bool {
      ((last - place) / turn).rounded(.down) >= ((first - place) / turn).rounded(.up)
    }
    let ends = (of(first), of(last))
    // The kernel's angles are a little off.
    let least = contains(.pi) ? -1 : max(min(ends.0, ends.1) - 1e-6, -1)
    let most = contains(0) ? 1 : min(max(ends.0, ends.1) + 1e-6, 1)
    return least...most
  }
}
