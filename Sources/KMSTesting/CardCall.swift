/// The calls that a simulated card counts and can let fail. The raw value is libdrm's name, with an argument where one
/// function of libdrm serves two calls. `close` is not counted, and cannot fail.
public enum CardCall: String, CaseIterable, Sendable, CustomStringConvertible {
  case read = "read", version = "drmGetVersion", capability = "drmGetCap", setClientCapability = "drmSetClientCap"
  case isMaster = "drmIsMaster", setMaster = "drmSetMaster", dropMaster = "drmDropMaster"
  case resources = "drmModeGetResources", connector = "drmModeGetConnector"
  case currentConnector = "drmModeGetConnectorCurrent", planes = "drmModeGetPlaneResources", plane = "drmModeGetPlane"
  case crtc = "drmModeGetCrtc", properties = "drmModeObjectGetProperties", blob = "drmModeGetPropertyBlob"
  case createBlob = "drmModeCreatePropertyBlob", destroyBlob = "drmModeDestroyPropertyBlob"
  case createDumbBuffer = "drmModeCreateDumbBuffer", destroyDumbBuffer = "drmModeDestroyDumbBuffer"
  case mapDumbBuffer = "drmModeMapDumbBuffer", unmapDumbBuffer = "munmap", addFramebuffer = "drmModeAddFB2"
  case framebuffer = "drmModeGetFB2", removeFramebuffer = "drmModeRmFB", setCRTC = "drmModeSetCrtc"
  case pageFlip = "drmModePageFlip"
  case commit = "drmModeAtomicCommit", setCursor = "drmModeSetCursor2", moveCursor = "drmModeMoveCursor"
  case sequence = "drmCrtcGetSequence", queueSequence = "drmCrtcQueueSequence", vblank = "drmWaitVBlank"
  case queueVBlank = "drmWaitVBlank DRM_VBLANK_EVENT", close = "close"

  /// libdrm's name.
  public var description: String { String(rawValue.prefix { $0 != " " }) }
}

/// Counts calls, and lets some of them fail.
struct CallLog {
  private(set) var count = 0
  private(set) var counts: [CardCall: Int] = [:]
  /// The call that failed by its number.
  private(set) var failed: CardCall?
  private var failing: (number: Int, errno: Int32)?
  private var failingNext: (call: CardCall, errno: Int32)?
  private var refused: [CardCall: Int32] = [:]
  /// Run once, before the next call of a kind.
  var before: [CardCall: @Sendable () -> Void] = [:]

  /// Counts a call, and throws if a test wants it to fail.
  mutating func note(_ call: CardCall) throws(Refusal) {
    count += 1
    counts[call, default: 0] += 1
    if let failing, failing.number == count {
      failed = call
      throw Refusal(failing.errno)
    }
    if let next = failingNext, next.call == call {
      failingNext = nil
      throw Refusal(next.errno)
    }
    if let errno = refused[call] { throw Refusal(errno) }
  }

  mutating func fail(_ number: Int, errno: Int32) { failing = (count + number, errno) }

  mutating func fail(next call: CardCall, errno: Int32) { failingNext = (call, errno) }

  mutating func fail(_ call: CardCall, errno: Int32) { refused[call] = errno == 0 ? nil : errno }

  mutating func reset() { self = CallLog() }
}

/// The error number of a simulated kernel's call.
struct Refusal: Error {
  let errno: Int32

  init(_ errno: Int32) { self.errno = errno }
}
