public import Geometry
public import LinuxSystem
public import Raster

/// A kind of particle that an `EmitterLayer` sends out, as CAEmitterCell describes it.
///
/// ```swift
/// var spark = EmitterCell(contents: image)
/// (spark.birthRate, spark.lifetime) = (200, 2)
/// (spark.velocity, spark.velocityRange, spark.emissionRange) = (150, 60, 2 * .pi)
/// spark.yAcceleration = 100
/// spark.alphaSpeed = -0.5
/// ```
///
/// A number with a range has another value in each particle: all values from half of the range below to half of the range above it are
/// as likely. A cell with a number that is not finite emits nothing.
public struct EmitterCell: Hashable, Sendable {
  /// The cell's name; empty at first.
  public var name = ""
  /// The picture of a particle, which lies around the particle's place; nil for particles that are not seen. Its edges are soft by one of
  /// its pixels: make it in the size in which it is shown.
  public var contents: Image? {
    get { picture?.image }
    set { picture = newValue.map { Picture(image: $0) } }
  }
  private var picture: Picture?
  /// The part of the picture that is shown, in parts of its size, on whole pixels of the picture. All of it at first.
  public var contentsRect = Rect(x: 0, y: 0, width: 1, height: 1)
  /// Pixels of the picture for each of the layer's units; 1 at first.
  public var contentsScale = 1.0
  /// False for a cell that emits nothing.
  public var isEnabled = true
  /// The particles that are born in a second; 0 at first.
  public var birthRate = 0.0
  /// The time on the layer's clock at which the first one is born. 0 at first, which for a clock that goes as the display's is long ago.
  public var beginTime = MonotonicTime.zero
  /// The time for which particles are born; nil, the initial value, for ever. Those that were born live on when it is over.
  public var duration: Nanoseconds?
  /// The seconds for which a particle is seen; 0 at first.
  public var lifetime = 0.0
  /// The range of `lifetime`.
  public var lifetimeRange = 0.0
  /// The angle by which particles leave the layer's plane, in radians: what moves towards the viewer is not seen to move. It counts for
  /// the order by depth.
  public var emissionLatitude = 0.0
  /// The direction of the movement in the plane, in radians from the direction of x towards that of y. To the right at first.
  public var emissionLongitude = 0.0
  /// The angle over which directions in the plane are spread, in radians; `2 * .pi` for all of them.
  public var emissionRange = 0.0
  /// The speed at birth, in units a second.
  public var velocity = 0.0
  /// The range of `velocity`.
  public var velocityRange = 0.0
  /// The change of the speed to the right in a second.
  public var xAcceleration = 0.0
  /// The change of the speed downwards in a second.
  public var yAcceleration = 0.0
  /// The change of the speed towards the viewer, see `emissionLatitude`.
  public var zAcceleration = 0.0
  /// The size, in parts of the picture's; 1 at first. A particle is not seen while it is 0 or below.
  public var scale = 1.0
  /// The range of `scale`.
  public var scaleRange = 0.0
  /// The change of `scale` in a second.
  public var scaleSpeed = 0.0
  /// The turn in a second, in radians, clockwise.
  public var spin = 0.0
  /// The range of `spin`.
  public var spinRange = 0.0
  /// The colour by which those of the picture are multiplied, alpha included; white at first.
  public var color = Color.white
  /// The range of the red of `color`.
  public var redRange = 0.0
  /// The range of green.
  public var greenRange = 0.0
  /// The range of blue.
  public var blueRange = 0.0
  /// The range of alpha.
  public var alphaRange = 0.0
  /// The change of the red of `color` in a second. The sum is cut to 0…1.
  public var redSpeed = 0.0
  /// The same of green.
  public var greenSpeed = 0.0
  /// The same of blue.
  public var blueSpeed = 0.0
  /// The same of alpha: with −0.5 an opaque particle is gone after two seconds.
  public var alphaSpeed = 0.0

  /// An image, which is equal to itself alone.
  private struct Picture: Hashable, Sendable {
    let image: Image

    static func == (one: Picture, other: Picture) -> Bool { one.image === other.image }
    func hash(into hasher: inout Hasher) { hasher.combine(image.id) }
  }

  /// A cell that emits nothing until it has a `birthRate` and a `lifetime`.
  public init(contents: Image? = nil) { self.contents = contents }
}

extension EmitterCell {
  /// The properties that are numbers: each is mixed when cells change into others.
  package static let numbers: [any WritableKeyPath<EmitterCell, Double> & Sendable] =
    [
      \.contentsScale, \.birthRate, \.lifetime, \.lifetimeRange, \.emissionLatitude, \.emissionLongitude, \.emissionRange,
      \.velocity, \.velocityRange, \.xAcceleration, \.yAcceleration, \.zAcceleration, \.scale, \.scaleRange, \.scaleSpeed,
      \.spin, \.spinRange, \.color.red, \.color.green, \.color.blue, \.color.alpha, \.redRange, \.greenRange, \.blueRange,
      \.alphaRange, \.redSpeed, \.greenSpeed, \.blueSpeed, \.alphaSpeed,
    ]
}
