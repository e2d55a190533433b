internal import CCurl
internal import LinuxSystem

/// An address of the web, read by the rules with which it is transferred: `http` or `https`, a host, no user and no password.
public struct WebAddress: Hashable, Sendable, CustomStringConvertible {
  /// The address in full, without a fragment, as it is sent and as the cache knows it.
  public let text: String
  /// The scheme, host and port, for limits of connections: `http://example.org:80`.
  public let origin: String

  public var description: String { text }

  /// The longest address that is read, in bytes.
  public static let maximumLength = 8_192

  /// - Throws: `TransferError.invalidAddress` if the text is no such address.
  public init(_ text: String) throws(TransferError) {
    func refuse(_ reason: String) -> TransferError {
      .invalidAddress(String(text.prefix(200)).withoutControlCharacters, reason: reason)
    }
    guard text.utf8.count <= Self.maximumLength else { throw refuse("it has more than \(Self.maximumLength) bytes") }
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw refuse("it has spaces, control characters or letters beyond ASCII; write them as %XX")
    }
    guard let parts = curl_url() else { throw .noMemory }
    defer { curl_url_cleanup(parts) }
    let code = curl_url_set(parts, CURLUPART_URL, text, UInt32(CURLU_DISALLOW_USER))
    if code == CURLUE_USER_NOT_ALLOWED { throw refuse("it names a user; send an Authorization field instead") }
    guard code == CURLUE_OK else { throw refuse(String(cString: curl_url_strerror(code))) }
    func part(_ part: CURLUPart, _ flags: Int32 = 0) -> String? {
      var value: UnsafeMutablePointer<CChar>?
      guard curl_url_get(parts, part, &value, UInt32(flags)) == CURLUE_OK, let value else { return nil }
      defer { curl_free(value) }
      return String(cString: value)
    }
    curl_url_set(parts, CURLUPART_FRAGMENT, nil, 0)
    guard let scheme = part(CURLUPART_SCHEME)?.lowercased(), scheme == "http" || scheme == "https" else {
      throw refuse("only http and https are transferred")
    }
    guard let host = part(CURLUPART_HOST), !host.isEmpty, let port = part(CURLUPART_PORT, CURLU_DEFAULT_PORT),
      let whole = part(CURLUPART_URL)
    else { throw refuse("it names no host") }
    self.text = whole
    origin = "\(scheme)://\(host.lowercased()):\(port)"
  }
}
