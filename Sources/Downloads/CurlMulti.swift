internal import CCurl
internal import LinuxSystem
internal import RunLoops

/// The transfers of libcurl on a loop: a descriptor source for each socket that it waits for, and an alarm for its next time. All calls
/// are made on the loop's thread.
///
/// Safe to share although unchecked: everything is used on the loop's thread alone, where the loop calls its sources.
final class CurlMulti: @unchecked Sendable {
  /// Calls that libcurl makes may not call it in turn. All that ended is reported when it has returned.
  private let multi: UnsafeMutableRawPointer
  private let loop: FrameLoop
  private var watched: [curl_socket_t: FrameLoop.DescriptorSource] = [:]
  private var alarm: FrameLoop.Alarm?
  /// Told of each transfer that has ended, on the loop's thread.
  private let ended: (UnsafeMutableRawPointer, CURLcode) -> Void

  private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  init(
    loop: FrameLoop, idleConnections: Int, ended: @escaping (UnsafeMutableRawPointer, CURLcode) -> Void
  ) throws(TransferError) {
    guard Self.isReady, let multi = curl_multi_init() else { throw .noMemory }
    (self.multi, self.loop, self.ended) = (multi, loop, ended)
    ccurl_set_multi_long(multi, CURLMOPT_MAXCONNECTS, idleConnections)
    let code = ccurl_set_watchers(multi, socketChanged, timeChanged, Unmanaged.passUnretained(self).toOpaque())
    guard code == CURLM_OK else {
      curl_multi_cleanup(multi)
      throw .noMemory
    }
    let alarm = FrameLoop.Alarm(.onLoop { [weak self] in self?.timeHasCome() })
    loop.add(alarm, to: .default)
    self.alarm = alarm
  }

  /// Closes all connections. No transfer may be left, and no call may follow.
  func close() {
    curl_multi_cleanup(multi)
    alarm?.invalidate()
    for source in watched.values { source.invalidate() }
    watched = [:]
  }

  /// The number of sockets that the loop waits for.
  var socketCount: Int { watched.count }

  /// Begins a transfer. It makes its first step in the next pass.
  func add(_ easy: UnsafeMutableRawPointer) -> Bool { curl_multi_add_handle(multi, easy) == CURLM_OK }

  /// Takes out a transfer, whether it has ended or not.
  func remove(_ easy: UnsafeMutableRawPointer) { curl_multi_remove_handle(multi, easy) }

  // MARK: Called by the loop

  private func timeHasCome() { act(on: CURL_SOCKET_TIMEOUT, 0) }

  private func isReady(_ socket: curl_socket_t, _ events: DescriptorEvents) {
    var mask: Int32 = 0
    if events.contains(.readable) { mask |= CURL_CSELECT_IN }
    if events.contains(.writable) { mask |= CURL_CSELECT_OUT }
    // A reader learns of an error or of the end by reading.
    if !events.isDisjoint(with: [.error, .hangUp]) { mask |= CURL_CSELECT_ERR | CURL_CSELECT_IN }
    act(on: socket, mask)
  }

  private func act(on socket: curl_socket_t, _ events: Int32) {
    var running: Int32 = 0
    curl_multi_socket_action(multi, socket, events, &running)
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
      // The message is gone when its transfer is taken out.
      ended(easy, message.pointee.data.result)
    }
  }

  // MARK: Called by libcurl

  fileprivate func watch(_ socket: curl_socket_t, for wish: Int32) {
    watched.removeValue(forKey: socket)?.invalidate()
    var events: DescriptorEvents = []
    if wish == CURL_POLL_IN || wish == CURL_POLL_INOUT { events.insert(.readable) }
    if wish == CURL_POLL_OUT || wish == CURL_POLL_INOUT { events.insert(.writable) }
    guard !events.isEmpty else { return }
    let source = FrameLoop.DescriptorSource(
      descriptor: socket, events: events,
      .onLoop { [weak self] source, events in self?.isReady(source.descriptor, events) })
    loop.add(source, to: .default)
    watched[socket] = source
  }

  /// - Parameter milliseconds: from now; negative for never.
  fileprivate func wait(milliseconds: Int) {
    alarm?.fireTime = milliseconds < 0 ? nil : loop.clock.now + .milliseconds(Int64(milliseconds))
  }
}

private func socketChanged(
  _: UnsafeMutableRawPointer?, socket: curl_socket_t, wish: Int32, context: UnsafeMutableRawPointer?,
  _: UnsafeMutableRawPointer?
) -> Int32 {
  guard let context else { return 0 }
  Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue().watch(socket, for: wish)
  return 0
}

private func timeChanged(_: UnsafeMutableRawPointer?, milliseconds: Int, context: UnsafeMutableRawPointer?) -> Int32 {
  guard let context else { return 0 }
  Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue().wait(milliseconds: milliseconds)
  return 0
}
