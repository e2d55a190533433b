import LinuxSystem
import TestLength
import Testing

@testable import Downloads

@Suite struct AnswerHeadTests {
  private func head(_ lines: [String], limit: Int = 1_000) throws(AnswerHead.Malformed) -> AnswerHead {
    var head = AnswerHead()
    for line in lines { try head.add(Array((line + "\r\n").utf8), limit: limit) }
    return head
  }

  @Test func fieldsAreRead() throws {
    let head = try head([
      "HTTP/1.1 200 OK", "Content-TYPE:  Image/PNG ; charset=x\t", "a: 1", "A: 2", "Content-Length: 12", "", "b: 3",
    ])
    #expect(head.status == 200 && head.isComplete)
    #expect(head.contentType == "image/png")
    #expect(head.contentLength == 12)
    #expect(head["a"] == "1, 2")
    #expect(head["b"] == nil)
    #expect(head["none"] == nil)
  }

  @Test func anotherStatusBeginsAnew() throws {
    let head = try head(["HTTP/1.1 100 Continue", "a: 1", "", "HTTP/2 404", "c: 2", ""])
    #expect(head.status == 404 && head["a"] == nil && head["c"] == "2")
  }

  @Test func wrongLinesAreRefused() {
    for lines in [
      ["HTTP/1.1"], ["HTTP/1.1 2000 OK"], ["HTTP/1.1 abc"], ["HTTP/1.1 099 x"], ["no colon"], [": x"], [" a: folded"],
      ["a b: x"],
      ["a: \u{1}"], ["a: \0"], ["Content-Length: x"], ["Content-Length: -1"], ["Content-Length:"], ["Content-Length: +1"],
      ["Content-Length: 99999999999999999999"], ["Content-Length: 1", "Content-Length: 2"], ["é: x"],
    ] {
      #expect(throws: AnswerHead.Malformed.self, "\(lines)") { try head(lines) }
    }
  }

  /// The fields of all answers of a transfer count together.
  @Test func tooManyFieldsAreRefused() throws {
    let answer = ["HTTP/1.1 302 Found", "a: \(String(repeating: "x", count: 300))", ""]
    _ = try head(answer + answer, limit: 900)
    #expect(throws: AnswerHead.Malformed.self) { try head(answer + answer + answer, limit: 900) }
  }

  @Test func aPauseIsANumberOrADate() throws {
    #expect(try head(["Retry-After: 17"]).retryAfter(now: 0) == 17)
    #expect(try head(["Retry-After: Thu, 01 Jan 1970 00:01:40 GMT"]).retryAfter(now: 40) == 60)
    #expect(try head(["Retry-After: Thu, 01 Jan 1970 00:01:40 GMT"]).retryAfter(now: 4_000) == 0)
    #expect(try head(["Retry-After: 99999999999999999999999"]).retryAfter(now: 0) == 1 << 31)
    for wrong in ["soon", "-5", "1.5", ""] {
      #expect(try head(["Retry-After: \(wrong)"]).retryAfter(now: 0) == nil, "\(wrong)")
    }
  }

  @Test func randomBytesDoNotTrap() {
    for round in 0..<(isLongRun ? 200_000 : 5_000) {
      let seed = UInt64(runSeed) << 20 | UInt64(round)
      var random = SplitMix64(seed: seed)
      var head = AnswerHead()
      for _ in 0..<6 {
        var line = Array(
          ["HTTP/1.1 200 OK", "Content-Length: 12", "Cache-Control: max-age=5, no-cache", "Expires: 0", "Age: 3", ""][
            Int.random(in: 0..<6, using: &random)
          ].utf8)
        for _ in 0..<Int.random(in: 0...4, using: &random) {
          line.insert(UInt8.random(in: 0...255, using: &random), at: Int.random(in: 0...line.count, using: &random))
        }
        try? head.add(line, limit: 200)
      }
      _ = (head.contentLength, head.contentType, head.retryAfter(now: .max), Freshness(of: head, now: 0))
      #expect(head.size <= 1_000, "seed \(seed)")
    }
  }
}

@Suite struct FreshnessTests {
  private func freshness(_ fields: String..., now: Int64 = 1_000) -> Freshness? {
    var head = AnswerHead()
    for field in fields { try? head.add(Array(field.utf8), limit: 10_000) }
    return Freshness(of: head, now: now)
  }

  @Test func theRulesOfRFC9111() {
    #expect(freshness("Cache-Control: max-age=60")?.freshUntil == 1_060)
    #expect(freshness("Cache-Control: private, MAX-AGE=\"60\"")?.freshUntil == 1_060)
    #expect(freshness("Cache-Control: max-age=60", "Age: 20")?.freshUntil == 1_040)
    // An answer that is too old for its age is kept only if one may ask.
    #expect(freshness("Cache-Control: max-age=60", "Age: 80") == nil)
    #expect(freshness("Cache-Control: max-age=60", "Age: 80", "ETag: x")?.freshUntil == 1_000)
    #expect(freshness("Cache-Control: max-age=60, no-store", "ETag: x") == nil)
    #expect(freshness("Cache-Control: no-cache, max-age=60", "ETag: x")?.freshUntil == 1_000)
    #expect(freshness("Cache-Control: max-age=5", "Cache-Control: max-age=60")?.freshUntil == 1_005)
    #expect(freshness("Cache-Control: max-age=soon", "ETag: x")?.freshUntil == 1_000)
    #expect(freshness("Cache-Control: max-age=99999999999999999999")?.freshUntil == 2_147_484_648)
    #expect(freshness("Cache-Control: max-age=5", "Expires: Thu, 01 Jan 2099 00:00:00 GMT")?.freshUntil == 1_005)
    #expect(
      freshness("Expires: Thu, 01 Jan 1970 00:30:00 GMT", "Date: Thu, 01 Jan 1970 00:10:00 GMT")?.freshUntil == 2_200)
    #expect(freshness("Expires: Thu, 01 Jan 1970 00:30:00 GMT")?.freshUntil == 1_800)
    #expect(freshness("Expires: 0", "ETag: x")?.freshUntil == 1_000)
    #expect(freshness("ETag: x")?.freshUntil == 1_000)
    #expect(freshness("Last-Modified: x")?.conditions == ["If-Modified-Since": "x"])
    #expect(
      freshness("ETag: \"1\"", "Last-Modified: x")?.conditions == ["If-None-Match": "\"1\"", "If-Modified-Since": "x"])
    #expect(freshness() == nil)
    #expect(freshness("Cache-Control: max-age=5", "Vary: *") == nil)
    #expect(freshness("Cache-Control: max-age=5", "Vary: Cookie") == nil)
    #expect(freshness("Cache-Control: max-age=5", "Vary: Accept-Encoding")?.freshUntil == 1_005)
  }
}

@Suite struct WebAddressTests {
  @Test func addressesAreRead() throws {
    #expect(try WebAddress("HTTP://Example.org/a?b=c#d").text == "http://Example.org/a?b=c")
    #expect(try WebAddress("HTTP://Example.org/a").origin == "http://example.org:80")
    #expect(try WebAddress("https://example.org").origin == "https://example.org:443")
    #expect(try WebAddress("http://[::1]:8080/x").origin == "http://[::1]:8080")
    #expect(try WebAddress("http://127.0.0.1:1/").origin != WebAddress("http://127.0.0.1:2/").origin)
  }

  @Test func othersAreRefused() {
    for text in [
      "", "example.org/a", "/a", "file:///etc/passwd", "ftp://example.org/", "http://", "http://user:secret@example.org/",
      "http://user@example.org/", "http://example.org/a b", "http://example.org/\n", "http://example.org/ä",
      "http://example.org:99999/",
      "javascript:alert(1)", "data:,x", "http://a/" + String(repeating: "x", count: 9_000),
    ] {
      #expect(throws: TransferError.self, "\(text)") { try WebAddress(text) }
    }
  }

  @Test func fieldsThatCannotBeSentAreRefused() throws {
    var request = TransferRequest(try WebAddress("http://example.org/"))
    for (name, value) in [("a b", "x"), ("", "x"), ("a", "x\r\nb: y"), ("a:", "x"), ("a", "\u{0}"), ("é", "x")] {
      request.fields = [name: value]
      #expect(throws: TransferError.invalidField(name)) { try request.fieldLines() }
    }
    request.fields = ["B": "2", "A": "", "C": "x y"]
    #expect(try request.fieldLines() == ["A;", "B: 2", "C: x y"])
  }
}
