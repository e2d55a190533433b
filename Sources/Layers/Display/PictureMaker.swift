import ImageFiles
import Raster

/// Makes the picture of a layer, on any thread.
protocol PictureMaker: Sendable {
  /// - Parameter isCancelled: is read between expensive steps; what is returned then is not used.
  func makePicture(for target: DrawingTarget, isCancelled: @escaping () -> Bool) throws -> MadePicture
}

struct MadePicture: Sendable {
  let image: Image
  let measures: DrawnMeasures
  /// The facts of the file that it comes from; nil for a picture that was drawn.
  var file: PictureFile?

  /// All pictures in it.
  var images: [Image] { file.map { $0.frames.map(\.image) + [image] } ?? [image] }
}

/// A picture that is drawn.
struct DrawnPicture: PictureMaker {
  let drawing: any Drawing

  func makePicture(for target: DrawingTarget, isCancelled: @escaping () -> Bool) throws -> MadePicture {
    MadePicture(
      image: try target.image(isCancelled: isCancelled, drawnBy: drawing.draw(in:)), measures: target.measures)
  }
}
