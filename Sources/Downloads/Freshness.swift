/// How long an answer may be used without asking again, by the rules of RFC 9111 for a cache of one user. An answer that does not say
/// so is not fresh: it is kept, and the server is asked whether it has changed.
struct Freshness: Hashable, Sendable {
  /// Seconds since 1970; the answer is fresh before this time.
  var freshUntil: Int64
  var entityTag: String?
  var lastModified: String?

  /// True if the server can be asked whether the answer has changed.
  var canRevalidate: Bool { entityTag != nil || lastModified != nil }

  /// - Parameter now: the time at which the answer came, in seconds since 1970.
  /// - Returns: nil if the answer may not be kept.
  init?(of head: AnswerHead, now: Int64) {
    var maxAge: Int64?
    var mustAsk = false
    for directive in (head["cache-control"] ?? "").split(separator: ",") {
      let parts = directive.split(separator: "=", maxSplits: 1).map(\.trimmed)
      switch parts.first?.lowercased() {
      case "no-store": return nil
      case "no-cache": mustAsk = true
      case "max-age":
        // The strictest of two counts, and one that is no number is the strictest.
        let seconds = parts.count == 2 ? HTTPDate.seconds(parts[1].filter { $0 != "\"" }) ?? 0 : 0
        maxAge = min(maxAge ?? seconds, seconds)
      default: break
      }
    }
    // The requests of one program do not differ in the encodings that they take; in all else they may.
    if let vary = head["vary"], vary.lowercased() != "accept-encoding" { return nil }
    let age = head["age"].flatMap { HTTPDate.seconds($0) } ?? 0
    var lifetime: Int64 = 0
    if mustAsk {
      lifetime = 0
    } else if let maxAge {
      lifetime = maxAge
    } else if let expires = head["expires"].flatMap({ HTTPDate.parse($0) }) {
      let date = head["date"].flatMap { HTTPDate.parse($0) } ?? now
      lifetime = expires.subtractingReportingOverflow(date).overflow ? 0 : expires - date
    }
    freshUntil = now + min(max(lifetime - age, 0), 1 << 31)
    entityTag = head["etag"]
    lastModified = head["last-modified"]
    if freshUntil <= now, !canRevalidate { return nil }
  }

  init(freshUntil: Int64, entityTag: String?, lastModified: String?) {
    (self.freshUntil, self.entityTag, self.lastModified) = (freshUntil, entityTag, lastModified)
  }

  /// The fields by which a request asks whether the answer has changed.
  var conditions: [String: String] {
    var fields: [String: String] = [:]
    fields["If-None-Match"] = entityTag
    fields["If-Modified-Since"] = lastModified
    return fields
  }
}
