/// The calls that a simulated card counts and can let fail.
public enum CardCall: Int, CaseIterable, Sendable, CustomStringConvertible {
  case read, version, capability, setClientCapability
  case isMaster, setMaster, dropMaster
  case resources, connector, currentConnector, planes, plane, crtc, properties
  case blob, createBlob, destroyBlob
  case createDumbBuffer, destroyDumbBuffer, mapDumbBuffer, unmapDumbBuffer, addFramebuffer, removeFramebuffer
  case setCRTC, pageFlip, commit, setCursor, moveCursor
  case sequence, queueSequence, vblank, queueVBlank

  /// What libdrm calls it.
  public var description: String {
    switch self {
    case .read: "read"
    case .version: "drmGetVersion"
    case .capability: "drmGetCap"
    case .setClientCapability: "drmSetClientCap"
    case .isMaster: "drmIsMaster"
    case .setMaster: "drmSetMaster"
    case .dropMaster: "drmDropMaster"
    case .resources: "drmModeGetResources"
    case .connector: "drmModeGetConnector"
    case .currentConnector: "drmModeGetConnectorCurrent"
    case .planes: "drmModeGetPlaneResources"
    case .plane: "drmModeGetPlane"
    case .crtc: "drmModeGetCrtc"
    case .properties: "drmModeObjectGetProperties"
    case .blob: "drmModeGetPropertyBlob"
    case .createBlob: "drmModeCreatePropertyBlob"
    case .destroyBlob: "drmModeDestroyPropertyBlob"
    case .createDumbBuffer: "drmModeCreateDumbBuffer"
    case .destroyDumbBuffer: "drmModeDestroyDumbBuffer"
    case .mapDumbBuffer: "drmModeMapDumbBuffer"
    case .unmapDumbBuffer: "munmap"
    case .addFramebuffer: "drmModeAddFB2"
    case .removeFramebuffer: "drmModeRmFB"
    case .setCRTC: "drmModeSetCrtc"
    case .pageFlip: "drmModePageFlip"
    case .commit: "drmModeAtomicCommit"
    case .setCursor: "drmModeSetCursor2"
    case .moveCursor: "drmModeMoveCursor"
    case .sequence: "drmCrtcGetSequence"
    case .queueSequence: "drmCrtcQueueSequence"
    case .vblank, .queueVBlank: "drmWaitVBlank"
    }
  }
}

/// Counts calls, and lets some of them fail.
struct CallLog {
  private(set) var count = 0
  private(set) var counts = [Int](repeating: 0, count: CardCall.allCases.count)
  /// The call that was made to fail by its number.
  private(set) var failed: CardCall?
  private var failing: (number: Int, errno: Int32)?
  private var failingNext: (call: CardCall, errno: Int32)?
  /// By the call's place; 0 for those that succeed.
  private var refused = [Int32](repeating: 0, count: CardCall.allCases.count)

  /// Counts a call, and throws if it is to fail.
  mutating func note(_ call: CardCall) throws(Refusal) {
    let place = call.rawValue
    count += 1
    counts[place] += 1
    if let failing, failing.number == count {
      failed = call
      throw Refusal(failing.errno)
    }
    if let next = failingNext, next.call == call {
      failingNext = nil
      throw Refusal(next.errno)
    }
    if refused[place] != 0 { throw Refusal(refused[place]) }
  }

  mutating func fail(_ number: Int, errno: Int32) { failing = (count + number, errno) }

  mutating func fail(next call: CardCall, errno: Int32) { failingNext = (call, errno) }

  mutating func fail(_ call: CardCall, errno: Int32) { refused[call.rawValue] = errno }

  mutating func reset() {
    let size = counts.count
    for place in 0..<size { (counts[place], refused[place]) = (0, 0) }
    (count, failing, failingNext, failed) = (0, nil, nil, nil)
  }
}
