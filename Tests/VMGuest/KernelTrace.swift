import Glibc
import LinuxSystem

/// The kernel's own record of a program: the vblank and flip events that it sent, and the program's calls.
@MainActor
struct KernelTrace {
  private static let folder = "/sys/kernel/tracing"

  /// Starts recording DRM events and the ioctls of this program.
  init() {
    let folder = Self.folder
    Guest.shell("grep -q tracefs /proc/mounts || mount -t tracefs tracefs \(folder)")
    // The number of ioctl on x86-64.
    let ioctl = 16
    Guest.shell("echo 'common_pid == \(getpid()) && id == \(ioctl)' >\(folder)/events/raw_syscalls/sys_enter/filter")
    Guest.shell("echo 1 >\(folder)/events/raw_syscalls/sys_enter/enable")
    Guest.shell("echo 1 >\(folder)/events/drm/enable")
  }

  /// Clears the record.
  func clear() { Guest.shell("echo >\(Self.folder)/trace") }

  /// The number of events that the kernel sent at each vblank, by the vblank's sequence.
  var delivered: [UInt64: Int] {
    var counts: [UInt64: Int] = [:]
    // "… drm_vblank_event_delivered: file=…, crtc=0, seq=57"
    for line in lines where line.contains("drm_vblank_event_delivered:") {
      guard let sequence = line.split(separator: "seq=").last.flatMap({ UInt64($0) }) else {
        Guest.expect(false, "the tracer says \(line)")
        continue
      }
      counts[sequence, default: 0] += 1
    }
    return counts
  }

  var ioctls: Int { lines.filter { $0.contains("sys_enter:") }.count }

  private var lines: [Substring] {
    guard let bytes = try? OwnedDescriptor.contents(of: "\(Self.folder)/trace", limit: 1 << 24) else {
      Guest.expect(false, "the tracer does not answer")
      return []
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
  }
}
