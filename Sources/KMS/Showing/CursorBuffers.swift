import LinuxSystem
import Raster

/// Where a cursor is shown from: two buffers of the size that the hardware wants, one of which may be painted while the
/// other is seen. Made when the first cursor is shown.
final class CursorBuffers {
  let width: Int
  let height: Int
  private let interface: any DRMInterface
  /// Nil for buffers that are shown by their handles.
  private let format: DRMPixelFormat?
  private var buffers: [DumbBuffer] = []
  /// What is in them.
  private var images: [UInt64?] = [nil, nil]
  private var shown = 0

  init(interface: any DRMInterface, width: Int, height: Int, format: DRMPixelFormat?) {
    self.interface = interface
    self.width = width
    self.height = height
    self.format = format
  }

  /// A buffer with the image, which is painted if no buffer has it. Only for an image that fits, and while no other is on
  /// its way to the screen.
  func buffer(for image: Image) throws(SystemError) -> DumbBuffer {
    while buffers.count < 2 {
      buffers.append(try DumbBuffer(interface: interface, width: width, height: height, format: format))
    }
    if images[shown] == image.id { return buffers[shown] }
    let spare = 1 - shown
    if images[spare] != image.id {
      buffers[spare].replace(with: image)
      images[spare] = image.id
    }
    return buffers[spare]
  }

  /// An image is on the screen, or on its way.
  func didShow(_ image: UInt64) {
    if images[shown] != image, images[1 - shown] == image { shown = 1 - shown }
  }

  func free() {
    buffers = []
    images = [nil, nil]
  }
}
