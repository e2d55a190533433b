import CDRM
import KMS
import LinuxSystem

/// All that a simulated card knows: its objects, and what each is set to. A value; `SimulatedCard` guards it.
///
/// Frames allocate nothing: objects stay where they are, and blobs reuse each other's memory.
struct CardState {
  /// What a connector is set to.
  struct ConnectorSettings {
    /// 0: driven by none.
    var crtc: UInt32 = 0
    var hdrBlob: UInt32 = 0
    var colorSpace: UInt64 = 0
    /// The screen is dark until a mode-set has it trained anew.
    var isLinkBad = false
  }

  struct Connector {
    let id: UInt32
    let name: String
    var isConnected: Bool
    /// Whether the driver cannot tell.
    var isUncertain: Bool
    /// The screen's.
    var modes: [DisplayMode]
    /// What the kernel knows of them since a screen was last asked; nil while none was.
    var knownModes: [DisplayMode]?
    let possibleCRTCs: UInt32
    /// Nil where the driver does not say.
    var takesVariableRate: Bool?
    var edidBlob: UInt32 = 0
    var settings = ConnectorSettings()

    var crtc: UInt32 {
      get { settings.crtc }
      set { settings.crtc = newValue }
    }

    func holds(_ blob: UInt32) -> Bool { edidBlob == blob || settings.hdrBlob == blob }
  }

  /// What a CRTC is set to.
  struct CRTCSettings {
    var isActive = false
    /// A copy of what the mode's blob says.
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
    /// What the next vblank is to do and tell, in the order in which it was asked for.
    var waiting: [VBlankRequest] = []

    var isFlipPending: Bool { waiting.contains(where: \.kind.isFlip) }
  }

  /// What a plane is set to.
  struct PlaneSettings: Equatable {
    var framebuffer: UInt32 = 0
    var crtc: UInt32 = 0
    /// Pixels in 16.16 fixed point.
    var source = (x: UInt64(0), y: UInt64(0), width: UInt64(0), height: UInt64(0))
    var target = (x: UInt64(0), y: UInt64(0), width: UInt64(0), height: UInt64(0))
    var rotation: UInt64 = 1
    var alpha: UInt64 = 0xFFFF
    /// 0 is premultiplied.
    var blendMode: UInt64 = 0

    static func == (first: PlaneSettings, second: PlaneSettings) -> Bool {
      first.framebuffer == second.framebuffer && first.crtc == second.crtc && first.source == second.source
        && first.target == second.target && first.rotation == second.rotation && first.alpha == second.alpha
        && first.blendMode == second.blendMode
    }
  }

  struct Plane {
    enum Kind: UInt64 {
      case overlay, primary, cursor

      /// The pixels that planes of the kind take.
      var format: DRMPixelFormat { self == .cursor ? .argb8888 : .xrgb8888 }
    }
    let id: UInt32
    let kind: Kind
    let possibleCRTCs: UInt32
    var settings = PlaneSettings()
    /// What the screen shows of it, and where: while a flip pends, that of before.
    var shown: UInt32 = 0
    var shownCRTC: UInt32 = 0
    var shownTarget = (x: UInt64(0), y: UInt64(0), width: UInt64(0), height: UInt64(0))
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
    /// Whether its maker holds it; properties hold it besides.
    var isOwned = false
  }

  var connectors: [Connector] = []
  var crtcs: [CRTC] = []
  var planes: [Plane] = []
  var framebuffers: [Framebuffer] = []
  var handles: [Handle] = []
  /// One for each time that it is mapped.
  var mappings: [BufferMemory] = []
  /// Those with the id 0 are free, and keep their memory.
  var blobs: [Blob] = []
  var clients: [ClientState] = []
  var isUnplugged = false
  /// How many of the next flips are not told.
  var flipEventsToLose = 0
  /// How many of the next vblanks that are asked for are not told.
  var vblankEventsToLose = 0
  var vblanksAreStopped = false
  /// Whether the driver has vblanks; without, flips are complete at once.
  let hasVBlanks: Bool
  /// Whether the kernel knows the calls for sequences.
  let hasSequences: Bool
  let isAtomic: Bool
  var takesAsynchronousFlips = false
  /// The picture of the cursor that another program has left.
  var leftoverCursor: UInt32 = 0
  var refusedModes: Set<String> = []
  /// What a commit is answered with which a cursor would be seen; 0 where there may be one.
  var cursorRefusal: Int32 = 0
  /// Properties that planes have and those for cursors have not.
  var missingCursorProperties: Set<String> = []
  var calls = CallLog()
  /// Room for a commit that is being checked: what CRTCs, planes and connectors would be set to.
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

  /// The plane that has a CRTC's picture.
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

  /// Frees blobs that neither their makers nor properties hold.
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
/// Sendable: the pointer never changes, and what is behind it is the simulated hardware's memory, shared as such.
final class BufferMemory: @unchecked Sendable {
  let pixels: UnsafeMutableRawBufferPointer

  init(byteCount: Int) {
    pixels = .allocate(byteCount: byteCount, alignment: 64)
    // Not black: a program that forgets to clear it is seen.
    pixels.initializeMemory(as: UInt8.self, repeating: 0xA5)
  }

  deinit { pixels.deallocate() }
}
