import Geometry
import Layers
import LinuxSystem
import Raster

/// The pictures of rows.
extension ListLayer {
  /// The needed pictures depend on it.
  struct ImageView: Hashable {
    var visible: Range<Int>
    /// The rows around those that are seen, or that will be when the list is at rest.
    var near: Range<Int>
    var isFast: Bool
  }

  /// In another width and scale pictures may have other sizes.
  func followImageScale(_ dataSource: any ListLayerDataSource) {
    let scale = Size(bounds.width, outputScale)
    guard images != nil, exchange(&imageScale, with: scale) != scale else { return }
    forgetImages()
    for row in shown.keys {
      shown[row]?.image = image(of: row, dataSource)
      showPicture(of: row)
    }
  }

  /// Asks for the pictures of rows that are seen or near.
  func loadImages(_ window: RowWindow, _ dataSource: any ListLayerDataSource) {
    guard let images else { return }
    let isFast = abs(controller.velocity.y) > RowWindow.fastViewports * bounds.height
    images.isFast = isFast
    let target =
      isFast
      ? RowWindow(rows, position: controller.restPosition.y, viewport: bounds.height, velocity: 0) : window
    let view = ImageView(visible: window.visible, near: target.prefetched, isFast: isFast)
    guard view != imageView else { return }
    imageView = view
    rowImages = rowImages.filter { view.near.contains($0.key) || view.visible.contains($0.key) }
    var needed: [(image: RowImage, order: Int)] = []
    if !isFast || images.appearance == .atOnce {
      for row in view.visible { if let image = image(of: row, dataSource) { needed.append((image, 0)) } }
    }
    for row in view.near {
      guard let image = image(of: row, dataSource) else { continue }
      needed.append((image, 1 + Int(target.distance(top: rows.offset(of: row), height: rows.height(of: row)))))
    }
    images.need(needed)
  }

  func image(of row: Int, _ dataSource: any ListLayerDataSource) -> RowImage? {
    guard images != nil else { return nil }
    if let known = rowImages[row] { return known }
    let image = dataSource.list(self, imageFor: row).map { RowImage($0.name, size: $0.size, scale: outputScale) }
    rowImages[row] = .some(image)
    return image
  }

  func forgetImages() {
    rowImages = [:]
    imageView = nil
  }

  /// Shows what there is of a row's picture.
  func showPicture(of row: Int) {
    guard let entry = shown[row], let image = entry.image else { return }
    dataSource?.list(self, show: images?.picture(of: image), in: entry.layer, of: row)
  }

  /// Shows a picture in all rows that are seen with it.
  func show(_ picture: Image?, of image: RowImage) {
    for (row, entry) in shown where entry.image == image { dataSource?.list(self, show: picture, in: entry.layer, of: row) }
  }
}
