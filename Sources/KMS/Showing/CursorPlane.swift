import Geometry
import Glibc
import LinuxSystem
import Presentation
import Raster

/// A screen's cursor: the image and place that are wanted, and those that the driver was last given. A pure value.
struct CursorPlane {
  /// An image in a place.
  struct Look: Equatable, Sendable {
    /// The image's identity.
    let image: UInt64
    /// The place of the turned image's upper left corner on the panel; it may be outside.
    let x: Int32
    let y: Int32
    let hotSpotX: Int32
    let hotSpotY: Int32

    /// - Parameter panel: the panel that shows the cursor, and how the picture is turned on it.
    init(_ cursor: Cursor, at position: Point, on panel: DisplayGeometry) {
      image = cursor.image.id
      let (width, height) = (Int32(clamping: cursor.image.width), Int32(clamping: cursor.image.height))
      let (right, bottom) = (Int32(clamping: panel.width), Int32(clamping: panel.height))
      let spot = (x: Self.pixel(cursor.hotSpot.x), y: Self.pixel(cursor.hotSpot.y))
      let place = (x: Self.pixel(position.x) - spot.x, y: Self.pixel(position.y) - spot.y)
      switch panel.rotation {
      case .none: (x, y, hotSpotX, hotSpotY) = (place.x, place.y, spot.x, spot.y)
      case .right: (x, y, hotSpotX, hotSpotY) = (right - place.y - height, place.x, height - 1 - spot.y, spot.x)
      case .half:
        (x, y) = (right - place.x - width, bottom - place.y - height)
        (hotSpotX, hotSpotY) = (width - 1 - spot.x, height - 1 - spot.y)
      case .left: (x, y, hotSpotX, hotSpotY) = (place.y, bottom - place.x - width, spot.y, width - 1 - spot.x)
      }
    }

    /// Clamped so that the sum of two cannot overflow; no screen is that large.
    private static func pixel(_ value: Double) -> Int32 {
      guard value.isFinite else { return 0 }
      return Int32(min(max(value.rounded(.down), -1e6), 1e6))
    }
  }

  private enum Wish {
    case none
    /// - lacksMemory: the last commit with it failed for want of memory. A second failure is a refusal.
    case shown(Image, Look, lacksMemory: Bool)
    /// The screen goes on without this image, until there is another one.
    case refused(Image, FeatureRefusal)
  }

  private var wish = Wish.none
  private var told: Look?

  /// The wanted image and its place; nil for no cursor.
  var wanted: (image: Image, look: Look)? {
    if case .shown(let image, let look, _) = wish { (image, look) } else { nil }
  }

  var state: FeatureState {
    switch wish {
    case .none: .off
    case .shown: .on
    case .refused(_, let refusal): .refused(refusal)
    }
  }

  /// True if the driver does not have the wanted cursor yet.
  var isDue: Bool { wanted?.look != told }

  /// Shows a cursor from now on, or none. An image that was refused stays refused.
  ///
  /// - Parameter check: says why a new image cannot be shown; nil if it can.
  /// - Returns: the refusal of a new image.
  mutating func show(
    _ cursor: Cursor?, at position: Point, on panel: DisplayGeometry, check: (Image) -> FeatureRefusal?
  ) -> FeatureRefusal? {
    guard let cursor else {
      wish = .none
      return nil
    }
    let look = Look(cursor, at: position, on: panel)
    switch wish {
    case .refused(let image, _) where image.id == cursor.image.id: return nil
    case .shown(let image, _, let lacksMemory) where image.id == cursor.image.id:
      // Back where it is shown: earlier want of memory does not count.
      wish = .shown(image, look, lacksMemory: lacksMemory && look != told)
    default:
      if let refusal = check(cursor.image) {
        wish = .refused(cursor.image, refusal)
        return refusal
      }
      wish = .shown(cursor.image, look, lacksMemory: false)
    }
    return nil
  }

  /// The driver has taken what is wanted.
  mutating func tell() {
    told = wanted?.look
    if case .shown(let image, let look, true) = wish { wish = .shown(image, look, lacksMemory: false) }
  }

  /// The screen no longer shows the cursor that the driver was given.
  mutating func forget() { told = nil }

  /// Memory was short for a commit with the cursor.
  ///
  /// - Returns: true if that makes a refusal. To hide a cursor is tried until it works: it would stay where it is.
  mutating func lackMemory() -> Bool {
    guard case .shown(let image, let look, let lacksMemory) = wish else { return false }
    if !lacksMemory { wish = .shown(image, look, lacksMemory: true) }
    return lacksMemory
  }

  /// The driver does not take the cursor.
  ///
  /// - Returns: true if there was one to refuse. To hide one cannot be refused for long: the picture goes with its memory.
  mutating func refuse(_ refusal: FeatureRefusal) -> Bool {
    guard let image = wanted?.image else {
      told = nil
      return false
    }
    wish = .refused(image, refusal)
    return true
  }

  /// The longest wait of a change for a frame at a variable rate: every commit is a refresh there, and a moving pointer would
  /// take the rate from the scene. 30 Hz look steady.
  static let patience = Nanoseconds.seconds(1) / 30

  /// The time until which a change waits for a frame to go with; nil if it does not wait.
  ///
  /// - Parameter last: the time of the last commit.
  static func wait(
    isVariable: Bool, isFrameWanted: Bool, last: MonotonicTime, now: MonotonicTime
  ) -> MonotonicTime? {
    let end = last + patience
    return isVariable && isFrameWanted && now < end ? end : nil
  }
}

/// The memory that cursors are shown from: two buffers of the hardware's size, so that one can be painted while the other is
/// seen. Made when the first cursor is shown.
final class CursorBuffers {
  let width: Int
  let height: Int
  private let interface: any DRMInterface
  /// Nil for buffers that are shown by their handles.
  private let format: DRMPixelFormat?
  private var buffers: [DumbBuffer] = []
  /// The image in each buffer.
  private var images: [UInt64?] = [nil, nil]
  private var shown = 0

  init(interface: any DRMInterface, width: Int, height: Int, format: DRMPixelFormat?) {
    self.interface = interface
    self.width = width
    self.height = height
    self.format = format
  }

  /// A buffer with the image, which is painted if no buffer has it. Only for an image that fits, and while no other cursor
  /// pends.
  func buffer(for image: Image, turned rotation: DisplayRotation) throws(SystemError) -> DumbBuffer {
    while buffers.count < 2 {
      buffers.append(try DumbBuffer(interface: interface, width: width, height: height, format: format))
    }
    if images[shown] == image.id { return buffers[shown] }
    let spare = 1 - shown
    if images[spare] != image.id {
      guard let turned = rotation == .none ? image : try? image.turned(rotation) else {
        throw SystemError(call: "posix_memalign", subject: "cursor", errno: ENOMEM)
      }
      buffers[spare].replace(with: turned)
      images[spare] = image.id
    }
    return buffers[spare]
  }

  /// The image is on the screen, or pends.
  func didShow(_ image: UInt64) {
    if images[shown] != image, images[1 - shown] == image { shown = 1 - shown }
  }

  func free() {
    buffers = []
    images = [nil, nil]
  }
}
