import CDRM
import Glibc
import KMSTesting
import LinuxSystem
import Testing

@testable import KMS

/// The simulated card refuses the same as a kernel does, with the same error numbers. They were measured on vkms and bochs.
@Suite struct SimulatedCardTests {
  /// A card with an open client whose framebuffer is on the screen.
  private struct Bench {
    let clock = ManualClock(start: MonotonicTime(nanoseconds: 5_000_000_000))
    let card: SimulatedCard
    let device: DRMDevice
    let client: any DRMInterface
    let crtc: UInt32
    let connector: UInt32
    let mode = DisplayMode.simulated(64, 48)
    var framebuffers: [UInt32] = []

    init(hasVBlanks: Bool = true) throws {
      card = SimulatedCard(
        connectors: [.init("DP-1", modes: [mode], edid: [0, 255, 255])], hasVBlanks: hasVBlanks, clock: .manual(clock))
      device = try card.open()
      client = device.interface
      let resources = try client.resources()
      (crtc, connector) = (resources.crtcs[0], resources.connectors[0])
      for _ in 0..<2 { framebuffers.append(try add(64, 48)) }
      try show(framebuffers[0])
    }

    func add(_ width: Int, _ height: Int) throws -> UInt32 {
      let buffer = try client.createDumbBuffer(width: width, height: height)
      return try client.addFramebuffer(buffer, width: width, height: height, format: .xrgb8888)
    }

    func show(_ framebuffer: UInt32) throws(SystemError) {
      try client.setCRTC(crtc, framebuffer: framebuffer, x: 0, y: 0, connectors: [connector], mode: mode)
    }

    func flip(to framebuffer: UInt32, of other: UInt32? = nil, isAsynchronous: Bool = false) throws(SystemError) {
      try client.pageFlip(crtc: other ?? crtc, framebuffer: framebuffer, isAsynchronous: isAsynchronous, token: 9)
    }

    /// Runs to the next vblank.
    func advance() {
      clock.advance(by: Nanoseconds(16_666_667))
      card.advance(to: clock.now)
    }

    func events() throws -> [DRMEvent] {
      try withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 8) { buffer in
        let count = try client.readEvents(into: buffer)
        var parser = DRMEventParser(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        var events: [DRMEvent] = []
        while let event = parser.next() { events.append(event) }
        return events
      }
    }

    func property(_ name: String, of object: UInt32, _ type: DRMObjectType) throws -> UInt32 {
      try #require(try client.properties(of: object, type: type)[name]).id
    }
  }

  private func expect(
    _ errno: Int32, at location: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) {
    #expect(sourceLocation: location) { try body() } throws: { ($0 as? SystemError)?.errno == errno }
  }

  @Test func aFlipIsSeenAtTheVBlank() throws {
    let bench = try Bench()
    try bench.flip(to: bench.framebuffers[1])
    expect(EBUSY) { try bench.flip(to: bench.framebuffers[0]) }
    #expect(try bench.events() == [])
    bench.advance()
    let time = MonotonicTime(nanoseconds: 5_016_666_000)
    #expect(try bench.events() == [.flip(token: 9, time: time, sequence: 1)])
    try bench.flip(to: bench.framebuffers[0])
  }

  @Test func withoutVBlanksAFlipIsCompleteAtOnce() throws {
    let bench = try Bench(hasVBlanks: false)
    for _ in 0..<2 {
      try bench.flip(to: bench.framebuffers[1])
      #expect(try bench.events() == [.flip(token: 9, time: bench.clock.now, sequence: 0)])
    }
    expect(EOPNOTSUPP) { _ = try bench.client.sequence(ofCRTC: bench.crtc) }
    expect(EOPNOTSUPP) { try bench.client.queueNextSequence(ofCRTC: bench.crtc, token: 1) }
    expect(EOPNOTSUPP) { try bench.client.queueNextVBlank(ofPipe: 0, token: 1) }
  }

  @Test func badFlips() throws {
    let bench = try Bench()
    expect(ENOENT) { try bench.flip(to: 999) }
    expect(ENOENT) { try bench.flip(to: bench.framebuffers[1], of: 999) }
    expect(EINVAL) { try bench.flip(to: bench.framebuffers[1], isAsynchronous: true) }
    let small = try bench.add(63, 48)
    expect(ENOSPC) { try bench.flip(to: small) }
    expect(ENOSPC) { try bench.show(small) }
    bench.card.switchOff("DP-1")
    expect(EBUSY) { try bench.flip(to: bench.framebuffers[1]) }
  }

  @Test func vblanks() throws {
    let bench = try Bench()
    try bench.client.queueNextSequence(ofCRTC: bench.crtc, token: 1)
    try bench.client.queueNextVBlank(ofPipe: 0, token: 2)
    bench.advance()
    let time = MonotonicTime(nanoseconds: 5_016_666_667)
    let short = MonotonicTime(nanoseconds: 5_016_666_000)
    let events = try bench.events()
    #expect(events == [.sequence(token: 1, time: time, sequence: 1), .vblank(token: 2, time: short, sequence: 1)])
    let older = try bench.client.vblank(ofPipe: 0)
    #expect((older.sequence, older.time) == (1, short))
    expect(EINVAL) { _ = try bench.client.vblank(ofPipe: 1) }
    // It counts on without requests.
    for _ in 0..<5 { bench.advance() }
    let newest = try bench.client.sequence(ofCRTC: bench.crtc)
    #expect((newest.sequence, newest.time) == (6, MonotonicTime(nanoseconds: 5_100_000_000)))
    expect(ENOENT) { _ = try bench.client.sequence(ofCRTC: 999) }
    expect(EINVAL) { try bench.client.queueNextVBlank(ofPipe: 7, token: 2) }
  }

  /// 128 unread events, then no more until they are read.
  @Test func roomForEvents() throws {
    let bench = try Bench()
    for token in 1...128 as ClosedRange<UInt64> { try bench.client.queueNextSequence(ofCRTC: bench.crtc, token: token) }
    expect(ENOMEM) { try bench.client.queueNextSequence(ofCRTC: bench.crtc, token: 0) }
    expect(ENOMEM) { try bench.flip(to: bench.framebuffers[1]) }
    bench.advance()
    expect(ENOMEM) { try bench.client.queueNextSequence(ofCRTC: bench.crtc, token: 0) }
    #expect(try bench.events().count == 128)
    try bench.client.queueNextSequence(ofCRTC: bench.crtc, token: 0)
  }

  /// Requested events come early, with the current sequence.
  @Test func aCRTCThatGoesOff() throws {
    let bench = try Bench()
    bench.advance()
    try bench.client.queueNextSequence(ofCRTC: bench.crtc, token: 3)
    bench.card.switchOff("DP-1")
    let time = MonotonicTime(nanoseconds: 5_016_666_667)
    #expect(try bench.events() == [.sequence(token: 3, time: time, sequence: 1)])
    expect(EINVAL) { _ = try bench.client.sequence(ofCRTC: bench.crtc) }
    expect(EINVAL) { try bench.client.queueNextSequence(ofCRTC: bench.crtc, token: 4) }
    // Switched on again, the sequence continues.
    try bench.show(bench.framebuffers[1])
    bench.advance()
    #expect(try bench.client.sequence(ofCRTC: bench.crtc).sequence == 2)
  }

  @Test func masters() throws {
    let bench = try Bench()
    let other = try bench.card.open().interface
    #expect(bench.client.isMaster && !other.isMaster)
    expect(EBUSY) { try other.setMaster() }
    try bench.client.dropMaster()
    expect(EINVAL) { try bench.client.dropMaster() }
    expect(EACCES) { try bench.flip(to: bench.framebuffers[1]) }
    expect(EACCES) { try bench.show(bench.framebuffers[1]) }
    expect(EACCES) { try bench.client.commit([], flags: .testOnly, token: 0, subject: "test") }
    // Vblanks and buffers need no master.
    try bench.client.queueNextSequence(ofCRTC: bench.crtc, token: 1)
    _ = try bench.add(10, 10)
    try other.setMaster()
    expect(EBUSY) { try bench.client.setMaster() }
  }

  @Test func anUnpluggedCard() throws {
    let bench = try Bench()
    try bench.flip(to: bench.framebuffers[1])
    bench.card.unplug()
    #expect(try bench.events().count == 1)
    #expect(try bench.events() == [])
    expect(ENODEV) { try bench.flip(to: bench.framebuffers[0]) }
    expect(ENODEV) { _ = try bench.client.resources() }
    expect(ENODEV) { _ = try bench.client.sequence(ofCRTC: bench.crtc) }
    expect(ENODEV) { try bench.client.removeFramebuffer(bench.framebuffers[0]) }
  }

  /// Removing a framebuffer takes the picture with it; closing the card frees everything.
  @Test func freeing() throws {
    var bench: Bench? = try Bench()
    let card = try #require(bench?.card)
    #expect(card.screens.hasPrefix("DP-1: CRTC"))
    try bench?.client.removeFramebuffer(bench?.framebuffers[1] ?? 0)
    #expect(card.screens.hasPrefix("DP-1: CRTC"))
    try bench?.client.removeFramebuffer(bench?.framebuffers[0] ?? 0)
    #expect(card.screens == "DP-1: off")
    expect(ENOENT) { try bench?.client.removeFramebuffer(999) }
    expect(EINVAL) { try bench?.client.destroyDumbBuffer(999) }
    expect(ENOENT) { try bench?.client.destroyBlob(999) }
    #expect(card.holdings.handles == 2)
    bench = nil
    #expect(card.holdings == SimulatedCard.Holdings())
    #expect(card.openCount == 0)
  }

  @Test func connectorsComeAndGo() throws {
    let bench = try Bench()
    var connector = try bench.client.connector(bench.connector, isProbed: true)
    #expect(connector.status == .connected && connector.modes.count == 1)
    let edid = try #require(try bench.client.properties(of: bench.connector, type: .connector)["EDID"])
    #expect(try bench.client.blob(UInt32(edid.value)) == [0, 255, 255])
    bench.card.setConnected(false, "DP-1")
    connector = try bench.client.connector(bench.connector, isProbed: false)
    #expect(connector.status == .disconnected && connector.modes.count == 1)
    connector = try bench.client.connector(bench.connector, isProbed: true)
    #expect(connector.status == .disconnected && connector.modes.isEmpty)
    // The CRTC is still active.
    try bench.flip(to: bench.framebuffers[1])
    bench.card.removeConnector("DP-1")
    expect(ENOENT) { _ = try bench.client.connector(bench.connector, isProbed: true) }
    expect(EINVAL) { _ = try bench.client.sequence(ofCRTC: bench.crtc) }
  }

  // MARK: Atomic

  @Test func badCommits() throws {
    let bench = try Bench()
    let client = bench.client
    func commit(_ settings: [PropertySetting], _ flags: DRMCommitFlags = []) throws(SystemError) {
      try client.commit(settings, flags: flags, token: 5, subject: "test")
    }
    let plane = try client.planes()[0]
    let framebufferID = try bench.property("FB_ID", of: plane, .plane)
    func show(_ framebuffer: UInt32) -> PropertySetting {
      PropertySetting(object: plane, property: framebufferID, value: UInt64(framebuffer))
    }
    expect(ENOENT) { try commit([PropertySetting(object: 999, property: framebufferID, value: 0)]) }
    expect(ENOENT) { try commit([PropertySetting(object: plane, property: 1, value: 0)]) }
    expect(ENOENT) { try commit([PropertySetting(object: bench.crtc, property: framebufferID, value: 0)]) }
    expect(EINVAL) { try commit([show(999)]) }
    // The CRTC is active but has no picture.
    expect(EINVAL) { try commit([show(0)]) }
    expect(ENOSPC) { try commit([show(try bench.add(63, 48))]) }
    expect(EINVAL) { try commit([show(bench.framebuffers[1])], [.testOnly, .flipEvent]) }
    expect(EINVAL) { try commit([show(bench.framebuffers[1])], .asynchronous) }
    expect(EINVAL) { try commit([], .flipEvent) }
    let active = try bench.property("ACTIVE", of: bench.crtc, .crtc)
    let off = PropertySetting(object: bench.crtc, property: active, value: 0)
    expect(EINVAL) { try commit([off]) }
    expect(EINVAL) { try commit([PropertySetting(object: bench.crtc, property: active, value: 2)], .allowModeSet) }
    let modeID = try bench.property("MODE_ID", of: bench.crtc, .crtc)
    expect(EINVAL) { try commit([PropertySetting(object: bench.crtc, property: modeID, value: 999)], .allowModeSet) }
    // None of these commits had an effect.
    let before = bench.card.screens
    try commit([off], [.testOnly, .allowModeSet])
    #expect(bench.card.screens == before)
    #expect(try bench.events() == [])
    // Without the capability, atomic commits are refused.
    try client.setClientCapability(DRM_CLIENT_CAP_ATOMIC, to: 0)
    expect(EINVAL) { try commit([show(bench.framebuffers[1])]) }
  }
}
