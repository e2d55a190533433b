import Glibc
import LinuxSystem

/// What the kernel itself has seen of a program: the vblank and flip events that it sent, the calls that were made.
@MainActor
struct KernelTrace {
  private static let folder = "/sys/kernel/tracing"

  /// Begins to record events of DRM, and the ioctls of this program.
  init() {
    let folder = Self.folder
    Guest.shell("grep -q tracefs /proc/mounts || mount -t tracefs tracefs \(folder)")
    // Its number on x86-64.
    let ioctl = 16
    Guest.shell("echo 'common_pid == \(getpid()) && id == \(ioctl)' >\(folder)/events/raw_syscalls/sys_enter/filter")
    Guest.shell("echo 1 >\(folder)/events/raw_syscalls/sys_enter/enable")
    Guest.shell("echo 1 >\(folder)/events/drm/enable")
  }

  /// Forgets what was recorded.
  func clear() { Guest.shell("echo >\(Self.folder)/trace") }

  /// How many events the kernel sent at each vblank, by its number.
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
