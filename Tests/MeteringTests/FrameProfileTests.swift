import LinuxSystem
import Testing

@testable import Metering

/// The regions of an application. One test at a time records: the clock of all regions is one.
@Suite(.serialized) struct FrameProfileTests {
  /// A region of 3 ms with one of 1 ms in it, twice, and one of another thread.
  @Test func regionsAreReadInTheOrderInWhichTheyEnd() throws {
    let clock = ManualClock(start: .zero + .seconds(1))
    let before = FrameProfile.region("before") { 1 }
    var reader = FrameProfile.startRecording(clock: .manual(clock))
    for _ in 0..<2 {
      let value = FrameProfile.region("decode") {
        clock.advance(by: .milliseconds(2))
        return FrameProfile.region("inflate") {
          clock.advance(by: .milliseconds(1))
          return before + 1
        }
      }
      #expect(value == 2)
    }
    let thread = try SystemThread(name: "region") {
      FrameProfile.region("decode") { clock.advance(by: .milliseconds(5)) }
    }
    thread.join()
    FrameProfile.stopRecording()
    FrameProfile.region("after") {}
    var regions: [Region] = []
    reader.read { regions.append($0) }
    func region(_ name: String, _ begin: Int64, _ end: Int64, thread: Int = 0) -> Region {
      let start = MonotonicTime.zero + .seconds(1)
      return Region(
        name: name, begin: start + .milliseconds(begin), end: start + .milliseconds(end), thread: thread)
    }
    #expect(
      regions == [
        region("inflate", 2, 3), region("decode", 0, 3), region("inflate", 5, 6), region("decode", 3, 6),
        region("decode", 6, 11, thread: 1),
      ])
    #expect(reader.lost == 0)
    var tally = RegionTally()
    for region in regions { tally.add(region) }
    var decode = RegionTally.Row(name: "decode")
    (decode.count, decode.time, decode.maximum) = (3, .milliseconds(11), .milliseconds(5))
    var inflate = RegionTally.Row(name: "inflate")
    (inflate.count, inflate.time, inflate.maximum) = (2, .milliseconds(2), .milliseconds(1))
    #expect(tally.rows == [decode, inflate])
    #expect(decode.mean == .milliseconds(11) / 3)
  }

  @Test func aRegionThatThrowsHasEnded() {
    struct Failure: Error, Equatable {}
    var reader = FrameProfile.startRecording(clock: .manual(ManualClock()))
    defer { FrameProfile.stopRecording() }
    #expect(throws: Failure()) { try FrameProfile.region("fails") { throw Failure() } }
    var names: [String] = []
    reader.read { names.append($0.name) }
    #expect(names == ["fails"])
  }

  /// A ring of 8 regions into which 20 come has the last 8 when it is read, and tells of the 12 others.
  @Test func whatIsOverwrittenIsTold() {
    let ring = RegionRing(capacity: 8)
    var reader = RegionReader(ring: ring)
    var begins: [Int64] = []
    for number in 1...20 as ClosedRange<Int64> {
      ring.append("x y", begin: MonotonicTime(nanoseconds: number), end: MonotonicTime(nanoseconds: number), thread: 1)
    }
    reader.read { begins.append($0.begin.nanoseconds) }
    #expect(begins == Array(13...20))
    #expect(reader.lost == 12)
    reader.read { _ in Issue.record("read twice") }
  }

  /// A writer that was suspended while the others went once around the ring spoils the region in its place, which is counted as lost.
  @Test func aLateWriterSpoilsNoRegionUnseen() {
    let ring = RegionRing(capacity: 2)
    var reader = RegionReader(ring: ring)
    var begins: [Int64] = []
    func write(_ number: Int) {
      let time = MonotonicTime(nanoseconds: Int64(number))
      ring.write("a region", begin: time, end: time, thread: 1, number: number)
    }
    let late = ring.takeNumber()
    for _ in 2...4 { write(ring.takeNumber()) }
    write(late)
    reader.read { begins.append($0.begin.nanoseconds) }
    #expect(begins == [4])
    #expect(reader.lost == 3)
  }

  /// Four threads write into a small ring while it is read: what is read is whole, and nothing is counted twice.
  @Test func threadsWriteWhileOneReads() throws {
    let ring = RegionRing(capacity: 64)
    var reader = RegionReader(ring: ring)
    let threads = try (1...4 as ClosedRange<Int64>).map { thread in
      try SystemThread(name: "region") {
        for number in 1...5_000 as ClosedRange<Int64> {
          let time = MonotonicTime(nanoseconds: thread * 1_000_000 + number)
          ring.append("a region", begin: time, end: time + Nanoseconds(thread), thread: UInt(thread))
        }
      }
    }
    var count = 0
    func check(_ region: Region) {
      count += 1
      let thread = region.begin.nanoseconds / 1_000_000
      #expect(region.name == "a region" && region.time.count == thread)
    }
    while count + reader.lost < 10_000 { reader.read(check) }
    for thread in threads { thread.join() }
    reader.read(check)
    #expect(count + reader.lost == 20_000)
  }
}
