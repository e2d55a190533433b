import Geometry
import ImageFiles
import Raster

/// Makes the picture of a layer, on any thread.
protocol PictureMaker: Sendable {
  /// - Parameters:
  ///   - isCancelled: is read between expensive steps; what is returned then is not used.
  ///   - showCoarse: takes pictures that are shown until the whole one is made; nil where nobody sees them.
  func makePicture(
    for target: DrawingTarget, isCancelled: @escaping () -> Bool, showCoarse: ((MadePicture) -> Void)?
  ) throws -> MadePicture
}

struct MadePicture: Sendable {
  let image: Image
  let measures: DrawnMeasures
  /// The rectangle of the layer that it shows; nil for a file's.
  var rect: Rect?
  /// The facts of the file that it comes from; nil for a picture that was drawn.
  var file: PictureFile?

  /// All pictures in it.
  var images: [Image] { file.map { $0.frames.map(\.image) + [image] } ?? [image] }
}

/// A picture that is drawn.
struct DrawnPicture: PictureMaker {
  let drawing: any Drawing

  func makePicture(
    for target: DrawingTarget, isCancelled: @escaping () -> Bool, showCoarse: ((MadePicture) -> Void)?
  ) throws -> MadePicture {
    MadePicture(
      image: try target.image(isCancelled: isCancelled, drawnBy: drawing.draw(in:)), measures: target.measures,
      rect: target.bounds)
  }
}

/// Something that pictures are made for: a layer, or a tile of one.
@MainActor
protocol PictureTaker: AnyObject {
  var asynchronous: AsynchronousDisplay { get set }
  /// Shows a picture that was made.
  func take(_ picture: MadePicture)
  /// Called when no picture could be made.
  func displayFailed(_ error: any Error)
}

extension Layer: PictureTaker {}
