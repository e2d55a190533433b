public import Geometry
public import ImageFiles
public import LinuxSystem
public import Raster
import RenderTree

/// A layer that shows a picture file: PNG, JPEG, WebP, GIF, AVIF or SVG.
///
/// ```swift
/// let photo = ImageLayer(frame: Rect(x: 0, y: 0, width: 400, height: 300))
/// photo.file = "photo.jpg"
/// photo.fadeDuration = .milliseconds(250)
/// photo.onFailure = { _, error in print(error) }
/// ```
///
/// A worker decodes the file in the size in which it is shown, upright and in sRGB, as `makeDrawing()` is drawn: the old contents stay
/// until then, pictures of one commit appear together, and `drawingPriority` holds. It decodes anew when the layer's size changes.
/// After the file, `contentsRect` or `limits` have changed, call `setNeedsDisplay()`. Nothing is decoded before the layer has a size.
/// Until then a worker reads the size of the file, so that a stack or a grid gives the layer its place.
/// A large progressive JPEG that takes the place of another file is shown by its first scans until all are decoded: at once and alone,
/// whatever else its commit began. If the rest is damaged, the layer goes back to what it showed before.
///
/// A file that moves does so on the layer's clock, as an animation of `contents` under the key `frames`: `speed` and `timeOffset` pause
/// and scrub it, and other animations of `contents` go over it. All its pictures are in memory, made smaller if they would take more
/// than `movingBytes`.
open class ImageLayer: Layer {
  /// The picture's file; nil, the initial value, for none.
  public var file: String? {
    didSet {
      guard file != oldValue else { return }
      // A picture of another file is not shown any more, also if it is finished.
      asynchronous.cancel()
      setNeedsDisplay()
    }
  }
  /// The picture that is shown from the commit after a change of `file` until the new one is there; without one the old picture stays
  /// so long.
  public var placeholder: Image? {
    didSet { if placeholder !== oldValue, request?.isAwaited == true || file == nil { setNeedsDisplay() } }
  }
  /// How long a new picture fades in over what was shown before, by an animation under the key `pictureFade`; 0 at first.
  public var fadeDuration = Nanoseconds.zero
  /// False to show the first picture of a file that moves. True at first.
  public var animates = true {
    didSet { if animates != oldValue, file != nil { setNeedsDisplay() } }
  }
  /// Called when a file cannot be shown. The layer keeps its contents.
  public var onFailure: (@MainActor (ImageLayer, ImageFileError) -> Void)?
  /// Why `file` is not shown; nil while nothing has failed.
  public private(set) var failure: ImageFileError?
  /// The most that a file may take.
  public var limits = ImageLimits()
  /// Holds pictures for all layers that have it.
  public var cache = ImageCache.shared

  /// The bytes of all pictures of a file that moves: 64 MiB.
  public nonisolated static let movingBytes = 64 << 20

  /// The size of the file of the picture that is shown, or that is to be shown once the layer has a size; nil while it is not known.
  public var pixelSize: PixelSize? { measures?.size }
  private var measures: ImageMeasures? {
    didSet { if measures != oldValue { preferredSizeChanged() } }
  }
  /// The file that the last display asked for. It is awaited until a picture of it is shown.
  private var request: (file: String, isAwaited: Bool)?
  /// The coarse picture that is shown, and what comes back if the file turns out to be damaged.
  private var coarse: (image: Image, before: (image: Image?, drawn: DrawnMeasures?, measures: ImageMeasures?))?
  /// The file whose movement is shown, and its pictures.
  private var movement: (file: String, images: [Image])?

  private static let (framesKey, fadeKey) = ("frames", "pictureFade")

  public override init() {
    super.init()
    (contentsGravity, needsDisplayOnBoundsChange) = (.resizeAspect, true)
  }

  /// The place of the picture in the bounds. `resizeAspect` at first.
  public override var contentsGravity: ContentsGravity {
    didSet { if contentsGravity != oldValue, file != nil { setNeedsDisplay() } }
  }

  /// The size that shows each of the file's pixels as `contentsScale` says, one a point without and in a drawing; that of `bounds`
  /// while `pixelSize` is nil.
  open override var preferredSize: Size {
    guard let measures else { return super.preferredSize }
    return Size(Double(measures.size.width), Double(measures.size.height)) / (measures.isDrawing ? 1 : contentsScale ?? 1)
  }

  /// The picture's ratio in the proposed width, or else the proposed height; never larger than `preferredSize`.
  open override func size(fitting proposal: SizeProposal) -> Size {
    let size = preferredSize
    guard measures != nil, !size.isEmpty else { return super.size(fitting: proposal) }
    let scale =
      [proposal.width.map { $0 / size.width }, proposal.height.map { $0 / size.height }].compactMap(\.self).min() ?? 1
    return size * min(max(scale, 0), 1)
  }

  /// False also where an application has removed the movement that the layer began, for a scene's text.
  package var isMoving: Bool { animates && (movement == nil || animation(forKey: Self.framesKey) != nil) }

  /// The placeholder, for a scene's text: none where the contents were taken from a layer without a file.
  package var shownPlaceholder: Image? { file == nil && contents == nil && !needsDisplay ? nil : placeholder }

  // MARK: Display

  override var hasPicture: Bool { file != nil }

  override func displayWithoutSize() {
    willDisplay()
    guard let file, let context, let target = DrawingTarget(bounds: Rect(x: 0, y: 0, width: 1, height: 1), scale: 1) else {
      return
    }
    // A layout waits for it.
    context.begin(
      FileSize(path: file, limits: limits), for: self, of: self, target: target, .high, isAlone: true)
  }

  override func willDisplay() {
    let isNew = file != request?.file
    if isNew { (request, failure) = (file.map { ($0, isAwaited: true) }, nil) }
    // A coarse picture that stays meanwhile goes also if the new file cannot be shown.
    guard file == nil || placeholder != nil && request?.isAwaited == true else { return }
    coarse = nil
    // A scene's text may have begun the movement of this file.
    if isNew, movement != nil { endMovement() }
    if file == nil { measures = nil }
    Transaction.withoutActions { contents = placeholder }
  }

  override func pictureMaker() -> (any PictureMaker)? {
    file.map {
      FilePicture(
        path: $0, gravity: contentsGravity, part: contentsRect.size, scale: contentsScale ?? 1, animates: animates,
        limits: limits, cache: cache,
        showsCoarse: request?.isAwaited == true && movement == nil && context?.showsCoarsePictures == true)
    }
  }

  override func take(_ picture: MadePicture) {
    guard let file = picture.file else { return super.take(picture) }
    let before = (image: values.image, drawn: drawnMeasures, measures: measures)
    measures = file.measures
    guard let request, !file.frames.isEmpty else { return }
    let sharp = coarse.flatMap { $0.image === values.image ? $0.before : nil } ?? before
    coarse = file.isCoarse ? (picture.image, sharp) : nil
    let shown = presentation[.contents]
    Transaction.apart {
      super.take(picture)
      (failure, self.request) = (nil, (request.file, isAwaited: false))
      // Pictures in another size go on in their time, as do those of a scene's text.
      let goesOn = movement.map { $0.file == request.file } ?? true
      let begin = goesOn ? animation(forKey: Self.framesKey)?.beginTime : nil
      endMovement()
      if let frames = file.movement {
        movement = (request.file, file.frames.map(\.image))
        if let begin { add(frames, forKey: Self.framesKey, begunAt: begin) } else { add(frames, forKey: Self.framesKey) }
        // It is what the layer shows without other animations.
        animations.moveLastBelowAll()
      }
      guard request.isAwaited, fadeDuration > .zero else { return }
      add(BasicAnimation(.contents, from: shown, duration: fadeDuration), forKey: Self.fadeKey)
    }
  }

  override func displayFailed(_ error: any Error) {
    guard let error = error as? ImageFileError else { return super.displayFailed(error) }
    failure = error
    dropCoarse()
    #if DEBUG
      if onFailure == nil { DebugHint.give("\(description) shows no new picture: \(error)", kind: "no picture") }
    #endif
    onFailure?(self, error)
  }

  /// Shows again what a coarse picture was shown for.
  private func dropCoarse() {
    guard let coarse, values.image === coarse.image else { return }
    Transaction.apart { setContents(coarse.before.image, drawn: coarse.before.drawn) }
    removeAnimation(forKey: Self.fadeKey)
    measures = coarse.before.measures
    request?.isAwaited = true
    self.coarse = nil
  }

  /// Animations of a layer that was in no tree for a turn have ended.
  override func entered(_ context: LayerContext) {
    if movement != nil, animation(forKey: Self.framesKey) == nil { setNeedsDisplay() }
  }

  private func endMovement() {
    for image in movement?.images ?? [] { context?.retired.append(image) }
    movement = nil
    removeAnimation(forKey: Self.framesKey)
  }
}

/// The facts of a picture file that its layer takes over.
struct PictureFile: Sendable {
  let measures: ImageMeasures
  /// More than one for a file that moves; none where only the measures were read.
  let frames: [ImageFrame]
  /// Nil for a file that does not move.
  let movement: KeyframeAnimation?
  /// True for a picture of the first scans of a file.
  var isCoarse = false
}

/// Reads the size of a file.
private struct FileSize: PictureMaker {
  let path: String
  let limits: ImageLimits

  func makePicture(
    for target: DrawingTarget, isCancelled: @escaping () -> Bool, showCoarse: ((MadePicture) -> Void)?
  ) throws -> MadePicture {
    let measures = try ImageFile.measures(path: path, limits: limits)
    return MadePicture(
      image: try Bitmap(width: 1, height: 1).freeze(), measures: target.measures,
      file: PictureFile(measures: measures, frames: [], movement: nil))
  }
}

/// A picture that is decoded from a file.
private struct FilePicture: PictureMaker {
  let path: String
  let gravity: ContentsGravity
  /// The part of the picture that is shown, of 1.
  let part: Size
  /// Pixels of the picture a point where it keeps its size.
  let scale: Double
  let animates: Bool
  let limits: ImageLimits
  let cache: ImageCache
  let showsCoarse: Bool

  func makePicture(
    for target: DrawingTarget, isCancelled: @escaping () -> Bool, showCoarse: ((MadePicture) -> Void)?
  ) throws -> MadePicture {
    let fit = fit(target)
    let decoded = try cache.decoded(
      path, fit, movingBytes: animates ? ImageLayer.movingBytes : nil, limits: limits, isCancelled: isCancelled,
      showCoarse: showsCoarse ? showCoarse.map { show in { show(picture(of: $0, fit, target, isCoarse: true)) } } : nil)
    return picture(of: decoded, fit, target, isCoarse: false)
  }

  private func picture(of decoded: DecodedImage, _ fit: ImageFit, _ target: DrawingTarget, isCoarse: Bool) -> MadePicture {
    let (header, frames) = (decoded.header, decoded.frames)
    let movement = Self.movement(frames, header.animation?.repetitions)
    // After its last repetition a file shows its last picture.
    let image = (movement != nil && header.animation?.repetitions != nil ? frames[frames.count - 1] : frames[0]).image
    // Pixels a point.
    let scale = fit.isOfFile && !header.isDrawing ? scale : target.scale
    return MadePicture(
      image: image, measures: DrawnMeasures(size: image.pixelSize / scale, scale: scale),
      file: PictureFile(measures: header.measures, frames: frames, movement: movement, isCoarse: isCoarse))
  }

  /// The size in which the picture is decoded.
  private func fit(_ target: DrawingTarget) -> ImageFit {
    func side(_ pixels: Int, _ part: Double) -> Int {
      part > 0 && part.isFinite ? Int(min((Double(pixels) / part).rounded(.up), 1e9)) : pixels
    }
    let box = PixelSize(width: side(target.width, part.width), height: side(target.height, part.height))
    return switch gravity {
    case .resizeAspect: .inside(box)
    case .resize, .resizeAspectFill: .covering(box)
    default: .scaled(target.scale)
    }
  }

  private static func movement(_ frames: [ImageFrame], _ repetitions: Int?) -> KeyframeAnimation? {
    let total = frames.reduce(Nanoseconds.zero) { $0 + $1.duration }
    guard frames.count > 1, total > .zero else { return nil }
    var time = Nanoseconds.zero
    let times = frames.map { frame in
      defer { time += frame.duration }
      return time.seconds / total.seconds
    }
    var movement = KeyframeAnimation(
      .contents, values: frames.map { .image($0.image) }, keyTimes: times + [1], calculationMode: .discrete)
    movement.duration = total
    // Its time is needed where pictures in another size take its place after its end.
    movement.settings.isRemovedOnCompletion = false
    movement.repeatCount = repetitions.map(Double.init) ?? .infinity
    return movement
  }
}
