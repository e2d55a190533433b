import CKernels
import Geometry
import RenderTree

/// The pixels of which the picture of an isolated layer is made, and the way from them to the output.
///
/// They do not depend on the whole pixels by which the layer moves: the same picture can be shown elsewhere.
struct PictureSpace {
  /// Maps the layer's coordinates to the picture's pixels.
  let transform: Affine
  /// The number of layers around it that become pictures, or that are painted without one though their effects ask for it: their
  /// effects are left out where it is too deep, see `TreeLayers.maximumPictureDepth`.
  let depth: Int
  private let way: Way
  /// The whole pixels from the picture to the output, beside what `way` does.
  private var (dx, dy): (Int32, Int32) = (0, 0)

  private enum Way {
    /// The picture has the output's pixels.
    case same
    /// It has its own measure, and may fill `extent`.
    case raster(RasterMap, extent: IntRect)
    case plane(PlaneMap)
  }

  /// Nil for a layer in perspective that is not seen.
  ///
  /// - Parameters:
  ///   - transform: from the layer's coordinates to the output's pixels; from its parent's for a layer in perspective.
  ///   - frame: all pixels that may be asked for.
  init?(_ layers: TreeLayers, of index: Int, end: Int, _ transform: Affine, depth: Int, frame: IntRect) {
    self.depth = depth
    let parts = layers.effects(at: index)?.parts
    if let homography = parts?.homography {
      guard let plane = layers.plane(of: index, end: end, homography, transform, depth: depth, frame: frame) else {
        return nil
      }
      (self.transform, way) = (plane.toPlane, .plane(plane))
    } else if let scale = parts?.rasterizationScale,
      let raster = RasterMap(layers.records[index].bounds, scale: scale, transform: transform)
    {
      self.transform = raster.toRaster
      if let offset = raster.offset {
        way = .same
        (dx, dy) = offset
      } else {
        let extent = layers.picturePixels(of: index, end: end, raster.toRaster, depth: depth)
        way = .raster(raster, extent: extent)
      }
    } else {
      way = .same
      (self.transform, dx, dy) = transform.withoutWholePixels
    }
  }

  /// All pixels that the picture may fill. Sampling mixes those at the edges with the clear ones around them.
  func extent(_ layers: TreeLayers, of index: Int, end: Int) -> IntRect {
    switch way {
    case .same: layers.flatPicturePixels(of: index, end: end, transform, depth: depth)
    case .raster(_, let extent): extent
    case .plane(let plane): plane.extent
    }
  }

  /// The picture's pixels that those of the output need.
  func source(of pixels: IntRect) -> IntRect {
    switch way {
    case .same: pixels.offsetBy(dx: -dx, dy: -dy)
    case .raster(let raster, let extent): raster.source(of: pixels, extent: extent)
    case .plane(let plane): plane.source(of: pixels)
    }
  }

  /// True if this picture has the pixels of `old`, and the output shows them so many pixels from there.
  func isMoved(from old: PictureSpace, dx: Int32, dy: Int32) -> Bool {
    guard case (.same, .same) = (way, old.way) else { return false }
    return transform == old.transform && self.dx == old.dx + dx && self.dy == old.dy + dy
  }

  /// The picture as the output shows it.
  ///
  /// - Parameter picture: has the `source(of:)` of the pixels that are asked for. It must outlive the result.
  func shown(_ picture: Picture) -> ShownPicture {
    if picture.pixels.isEmpty { return .clear }
    switch way {
    case .same:
      var target = picture.target
      target.pixels = target.pixels.offsetBy(dx: dx, dy: dy)
      return .same(target)
    case .raster(let raster, _): return .raster(raster.sampler(of: picture.target))
    case .plane(let plane): return .plane(plane.sampler(of: picture.target))
    }
  }
}

/// A picture by the output's coordinates.
enum ShownPicture {
  case clear
  case same(PixelTarget)
  case raster(ckernels_sampler)
  case plane(ckernels_plane)

  /// Pixels of a row of the output from `x` on: those of the picture itself, or made in `memory`.
  func row(
    _ y: Int32, from x: Int32, count: Int, _ kernels: UnsafePointer<ckernels_table>,
    _ memory: UnsafeMutablePointer<UInt32>
  ) -> UnsafeMutablePointer<UInt32> {
    switch self {
    case .clear: memory.update(repeating: 0, count: count)
    case .same(let target): return target.pointer(x: x, y: y)
    case .raster(let sampler): withUnsafePointer(to: sampler) { kernels.pointee.sample(memory, Int64(count), x, y, $0) }
    case .plane(let plane): withUnsafePointer(to: plane) { ckernels_sample_plane(memory, Int64(count), x, y, $0) }
    }
    return memory
  }

  /// A picture of pixels that are not in memory yet.
  func picture(of pixels: IntRect, _ kernels: UnsafePointer<ckernels_table>) -> Picture {
    let picture = Picture(pixels)
    for y in pixels.minY..<max(pixels.maxY, pixels.minY) {
      _ = row(y, from: pixels.minX, count: pixels.width, kernels, picture.target.pointer(x: pixels.minX, y: y))
    }
    return picture
  }
}
