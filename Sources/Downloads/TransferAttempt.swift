internal import CCurl
internal import LinuxSystem

/// One attempt of a transfer: what libcurl is told, and what it has brought. Used on the loop's thread alone.
final class TransferAttempt {
  let request: TransferRequest
  let start: MonotonicTime
  /// Nil before the connection is made.
  private(set) var lastByte: MonotonicTime?
  private(set) var head = AnswerHead()
  private(set) var bytes: [UInt8] = []
  /// Found while the answer came; it is the cause of the error that libcurl reports then.
  private(set) var refusal: TransferError?

  let easy: UnsafeMutableRawPointer
  private var lines: UnsafeMutablePointer<curl_slist>?
  private let clock: SystemClock
  private var told = 0
  /// The number of bytes at which they are told next.
  private var nextBeginning: Int
  /// Called with the bytes that have come and their total, at each step of progress.
  private let news: (News) -> Void

  /// Told in the midst of a call by libcurl, which must not be called in turn.
  enum News {
    /// The deadline is another one.
    case connected
    /// So many bytes have come, of a total if it is known.
    case progress(Int, Int?)
    /// All bytes that have come.
    case beginning([UInt8])
  }

  /// - Parameters:
  ///   - firstBeginning: the bytes at which they are told first, and then whenever they have doubled; nil for never.
  ///   - easy: a new handle of libcurl, which its owner frees.
  init(
    _ request: TransferRequest, firstBeginning: Int?, easy: UnsafeMutableRawPointer, proxy: TransferConfiguration.Proxy,
    clock: SystemClock, news: @escaping (News) -> Void
  ) throws(TransferError) {
    (self.request, self.easy, self.clock, self.news) = (request, easy, clock, news)
    nextBeginning = firstBeginning.map { max($0, 1) } ?? .max
    start = clock.now
    let fields = try request.fieldLines()
    if !request.acceptedTypes.isEmpty, request.fields.keys.allSatisfy({ $0.lowercased() != "accept" }) {
      let types = request.acceptedTypes.map { $0.hasSuffix("/") ? $0 + "*" : $0 }
      append("Accept: \(types.joined(separator: ", "))")
    }
    for line in fields { append(line) }
    set(proxy)
  }

  deinit { curl_slist_free_all(lines) }

  private func append(_ line: String) {
    // Without memory the list stays as it is.
    if let longer = curl_slist_append(lines, line) { lines = longer }
  }

  private func set(_ proxy: TransferConfiguration.Proxy) {
    ccurl_set_string(easy, CURLOPT_URL, request.address.text)
    // Also for redirects.
    for option in [CURLOPT_PROTOCOLS_STR, CURLOPT_REDIR_PROTOCOLS_STR] { ccurl_set_string(easy, option, "http,https") }
    ccurl_set_long(easy, CURLOPT_FOLLOWLOCATION, request.redirectLimit > 0 ? 1 : 0)
    ccurl_set_long(easy, CURLOPT_MAXREDIRS, max(request.redirectLimit, 0))
    // Signals belong to the program.
    ccurl_set_long(easy, CURLOPT_NOSIGNAL, 1)
    ccurl_set_long(easy, CURLOPT_HTTP09_ALLOWED, 0)
    // The deadlines are the engine's own: those of libcurl would wake the loop each second for each transfer.
    ccurl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, 1 << 30)
    ccurl_set_string(easy, CURLOPT_USERAGENT, "framepace")
    ccurl_set_list(easy, CURLOPT_HTTPHEADER, lines)
    switch proxy {
    case .environment: break
    case .none: ccurl_set_string(easy, CURLOPT_PROXY, "")
    case .address(let address): ccurl_set_string(easy, CURLOPT_PROXY, address)
    }
    ccurl_set_receivers(easy, receiveLine, receiveBytes, didConnect, Unmanaged.passUnretained(self).toOpaque())
  }

  /// The time at which the attempt ends without having succeeded, unless something comes meanwhile, and the limit that is behind it.
  var deadline: (time: MonotonicTime, phase: TransferError.Phase, limit: Nanoseconds) {
    let whole = (start + request.durationLimit, TransferError.Phase.whole, request.durationLimit)
    let next: (MonotonicTime, TransferError.Phase, Nanoseconds) =
      if let lastByte {
        (lastByte + request.stallLimit, .receiving, request.stallLimit)
      } else {
        (start + request.connectLimit, .connecting, request.connectLimit)
      }
    return next.0 <= whole.0 ? next : whole
  }

  /// The answer, or the error, after libcurl has ended the transfer.
  func outcome(_ code: CURLcode, attempts: Int, now: Int64) -> Result<TransferAnswer, TransferError> {
    if let refusal { return .failure(refusal) }
    guard code == CURLE_OK else { return .failure(error(of: code)) }
    let address = request.address
    guard head.isComplete else { return .failure(.connectionLost(address, reason: "its fields are not whole")) }
    let asked = request.fields.keys.contains { ["if-none-match", "if-modified-since"].contains($0.lowercased()) }
    guard head.status == 200 || (head.status == 304 && asked) else {
      return .failure(.status(address, head.status, retryAfter: head.retryAfter(now: now)))
    }
    if head.status == 200, head["transfer-encoding"] == nil, let length = head.contentLength, length != bytes.count {
      return .failure(.connectionLost(address, reason: "\(bytes.count) of \(length) bytes came"))
    }
    let final = ccurl_string(easy, CURLINFO_EFFECTIVE_URL).map { String(cString: $0) } ?? address.text
    return .success(TransferAnswer(status: head.status, finalAddress: final, head: head, bytes: bytes, attempts: attempts))
  }

  private func error(of code: CURLcode) -> TransferError {
    let (address, reason) = (request.address, String(cString: curl_easy_strerror(code)))
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: return .unknownHost(address)
    case CURLE_COULDNT_CONNECT: return .cannotConnect(address, reason: reason)
    case CURLE_RECV_ERROR where head["transfer-encoding"] != nil && ccurl_system_error(easy) == 0:
      // The connection is well, so it is the form of the chunks.
      return .malformed(address, reason: "its chunks are damaged")
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_HTTP2, CURLE_HTTP2_STREAM:
      return .connectionLost(address, reason: reason)
    case CURLE_OPERATION_TIMEDOUT: return .timedOut(address, .connecting, limit: request.connectLimit)
    case CURLE_TOO_MANY_REDIRECTS: return .tooManyRedirects(address, limit: request.redirectLimit)
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT:
      // The address itself is known to be right. An answer that is not HTTP is called a protocol too.
      return (300...399).contains(head.status)
        ? .forbiddenRedirect(address, reason: reason) : .malformed(address, reason: reason)
    case CURLE_FILESIZE_EXCEEDED: return .tooLarge(address, limit: request.sizeLimit)
    case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR:
      return .malformed(address, reason: reason)
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM,
      CURLE_SSL_CIPHER, CURLE_SSL_INVALIDCERTSTATUS:
      return .insecure(address, reason: reason)
    case CURLE_OUT_OF_MEMORY: return .noMemory
    default: return .failed(address, reason: reason)
    }
  }

  // MARK: Called by libcurl

  fileprivate func connected() {
    // A redirect connects anew, and then the limit between two bytes holds.
    lastByte = clock.now
    news(.connected)
  }

  /// - Returns: false to end the transfer.
  fileprivate func receive(line: UnsafeRawBufferPointer) -> Bool {
    lastByte = clock.now
    do throws(AnswerHead.Malformed) {
      try head.add(line, limit: TransferRequest.headLimit)
    } catch {
      refusal = .malformed(request.address, reason: error.reason)
    }
    if refusal == nil, head.isComplete, head.status == 200 { refusal = refusalOfHead }
    return refusal == nil
  }

  /// Found before the bytes come.
  private var refusalOfHead: TransferError? {
    if let length = head.contentLength, length > request.sizeLimit {
      return .tooLarge(request.address, limit: request.sizeLimit)
    }
    if let type = head.contentType, !request.acceptedTypes.isEmpty,
      !request.acceptedTypes.contains(where: { type.hasPrefix($0.lowercased()) })
    {
      return .unexpectedType(request.address, type, accepted: request.acceptedTypes)
    }
    if let encoding = head["content-encoding"], encoding.lowercased() != "identity" {
      return .malformed(request.address, reason: "it is encoded as \(encoding), which was not asked for")
    }
    return nil
  }

  fileprivate func receive(bytes more: UnsafeRawBufferPointer) -> Bool {
    lastByte = clock.now
    // The text of an error or of a redirect is of no use.
    guard head.status == 200 else { return true }
    guard more.count <= request.sizeLimit - bytes.count else {
      refusal = .tooLarge(request.address, limit: request.sizeLimit)
      return false
    }
    bytes.append(contentsOf: more)
    if let step = request.progressStep, bytes.count - told >= max(step, 1) {
      told = bytes.count
      news(.progress(bytes.count, head["transfer-encoding"] == nil ? head.contentLength : nil))
    }
    if bytes.count >= nextBeginning {
      while nextBeginning <= bytes.count { nextBeginning *= 2 }
      news(.beginning(bytes))
    }
    return true
  }
}

private func attempt(_ context: UnsafeMutableRawPointer) -> TransferAttempt {
  Unmanaged<TransferAttempt>.fromOpaque(context).takeUnretainedValue()
}

private func receiveLine(bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?)
  -> Int
{
  guard let context else { return 0 }
  return attempt(context).receive(line: UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
}

private func receiveBytes(bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?)
  -> Int
{
  guard let context else { return 0 }
  // Zero taken bytes would be the error, so an empty call succeeds in any case.
  return attempt(context).receive(bytes: UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
}

private func didConnect(
  context: UnsafeMutableRawPointer?, _: UnsafeMutablePointer<CChar>?, _: UnsafeMutablePointer<CChar>?, _: Int32, _: Int32
) -> Int32 {
  if let context { attempt(context).connected() }
  return CURL_PREREQFUNC_OK
}
