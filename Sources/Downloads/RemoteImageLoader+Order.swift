public import ImageFiles
public import Raster

/// Rows of a list may show pictures of the web: `RowImages(loader: remoteImageLoader)`.
extension RemoteImageLoader: OrderedImageLoader {
  /// Loads the picture of an address; one that cannot be read is told by the completion.
  public func load(
    named name: String, fitting box: PixelSize, order: Int,
    completion: @escaping @MainActor (Result<Image, any Error>) -> Void
  ) -> any OrderedImageRequest {
    do throws(TransferError) {
      let address = try WebAddress(name)
      return load(address, fitting: box, order: order) { completion($0.mapError { $0 }) }
    } catch {
      let request = RefusedImageRequest(order: order)
      later { if !request.isCancelled { completion(.failure(RemoteImageError.transfer(error))) } }
      return request
    }
  }
}

extension RemoteImageRequest: OrderedImageRequest {}

/// A request that fails later.
@MainActor
private final class RefusedImageRequest: OrderedImageRequest {
  var order: Int
  private(set) var isCancelled = false

  init(order: Int) { self.order = order }

  func cancel() { isCancelled = true }
}
