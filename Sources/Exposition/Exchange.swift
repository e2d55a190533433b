import Metering

/// One request and its answer, without sockets and clocks: a connection has one.
///
/// Each step has a limited time, so that a client that says nothing, or takes nothing, ends.
enum Exchange: Equatable {
  /// The request comes.
  case receiving(RequestHead)
  /// The loop is asked for its figures.
  case asking(RequestHead.Request)
  /// The answer goes, from `sent` on.
  case sending([UInt8], sent: Int)
  /// The answer is gone, and the client closes. What it sends meanwhile is thrown away, up to a bound: closed with bytes unread, the
  /// connection would be reset, and the client might lose the answer.
  case draining(left: Int)
  case closed

  enum Event {
    case received([UInt8])
    /// The client has closed its side, or the connection has broken.
    case ended
    /// The loop has answered with a page.
    case answered(String)
    case sent(Int)
    case timeIsUp
  }

  /// The steps, each of which has its time: what there is to do.
  enum Step {
    /// Wait until there is something to read.
    case receive
    case ask
    /// Send the rest of the answer, or wait until it can be sent.
    case send
    /// Tell the client that there is no more, and wait for its end.
    case drain
    case close
  }

  static let path = "/metrics"
  /// The bytes that are thrown away while a client closes.
  static let drainLimit = 65_536

  var step: Step {
    switch self {
    case .receiving: .receive
    case .asking: .ask
    case .sending: .send
    case .draining: .drain
    case .closed: .close
    }
  }

  /// Takes an event into account.
  ///
  /// - Returns: false if a state does not expect the event, which may have been under way when the state changed. Then nothing changes.
  mutating func handle(_ event: Event) -> Bool {
    switch (self, event) {
    case (.receiving(var head), .received(let bytes)):
      do throws(RequestHead.Refusal) {
        if let request = try head.receive(bytes) {
          self =
            request.path == Self.path
            ? .asking(request) : Answer(404, "There is nothing but \(Self.path) here.\n", of: request.method).start
        } else {
          self = .receiving(head)
        }
      } catch {
        self = Answer(refusal: error).start
      }
    case (.receiving, .timeIsUp): self = Answer(408, "The request took too long.\n").start
    case (.asking(let request), .answered(let text)):
      self = Answer(200, text, contentType: MetricsPage.contentType, of: request.method).start
    case (.asking(let request), .timeIsUp):
      self = Answer(503, "The program is busy: its loop did not answer in time.\n", of: request.method).start
    case (.sending(let bytes, let sent), .sent(let count)):
      self = sent + count < bytes.count ? .sending(bytes, sent: sent + count) : .draining(left: Self.drainLimit)
    case (.draining(let left), .received(let bytes)) where bytes.count < left: self = .draining(left: left - bytes.count)
    case (.receiving, .ended), (.sending, .ended), (.sending, .timeIsUp), (.draining, .received), (.draining, .ended),
      (.draining, .timeIsUp):
      self = .closed
    default: return false
    }
    return true
  }
}

/// An answer, as it goes over the connection, which ends with it.
struct Answer {
  let bytes: [UInt8]
  /// The exchange that begins to send it.
  var start: Exchange { .sending(bytes, sent: 0) }

  init(
    _ status: Int, _ text: String, contentType: String = "text/plain; charset=utf-8",
    of method: RequestHead.Request.Method = .get
  ) {
    let body = Array(text.utf8)
    let allow = status == 405 ? "Allow: GET, HEAD\r\n" : ""
    let head =
      "HTTP/1.1 \(status) \(Self.reason(status))\r\nContent-Type: \(contentType)\r\nContent-Length: \(body.count)\r\n"
      + "\(allow)Cache-Control: no-store\r\nConnection: close\r\n\r\n"
    bytes = Array(head.utf8) + (method == .head ? [] : body)
  }

  init(refusal: RequestHead.Refusal) {
    let text =
      switch refusal {
      case .malformed: "This is no request of HTTP/1.\n"
      case .host: "The header Host has a name: use 127.0.0.1, [::1] or localhost.\n"
      case .method: "Use GET.\n"
      case .tooLarge: "The request is larger than \(RequestHead.limit) bytes.\n"
      case .version: "Use HTTP/1.1.\n"
      }
    self.init(refusal.rawValue, text)
  }

  private static func reason(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 400: "Bad Request"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 431: "Request Header Fields Too Large"
    case 503: "Service Unavailable"
    default: "HTTP Version Not Supported"
    }
  }
}
