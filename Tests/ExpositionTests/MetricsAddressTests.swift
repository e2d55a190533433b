import Testing

@testable import Exposition

@Suite struct MetricsAddressTests {
  @Test(arguments: [
    ("127.0.0.1:9464", "127.0.0.1:9464"), ("9464", "127.0.0.1:9464"), ("localhost:9464", "127.0.0.1:9464"),
    ("0.0.0.0:80", "0.0.0.0:80"), ("10.1.2.3:0", "10.1.2.3:0"), ("[::1]:9464", "[::1]:9464"), ("[::]:1", "[::]:1"),
    ("[2001:DB8:0:0::1]:65535", "[2001:db8::1]:65535"),
  ]) func addressesAreRead(text: String, printed: String) throws {
    #expect(try #require(MetricsAddress(text)).description == printed)
  }

  @Test(arguments: [
    ("9464", true), ("localhost:1", true), ("127.9.9.9:1", true), ("[::1]:1", true), ("[::ffff:127.0.0.1]:1", true),
    ("0.0.0.0:1", false), ("[::]:1", false), ("10.0.0.127:1", false), ("[::2]:1", false), ("[::ffff:10.0.0.1]:1", false),
  ]) func loopbackIsWhatOnlyThisMachineReaches(text: String, isLoopback: Bool) throws {
    #expect(try #require(MetricsAddress(text)).isLoopback == isLoopback)
  }

  @Test(arguments: [
    "", ":", ":9464", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1", "127.0.0.1:９４６４",
    "127.0.0.1:94 64", "127.1:80", "256.0.0.1:80", "::1:9464", "[::1]", "[::1]9464", "[::1:9464", "[127.0.0.1]:9464",
    "[]:9464", "host:9464", "http://127.0.0.1:9464", "[fe80::1%lo]:9464", "127.0.0.1\u{0}x:9464", "99999999999999999999",
  ]) func otherTextsAreNone(text: String) {
    #expect(MetricsAddress(text) == nil)
  }
}
