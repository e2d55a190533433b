import CDRM
import KMS
import LinuxSystem

/// A simulated card's objects and their settings. A value; `SimulatedCard` guards it.
///
/// Frames allocate nothing: objects stay in place, and blobs reuse each other's memory.
struct CardState {
  /// A connector's settings.
  struct ConnectorSettings {
    /// 0 when no CRTC drives it.
    var crtc: UInt32 = 0
    var hdrBlob: UInt32 = 0
    var colorSpace: UInt64 = 0
    /// The screen is dark until a mode-set trains the link anew.
    var isLinkBad = false
  }

  @dynamicMemberLookup
  struct Connector {
    let id: UInt32
    /// The connector as it was described; its screen may have changed since.
    var description: SimulatedCard.Connector
    /// The modes that the kernel knows since a screen was last asked; nil until then.
    var knownModes: [DisplayMode]?
    var edidBlob: UInt32 = 0
    var settings = ConnectorSettings()

    var crtc: UInt32 {
      get { settings.crtc }
      set { settings.crtc = newValue }
    }

    func holds(_ blob: UInt32) -> Bool { edidBlob == blob || settings.hdrBlob == blob }

    subscript<Value>(dynamicMember path: WritableKeyPath<SimulatedCard.Connector, Value>) -> Value {
      get { description[keyPath: path] }
      set { description[keyPath: path] = newValue }
    }
  }

  /// A CRTC's settings.
  struct CRTCSettings {
    var isActive = false
    /// The mode in the mode's blob.
    var mode: DisplayMode?
    var modeBlob: UInt32 = 0
    var gammaBlob: UInt32 = 0
    var degammaBlob: UInt32 = 0
    var colorMatrixBlob: UInt32 = 0
    var variableRate: UInt64 = 0

    func holds(_ blob: UInt32) -> Bool {
      modeBlob == blob || gammaBlob == blob || degammaBlob == blob || colorMatrixBlob == blob
    }
  }

  struct CRTC {
    let id: UInt32
    var settings = CRTCSettings()
    var vblanks = VBlankCounter()
    /// The requests for the next vblank, in their order.
    var waiting: [QueuedEvent] = []

    var isFlipPending: Bool { waiting.contains(where: \.kind.isFlip) }
  }

  struct PlaneRect: Equatable {
    var x: UInt64 = 0
    var y: UInt64 = 0
    var width: UInt64 = 0
    var height: UInt64 = 0
  }

  /// A plane's settings.
  struct PlaneSettings: Equatable {
    var framebuffer: UInt32 = 0
    var crtc: UInt32 = 0
    /// Pixels in 16.16 fixed point.
    var source = PlaneRect()
    var target = PlaneRect()
    var rotation: UInt64 = 1
    var alpha: UInt64 = 0xFFFF
    /// 0 means premultiplied.
    var blendMode: UInt64 = 0

    /// True if the picture is turned by a quarter, one way or the other.
    var isSideways: Bool { rotation & 0b1010 != 0 }

    /// Shows nothing. Rotation, alpha and blend mode stay, as in the kernel.
    mutating func turnOff() {
      (framebuffer, crtc) = (0, 0)
      (source, target) = (PlaneRect(), PlaneRect())
    }

    /// Fills a screen.
    mutating func show(_ framebuffer: UInt32, on crtc: UInt32, x: UInt32, y: UInt32, mode: DisplayMode) {
      (self.framebuffer, self.crtc) = (framebuffer, crtc)
      let (width, height) = size(in: mode)
      source = PlaneRect(x: UInt64(x) << 16, y: UInt64(y) << 16, width: UInt64(width) << 16, height: UInt64(height) << 16)
      target = PlaneRect(width: UInt64(mode.width), height: UInt64(mode.height))
    }

    /// The pixels of a framebuffer that fill a screen.
    func size(in mode: DisplayMode) -> (width: Int, height: Int) {
      isSideways ? (mode.height, mode.width) : (mode.width, mode.height)
    }
  }

  struct Plane {
    enum Kind: UInt64 {
      case overlay, primary, cursor

      /// The pixel format that planes of this kind take.
      var format: DRMPixelFormat { self == .cursor ? .argb8888 : .xrgb8888 }
    }
    let id: UInt32
    let kind: Kind
    let possibleCRTCs: UInt32
    var settings = PlaneSettings()
    /// The framebuffer that the screen shows, and where: the previous one while a flip pends.
    var shown: UInt32 = 0
    var shownCRTC: UInt32 = 0
    var shownTarget = PlaneRect()
  }

  struct Framebuffer {
    let id: UInt32
    let client: Int
    let memory: BufferMemory
    let width: Int
    let height: Int
    let bytesPerRow: Int
    var format = DRMPixelFormat.xrgb8888
  }

  struct Handle {
    let id: UInt32
    let client: Int
    let memory: BufferMemory
  }

  struct Blob {
    var id: UInt32 = 0
    var client = 0
    var bytes: [UInt8] = []
    /// True if its maker holds it; properties may hold it too.
    var isOwned = false
  }

  var connectors: [Connector] = []
  var crtcs: [CRTC] = []
  var planes: [Plane] = []
  var framebuffers: [Framebuffer] = []
  var handles: [Handle] = []
  /// One entry for each mapping.
  var mappings: [BufferMemory] = []
  /// Blobs with the id 0 are free, and keep their memory.
  var blobs: [Blob] = []
  var clients: [ClientState] = []
  var isUnplugged = false
  /// The number of next flips without an event.
  var flipEventsToLose = 0
  /// The number of next requested vblanks without an event.
  var vblankEventsToLose = 0
  var vblanksAreStopped = false
  /// The distance from the card's clock to that of the stamps.
  var stampOffset = Nanoseconds.zero
  /// True if the driver has vblanks; otherwise flips are complete at once.
  let hasVBlanks: Bool
  /// True if the kernel has the calls for sequences.
  let hasSequences: Bool
  let isAtomic: Bool
  var takesAsynchronousFlips = false
  var driver = "simulated"
  /// The layout that the driver tells for framebuffers.
  var layout = DRMFramebuffer.Layout.rows
  /// The framebuffer of the cursor that another program has left.
  var leftoverCursor: UInt32 = 0
  var refusedModes: Set<String> = []
  /// The error of commits that would show a cursor; 0 if cursors are allowed.
  var cursorRefusal: Int32 = 0
  /// The values of planes' rotation that the driver refuses, as bits.
  var refusedRotations: UInt64 = 0
  /// Properties that cursor planes lack.
  var missingCursorProperties: Set<String> = []
  var calls = CallLog()
  /// The settings of a commit that is being checked.
  var proposal = CommitProposal()
  private var lastID: UInt32 = 30

  init(hasVBlanks: Bool, hasSequences: Bool, isAtomic: Bool) {
    self.hasVBlanks = hasVBlanks
    self.hasSequences = hasSequences
    self.isAtomic = isAtomic
  }

  mutating func newID() -> UInt32 {
    lastID += 1
    return lastID
  }

  // MARK: Looking up

  func crtcIndex(_ id: UInt32) -> Int? { crtcs.firstIndex { $0.id == id } }
  func planeIndex(_ id: UInt32) -> Int? { planes.firstIndex { $0.id == id } }
  func connectorIndex(_ id: UInt32) -> Int? { connectors.firstIndex { $0.id == id } }
  func framebuffer(_ id: UInt32) -> Framebuffer? { framebuffers.first { $0.id == id } }
  func blobIndex(_ id: UInt32) -> Int? { id == 0 ? nil : blobs.firstIndex { $0.id == id } }

  /// A CRTC's primary plane.
  func primaryPlaneIndex(ofCRTC index: Int) -> Int? {
    planes.firstIndex { $0.kind == .primary && $0.possibleCRTCs & (1 << UInt32(index)) != 0 }
  }

  func canUse(_ crtc: UInt32, _ possible: UInt32) -> Bool {
    crtcIndex(crtc).map { possible & (1 << UInt32($0)) != 0 } ?? false
  }

  // MARK: Blobs

  mutating func addBlob(_ bytes: UnsafeRawBufferPointer, client: Int) -> UInt32 {
    if !blobs.contains(where: { $0.id == 0 }) { blobs.append(Blob()) }
    let index = blobs.firstIndex { $0.id == 0 } ?? 0
    blobs[index].id = newID()
    blobs[index].client = client
    blobs[index].isOwned = true
    blobs[index].bytes.removeAll(keepingCapacity: true)
    blobs[index].bytes.append(contentsOf: bytes)
    return blobs[index].id
  }

  /// Frees blobs that neither a maker nor a property holds.
  mutating func freeUnusedBlobs() {
    for index in blobs.indices where blobs[index].id != 0 && !blobs[index].isOwned {
      let id = blobs[index].id
      let isSet =
        crtcs.contains { $0.settings.holds(id) } || connectors.contains { $0.holds(id) }
      if !isSet { blobs[index].id = 0 }
    }
  }
}

/// The memory of a dumb buffer; freed with its last handle, framebuffer and mapping.
///
/// Sendable: the pointer never changes, and the memory is shared like a hardware's.
final class BufferMemory: @unchecked Sendable {
  let pixels: UnsafeMutableRawBufferPointer

  init(byteCount: Int) {
    pixels = .allocate(byteCount: byteCount, alignment: 64)
    // A pattern instead of black: a program that forgets to clear its buffer is noticed.
    pixels.initializeMemory(as: UInt8.self, repeating: 0xA5)
  }

  deinit { pixels.deallocate() }
}
