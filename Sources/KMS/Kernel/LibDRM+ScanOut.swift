import CDRM
import Glibc
package import LinuxSystem

extension LibDRM {
  package func createDumbBuffer(width: Int, height: Int) throws(SystemError) -> DRMDumbBuffer {
    let (wide, high) = (UInt32(clamping: width), UInt32(clamping: height))
    var (handle, pitch, size) = (UInt32(0), UInt32(0), UInt64(0))
    try check(
      drmModeCreateDumbBuffer(descriptor, wide, high, 32, 0, &handle, &pitch, &size), "drmModeCreateDumbBuffer",
      "\(width)x\(height)")
    return DRMDumbBuffer(handle: handle, bytesPerRow: Int(pitch), byteCount: Int(clamping: size))
  }

  package func destroyDumbBuffer(_ handle: UInt32) throws(SystemError) {
    try check(drmModeDestroyDumbBuffer(descriptor, handle), "drmModeDestroyDumbBuffer", "\(handle)")
  }

  package func mapDumbBuffer(_ buffer: DRMDumbBuffer) throws(SystemError) -> UnsafeMutableRawBufferPointer {
    var offset: UInt64 = 0
    try check(drmModeMapDumbBuffer(descriptor, buffer.handle, &offset), "drmModeMapDumbBuffer")
    let mapped = mmap(
      nil, buffer.byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, Int(clamping: offset))
    guard mapped != MAP_FAILED, let mapped else { throw .last(call: "mmap", subject: "dumb buffer of \(path)") }
    return UnsafeMutableRawBufferPointer(start: mapped, count: buffer.byteCount)
  }

  package func unmapDumbBuffer(_ memory: UnsafeMutableRawBufferPointer) {
    munmap(memory.baseAddress, memory.count)
  }

  package func addFramebuffer(
    _ buffer: DRMDumbBuffer, width: Int, height: Int, format: DRMPixelFormat
  ) throws(SystemError) -> UInt32 {
    // The first of up to four planes of pixels.
    let handles: InlineArray<4, UInt32> = [buffer.handle, 0, 0, 0]
    let pitches: InlineArray<4, UInt32> = [UInt32(clamping: buffer.bytesPerRow), 0, 0, 0]
    let offsets: InlineArray<4, UInt32> = [0, 0, 0, 0]
    var framebuffer: UInt32 = 0
    let result = handles.span.withUnsafeBufferPointer { handles in
      pitches.span.withUnsafeBufferPointer { pitches in
        offsets.span.withUnsafeBufferPointer { offsets in
          drmModeAddFB2(
            descriptor, UInt32(clamping: width), UInt32(clamping: height), format.code, handles.baseAddress,
            pitches.baseAddress, offsets.baseAddress, &framebuffer, 0)
        }
      }
    }
    try check(result, "drmModeAddFB2", "\(width)x\(height)")
    return framebuffer
  }

  package func framebuffer(_ id: UInt32) throws(SystemError) -> DRMFramebuffer {
    guard let found = drmModeGetFB2(descriptor, id) else { throw .last(call: "drmModeGetFB2", subject: "\(id)") }
    defer { drmModeFreeFB2(found) }
    let framebuffer = found.pointee
    let isPlain =
      framebuffer.offsets.0 == 0 && [cdrm_format_xrgb8888, cdrm_format_argb8888].contains(framebuffer.pixel_format)
    let layout: DRMFramebuffer.Layout =
      if !isPlain { .other } else if framebuffer.flags & UInt32(DRM_MODE_FB_MODIFIERS) == 0 { .untold } else {
        framebuffer.modifier == 0 ? .rows : .other
      }
    let (pitch, height) = (Int(framebuffer.pitches.0), Int(framebuffer.height))
    return DRMFramebuffer(
      width: Int(framebuffer.width), height: height, layout: layout,
      buffer: framebuffer.handles.0 == 0
        ? nil : DRMDumbBuffer(handle: framebuffer.handles.0, bytesPerRow: pitch, byteCount: pitch * height))
  }

  package func removeFramebuffer(_ id: UInt32) throws(SystemError) {
    try check(drmModeRmFB(descriptor, id), "drmModeRmFB", "\(id)")
  }

  package func setCRTC(
    _ crtc: UInt32, framebuffer: UInt32, x: UInt32, y: UInt32, connectors: [UInt32], mode: DisplayMode?
  ) throws(SystemError) {
    var connectors = connectors
    let count = Int32(clamping: connectors.count)
    let result: Int32
    if var info = mode?.info {
      result = drmModeSetCrtc(descriptor, crtc, framebuffer, x, y, &connectors, count, &info)
    } else {
      result = drmModeSetCrtc(descriptor, crtc, framebuffer, x, y, &connectors, count, nil)
    }
    try check(result, "drmModeSetCrtc", "CRTC \(crtc)")
  }

  package func pageFlip(
    crtc: UInt32, framebuffer: UInt32, isAsynchronous: Bool, token: UInt64
  ) throws(SystemError) {
    let flags = DRM_MODE_PAGE_FLIP_EVENT | (isAsynchronous ? DRM_MODE_PAGE_FLIP_ASYNC : 0)
    // The kernel returns the pointer as a number.
    let userData = UnsafeMutableRawPointer(bitPattern: UInt(truncatingIfNeeded: token))
    try check(
      drmModePageFlip(descriptor, crtc, framebuffer, UInt32(bitPattern: flags), userData), "drmModePageFlip",
      "CRTC \(crtc)")
  }

  package func setCursor(
    ofCRTC crtc: UInt32, handle: UInt32, width: Int, height: Int, hotSpotX: Int32, hotSpotY: Int32
  ) throws(SystemError) {
    try check(
      drmModeSetCursor2(
        descriptor, crtc, handle, UInt32(clamping: width), UInt32(clamping: height), hotSpotX, hotSpotY),
      "drmModeSetCursor2", "CRTC \(crtc)")
  }

  package func moveCursor(ofCRTC crtc: UInt32, x: Int32, y: Int32) throws(SystemError) {
    try check(drmModeMoveCursor(descriptor, crtc, x, y), "drmModeMoveCursor", "CRTC \(crtc)")
  }

  /// The ioctl itself: libdrm's own request is a list that it copies, sorts and frees for each commit.
  package func commit(
    _ settings: [PropertySetting], flags: DRMCommitFlags, token: UInt64, subject: StaticString
  ) throws(SystemError) {
    let count = settings.count
    let result = withUnsafeTemporaryAllocation(of: UInt64.self, capacity: count) { values in
      withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 3 * count) { numbers in
        let objects = UnsafeMutableBufferPointer(rebasing: numbers[..<count])
        let counts = UnsafeMutableBufferPointer(rebasing: numbers[count..<(2 * count)])
        let properties = UnsafeMutableBufferPointer(rebasing: numbers[(2 * count)...])
        // Consecutive settings of one object share an entry.
        var last = -1
        for (index, setting) in settings.enumerated() {
          if last < 0 || objects[last] != setting.object {
            last += 1
            objects[last] = setting.object
            counts[last] = 0
          }
          counts[last] += 1
          properties[index] = setting.property
          values[index] = setting.value
        }
        var request = drm_mode_atomic(
          flags: flags.rawValue, count_objs: UInt32(clamping: last + 1), objs_ptr: objects.address,
          count_props_ptr: counts.address, props_ptr: properties.address, prop_values_ptr: values.address, reserved: 0,
          user_data: token)
        return drmIoctl(descriptor, cdrm_ioctl_mode_atomic, &request)
      }
    }
    try checkErrno(result, "drmModeAtomicCommit", "\(subject)")
  }
}

extension UnsafeMutableBufferPointer {
  /// The address as the kernel takes it.
  fileprivate var address: UInt64 { UInt64(UInt(bitPattern: baseAddress)) }
}
