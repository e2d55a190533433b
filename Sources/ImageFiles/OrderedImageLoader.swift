public import Raster

/// Loads pictures in the order in which they are needed, which may change while they wait: a list asks one for the pictures of its rows.
///
/// A name says what is to be loaded: a file's path, an address, or anything else that the loader understands.
@MainActor
public protocol OrderedImageLoader: AnyObject {
  /// Begins to load a picture, away from the main thread.
  ///
  /// - Parameters:
  ///   - box: the pixels into which it is to fit; it is made smaller for them.
  ///   - order: the place among the requests that wait: lower ones are loaded first.
  ///   - completion: is called once, later, on the main thread; not after `OrderedImageRequest.cancel()`.
  func load(
    named name: String, fitting box: PixelSize, order: Int,
    completion: @escaping @MainActor (Result<Image, any Error>) -> Void
  ) -> any OrderedImageRequest
}

/// A picture that is being loaded. It goes on if nobody holds this object.
@MainActor
public protocol OrderedImageRequest: AnyObject {
  var order: Int { get set }
  func cancel()
}
