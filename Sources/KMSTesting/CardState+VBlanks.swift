import CDRM
import Glibc
import KMS
import LinuxSystem

extension CardState {
  /// The time of the next vblank that answers a request.
  var nextRequestedVBlank: MonotonicTime? {
    if vblanksAreStopped { return nil }
    return crtcs.reduce(nil) { earliest, crtc in
      guard !crtc.waiting.isEmpty, let next = crtc.vblanks.next else { return earliest }
      return min(earliest ?? next, next)
    }
  }

  /// Lets all vblanks up to `time` happen, those of several CRTCs in the order of their times.
  mutating func advance(to time: MonotonicTime) {
    if isUnplugged || vblanksAreStopped { return }
    while true {
      var due: (index: Int, time: MonotonicTime)?
      for (index, crtc) in crtcs.enumerated() {
        guard let next = crtc.vblanks.next, next <= time, next < due?.time ?? .distantFuture else { continue }
        due = (index, next)
      }
      guard let due else { return }
      crtcs[due.index].vblanks.advance()
      answer(due.index)
    }
  }

  /// Answers the requests for a CRTC's vblank.
  private mutating func answer(_ index: Int) {
    for request in crtcs[index].waiting {
      if request.kind.isFlip { showPlanes(ofCRTC: index) }
      send(request, crtc: index, time: crtcs[index].vblanks.last, sequence: crtcs[index].vblanks.sequence)
    }
    crtcs[index].waiting.removeAll(keepingCapacity: true)
  }

  /// Shows the settings of the CRTC's planes, or of those of one kind.
  mutating func showPlanes(ofCRTC index: Int, kind: Plane.Kind? = nil) {
    let id = crtcs[index].id
    for plane in planes.indices where kind == nil || planes[plane].kind == kind {
      let isOn = planes[plane].settings.crtc == id
      guard isOn || planes[plane].shownCRTC == id else { continue }
      planes[plane].shown = isOn ? planes[plane].settings.framebuffer : 0
      planes[plane].shownCRTC = isOn ? id : 0
      planes[plane].shownTarget = planes[plane].settings.target
    }
  }

  // MARK: On and off

  mutating func turnOn(crtc index: Int, at time: MonotonicTime) {
    crtcs[index].vblanks.turnOn(rate: crtcs[index].settings.mode?.refreshRate, at: time)
  }

  /// Answers pending requests at once, with the current sequence.
  mutating func turnOff(crtc index: Int) {
    answer(index)
    crtcs[index].vblanks.turnOff()
  }

  /// A blocking call waits for the flip that pends.
  mutating func finishFlip(ofCRTC index: Int) {
    guard crtcs[index].isFlipPending else { return }
    for request in crtcs[index].waiting where request.kind.isFlip {
      showPlanes(ofCRTC: index)
      send(request, crtc: index, time: crtcs[index].vblanks.last, sequence: crtcs[index].vblanks.sequence)
    }
    crtcs[index].waiting.removeAll { $0.kind.isFlip }
  }

  // MARK: Requests

  /// The error of a driver without vblanks. Kernels before 4.15 have only `EINVAL`.
  var vblankRefusal: Int32 { hasSequences ? EOPNOTSUPP : EINVAL }

  /// Refuses a request of a client that has no room for one more event.
  func requireRoom(_ client: Int) throws(Refusal) {
    if clients[client].outstandingEvents >= ClientState.eventCapacity { throw Refusal(ENOMEM) }
  }

  mutating func queue(_ kind: QueuedEvent.Kind, crtc index: Int, client: Int, token: UInt64) throws(Refusal) {
    guard hasVBlanks else { throw Refusal(vblankRefusal) }
    guard crtcs[index].vblanks.rate != nil else { throw Refusal(EINVAL) }
    try requireRoom(client)
    if vblankEventsToLose > 0 {
      vblankEventsToLose -= 1
      return
    }
    clients[client].outstandingEvents += 1
    crtcs[index].waiting.append(QueuedEvent(client: client, token: token, kind: kind))
  }

  /// Shows the settings of the CRTC's planes: at the next vblank, or now where the driver has none or the flip is
  /// asynchronous. The caller has checked for room.
  mutating func startFlip(
    ofCRTC index: Int, client: Int, token: UInt64, sendsEvent: Bool, isAsynchronous: Bool = false, at time: MonotonicTime
  ) {
    let isLost = sendsEvent && flipEventsToLose > 0
    if isLost { flipEventsToLose -= 1 }
    let sendsEvent = sendsEvent && !isLost
    let request = QueuedEvent(client: client, token: token, kind: sendsEvent ? .flip : .silentFlip)
    if sendsEvent { clients[client].outstandingEvents += 1 }
    if hasVBlanks, !isAsynchronous {
      crtcs[index].vblanks.flip = time
      return crtcs[index].waiting.append(request)
    }
    showPlanes(ofCRTC: index)
    // An asynchronous flip is stamped with the vblank before it.
    let vblanks = crtcs[index].vblanks
    send(request, crtc: index, time: hasVBlanks ? vblanks.last : time, sequence: hasVBlanks ? vblanks.sequence : 0)
  }

  // MARK: Events

  private func send(_ request: QueuedEvent, crtc index: Int, time: MonotonicTime, sequence: UInt64) {
    let nanoseconds = (time + stampOffset).nanoseconds
    let seconds = UInt32(truncatingIfNeeded: nanoseconds / 1_000_000_000)
    let microseconds = UInt32(truncatingIfNeeded: nanoseconds % 1_000_000_000 / 1_000)
    func header(_ type: Int32) -> drm_event { drm_event(type: UInt32(bitPattern: type), length: 32) }
    func stamped(_ type: Int32) -> drm_event_vblank {
      drm_event_vblank(
        base: header(type), user_data: request.token, tv_sec: seconds, tv_usec: microseconds,
        sequence: UInt32(truncatingIfNeeded: sequence), crtc_id: crtcs[index].id)
    }
    switch request.kind {
    case .silentFlip: break
    case .flip: write(stamped(DRM_EVENT_FLIP_COMPLETE), to: request.client)
    case .vblank: write(stamped(DRM_EVENT_VBLANK), to: request.client)
    case .sequence:
      write(
        drm_event_crtc_sequence(
          base: header(DRM_EVENT_CRTC_SEQUENCE), user_data: request.token, time_ns: nanoseconds, sequence: sequence),
        to: request.client)
    }
  }

  /// The pipe has room for as many events as a client may have outstanding.
  private func write<Event: BitwiseCopyable>(_ event: Event, to client: Int) {
    guard clients[client].isOpen else { return }
    withUnsafeBytes(of: event) { _ = Glibc.write(clients[client].eventWriter, $0.baseAddress, $0.count) }
  }
}
