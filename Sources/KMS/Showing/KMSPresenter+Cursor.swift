import Geometry
import LinuxSystem
import Raster

/// What a presenter knows of the cursor that is wanted.
struct CursorUse {
  var state = CursorState()
  var image: Image?
  /// Why the screen goes on without; nil while it does not.
  var refusal: FeatureRefusal?
  /// Whether memory was short for it when it was handed over last.
  var lacksMemory = false
}

/// The cursor: a change of it goes with the next frame, and by itself where none is due.
extension KMSPresenter {
  /// The size of the hardware's cursors; nil where there is none.
  var cursorSize: (width: Int, height: Int)? { scanOut.cursorSize }

  var cursorState: FeatureState {
    if let refusal = cursor.refusal { return .refused(refusal) }
    return cursor.image == nil ? .off : .on
  }

  /// Shows a cursor from now on, or none. One that was refused is refused until there is another one.
  func setCursor(_ new: Cursor?, at position: Point) {
    guard let new else {
      (cursor.state.wanted, cursor.image, cursor.refusal) = (nil, nil, nil)
      return
    }
    if cursor.image?.id != new.image.id {
      cursor.image = new.image
      (cursor.refusal, cursor.lacksMemory) = (nil, false)
      if let refusal = refusal(of: new.image) { return refuse(refusal) }
    }
    if cursor.refusal == nil {
      cursor.state.wanted = CursorState.Look(image: new.image.id, hotSpot: new.hotSpot, position: position)
      // Back where it is shown: what it lacked memory for is not tried again.
      if !cursor.state.isDue { cursor.lacksMemory = false }
    }
  }

  private func refusal(of image: Image) -> FeatureRefusal? {
    let connector = scanOut.pipe.connector.name
    guard let size = cursorSize else { return .noCursorPlane(connector: connector) }
    if image.width <= size.width, image.height <= size.height { return nil }
    return .cursorTooLarge(
      connector: connector, width: image.width, height: image.height, maximumWidth: size.width,
      maximumHeight: size.height)
  }

  private func refuse(_ refusal: FeatureRefusal) {
    cursor.state.wanted = nil
    cursor.refusal = refusal
    onRefusal?(refusal)
  }

  /// What the driver is still to be told of the cursor; nil for nothing.
  func cursorSetting() -> CursorSetting? {
    guard cursor.state.isDue else { return nil }
    guard let look = cursor.state.wanted, let image = cursor.image else { return .hidden }
    do throws(KMSError) {
      return try scanOut.cursorSetting(image, look)
    } catch {
      guard case .refused(_, _, let reason) = error else { return nil }
      cursorAnswered(.refused(reason))
      return cursor.state.isDue ? .hidden : nil
    }
  }

  func cursorAnswered(_ answer: ScanOut.CursorAnswer) {
    switch answer {
    case .left: break
    case .told:
      cursor.state.tell()
      cursor.lacksMemory = false
      if let image = cursor.state.wanted?.image { scanOut.didShowCursor(image) }
    case .lacksMemory(let error):
      // To hide one is tried until it is done: it would stay where it is.
      guard cursor.state.wanted != nil else { return }
      if cursor.lacksMemory { return cursorAnswered(.refused(error)) }
      cursor.lacksMemory = true
    case .refused(let error):
      // To hide one cannot be refused for long: what is shown goes with its memory.
      guard cursor.state.wanted != nil else { return cursor.state.tell() }
      refuse(.driver(connector: scanOut.pipe.connector.name, .cursor, error))
    }
  }
}
