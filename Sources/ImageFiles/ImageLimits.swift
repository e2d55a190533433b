public import LinuxSystem

/// The bounds that reading a file keeps, whatever the file says.
public struct ImageLimits: Hashable, Sendable {
  /// The most bytes that a file may have.
  public var fileBytes = 256 << 20
  /// The most pixels that a file may state: by default those of 16,384×16,384.
  public var pixels = 1 << 28
  /// The bytes that decoding may take besides the file's own, those of the result among them. Decoders need some rows of a picture
  /// beyond that.
  public var memory = 512 << 20
  /// The most pictures that an animation may have.
  public var frames = 10_000
  /// The time that decoding may take, of an animation each picture's. It is looked at between rows of pixels or pieces of a file.
  public var duration = Nanoseconds.seconds(10)

  public init() {}
}
