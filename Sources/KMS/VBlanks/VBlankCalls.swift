import FrameTiming
import Glibc
import LinuxSystem

/// The kernel's calls that tell of a CRTC's vblanks.
enum VBlankCalls: Equatable, Sendable {
  /// `drmCrtcQueueSequence`: stamps in nanoseconds, 64 bits of sequence.
  case sequences(crtc: UInt32)
  /// `drmWaitVBlank`, all that a kernel before 4.15 has: stamps in microseconds, 32 bits of sequence.
  ///
  /// - Parameter pipe: the CRTC's place in the card's list.
  case events(pipe: Int)

  /// Finds the calls by trying: drivers without vblanks report every capability all the same.
  ///
  /// - Returns: nil where the driver has none.
  /// - Throws: errors other than those of a driver without vblanks and of a CRTC that is off.
  static func find(crtc: UInt32, pipe: Int, on interface: any DRMInterface) throws(SystemError) -> VBlankCalls? {
    do throws(SystemError) {
      _ = try interface.sequence(ofCRTC: crtc)
      return .sequences(crtc: crtc)
    } catch {
      switch error.errno {
      case EOPNOTSUPP: return nil
      // The CRTC is off, or the kernel does not know the call.
      case EINVAL where knowsSequences(interface): return .sequences(crtc: crtc)
      case EINVAL, ENOTTY, ENOSYS: return try findEvents(crtc: crtc, pipe: pipe, on: interface)
      default: throw error
      }
    }
  }

  /// Asks about a CRTC that cannot exist: a kernel that knows the call misses it.
  private static func knowsSequences(_ interface: any DRMInterface) -> Bool {
    do throws(SystemError) {
      _ = try interface.sequence(ofCRTC: 0)
      return true
    } catch {
      return error.errno == ENOENT
    }
  }

  private static func findEvents(crtc: UInt32, pipe: Int, on interface: any DRMInterface) throws(SystemError) -> VBlankCalls?
  {
    do throws(SystemError) {
      _ = try interface.vblank(ofPipe: pipe)
      return .events(pipe: pipe)
    } catch {
      switch error.errno {
      case EOPNOTSUPP, ENOTTY, ENOSYS: return nil
      // Kernels of that age also answer so for drivers without vblanks. A CRTC that is off may turn out to have none when it
      // is on: then the display comes back with a clock.
      case EINVAL: return try isOn(crtc, interface) ? nil : .events(pipe: pipe)
      default: throw error
      }
    }
  }

  private static func isOn(_ crtc: UInt32, _ interface: any DRMInterface) throws(SystemError) -> Bool {
    guard try interface.crtc(crtc).mode != nil else { return false }
    // A blanked screen has a mode.
    return try interface.properties(of: crtc, type: .crtc)["ACTIVE"]?.value != 0
  }

  /// The newest vblank. `EINVAL`: the CRTC is off.
  ///
  /// - Parameter reference: a recent sequence, from which 32 bits are widened.
  func newest(on interface: any DRMInterface, near reference: UInt64 = 0) throws(SystemError) -> VBlank {
    switch self {
    case .sequences(let crtc):
      let newest = try interface.sequence(ofCRTC: crtc)
      return VBlank(timestamp: newest.time, sequence: newest.sequence)
    case .events(let pipe):
      let newest = try interface.vblank(ofPipe: pipe)
      return VBlank(timestamp: newest.time, sequence: UInt64(widening: newest.sequence, near: reference))
    }
  }

  /// Asks for an event with `token` at the next vblank. `ENOMEM`: too many events have not been read.
  func queueNext(on interface: any DRMInterface, token: UInt64) throws(SystemError) {
    switch self {
    case .sequences(let crtc): try interface.queueNextSequence(ofCRTC: crtc, token: token)
    case .events(let pipe): try interface.queueNextVBlank(ofPipe: pipe, token: token)
    }
  }

  /// The error for an event that `queueNext` requested and that does not come.
  var silence: SystemError {
    switch self {
    case .sequences(let crtc): SystemError(call: "drmCrtcQueueSequence", subject: "CRTC \(crtc)", errno: ETIME)
    case .events(let pipe): SystemError(call: "drmWaitVBlank", subject: "pipe \(pipe)", errno: ETIME)
    }
  }

  /// For people.
  func name(driver: String) -> String {
    switch self {
    case .sequences: "vblank events of \(driver)"
    case .events: "vblank events of \(driver), stamped to the microsecond: the kernel is older than 4.15"
    }
  }
}
extension UInt64 {
  /// The 64-bit number with these low 32 bits that is nearest to `reference`: flip events carry only half a sequence.
  init(widening low: UInt32, near reference: UInt64) {
    let distance = Int64(Int32(bitPattern: low &- UInt32(truncatingIfNeeded: reference)))
    let (sum, overflow) = reference.addingReportingOverflow(UInt64(distance.magnitude))
    if distance >= 0 {
      self = overflow ? UInt64(low) : sum
    } else {
      self = reference >= distance.magnitude ? reference - distance.magnitude : UInt64(low)
    }
  }
}
