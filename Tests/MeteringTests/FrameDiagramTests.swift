import FrameTiming
import LinuxSystem
import Testing

@testable import Metering

/// Diagrams as text: what is drawn, and what is read.
@Suite struct FrameDiagramTests {
  private let start = MonotonicTime(nanoseconds: 1_000_000_000)

  private func at(_ milliseconds: Double) -> MonotonicTime { start + .seconds(milliseconds / 1000) }

  /// A frame at 60 Hz, in milliseconds.
  private func frame(
    _ number: UInt64, start: Double, delivered: Double, work: Double, target: Double, presented: Double
  ) -> FrameRecord {
    var record = FrameRecord()
    record.frameNumber = number
    record.tickTimestamp = at(start)
    record.start = at(start)
    record.delivered = at(delivered)
    record.phases[.callbacks] = .seconds(work / 1000)
    record.submitted = at(delivered + work)
    record.target = at(target)
    record.presented = presented == 0 ? .zero : at(presented)
    return record
  }

  private func diagram(_ frames: [FrameRecord], columns: Int = 72) -> FrameDiagram {
    FrameDiagram(
      vblanks: (0...4).map { start + RefreshRate.hertz60.offset(ofInterval: $0) }, frames: frames,
      interval: RefreshRate.hertz60.interval, start: start, columns: columns)
  }

  /// The documentation's diagram: a frame that takes longer than an interval, and is seen one later.
  @Test func aLateFrameIsDrawnFromItsTargetToItsVBlank() {
    let frames = [
      frame(1, start: 0, delivered: 0, work: 3, target: 16.667, presented: 16.667),
      frame(2, start: 16.667, delivered: 16.667, work: 20, target: 33.333, presented: 50),
      frame(4, start: 50, delivered: 50, work: 3, target: 66.667, presented: 66.667),
    ]
    let diagram = diagram(frames)
    #expect(
      diagram.description == """
        vblank  |                |               |                |                |
        tick    1                2                                4
        work    111              22222222222222222222             444
        commit     1                                 2               4
        flip                     1               x................2                4
        """)
    #expect(diagram.ruler == "ms      0         10        20        30        40        50        60        70")
  }

  @Test func aTickThatIsDueAndDoesNotComeIsAGapBeforeIt() {
    let diagram = diagram([frame(13, start: 16.667, delivered: 22.4, work: 4, target: 33.333, presented: 0)], columns: 40)
    #expect(
      diagram.description == """
        vblank  |                |               |
        tick                     -----3
        work                          3333
        commit                            3
        flip
        """)
  }

  /// A mark that begins before the diagram, or lasts beyond it, is drawn as far as it goes.
  @Test func whatLiesOutsideIsLeftOut() {
    var diagram = FrameDiagram(start: start, columns: 10)
    diagram.fill("-", from: at(-5), to: at(2), in: "tick")
    diagram.fill("7", from: at(8), to: at(30), in: "work")
    diagram.fill("8", from: at(-9), to: at(-3), in: "work")
    diagram.fill("9", from: at(20), to: at(30), in: "work")
    diagram.mark("1", at: at(-1), in: "flip")
    diagram.mark("2", at: at(10), in: "flip")
    #expect(diagram.description == "tick    --\nwork            77\nflip")
    diagram.mark("!", at: .distantFuture, in: "flip")
    diagram.mark("!", at: MonotonicTime(nanoseconds: .min), in: "flip")
    diagram.fill("=", from: MonotonicTime(nanoseconds: .min), to: .distantFuture, in: "flip")
    #expect(diagram.description == "tick    --\nwork            77\nflip    ==========")
  }

  @Test func aMarkIsAtTheNearestCharacter() {
    var diagram = FrameDiagram(start: start, scale: .microseconds(500), columns: 20)
    diagram.mark("a", at: at(1.249), in: "lane")
    diagram.mark("b", at: at(1.25), in: "lane")
    diagram.mark("c", at: at(-0.25), in: "lane")
    #expect(diagram.description == "lane    c ab")
    #expect(diagram.ruler == "ms      0         5")
    #expect(FrameDiagram(start: start, scale: .microseconds(250), columns: 22).ruler == "ms      0         2.5       5")
  }

  /// Two in a character are seen to be two; what only fills gives way.
  @Test func marksAreNotLostUnderEachOther() {
    var diagram = FrameDiagram(start: start)
    diagram.mark("1", at: at(2), in: "tick")
    diagram.mark("2", at: at(2.3), in: "tick")
    diagram.fill(".", from: at(0), to: at(5), in: "tick")
    diagram.mark("x", at: at(2), in: "tick")
    diagram.mark("3", at: at(4), in: "tick")
    #expect(diagram.description == "tick    ..*.3")
  }

  /// A frame is seen where another should have been.
  @Test func aFlipHidesTheMissedTargetOfAnother() {
    let frames = [
      frame(3, start: 0, delivered: 0, work: 20, target: 16.667, presented: 33.333),
      frame(4, start: 16.667, delivered: 20, work: 15, target: 33.333, presented: 50),
    ]
    let flips = diagram(frames).description.split(separator: "\n").last
    #expect(flips == "flip                     x...............3................4")
  }

  // MARK: - Reading

  @Test func whatIsWrittenIsRead() throws {
    let seed: UInt64 = 5
    var random = SplitMix64(seed: seed)
    for round in 0..<200 {
      var frames: [FrameRecord] = []
      for number in 0..<UInt64.random(in: 0...6, using: &random) {
        let begin = Double.random(in: -10...70, using: &random)
        let work = Double.random(in: 0...20, using: &random)
        frames.append(
          frame(
            number, start: begin, delivered: begin + Double.random(in: 0...9, using: &random), work: work,
            target: begin + 16, presented: random.chance(0.2) ? 0 : begin + Double.random(in: 16...40, using: &random)))
      }
      let text = diagram(frames).description
      let read = try FrameDiagram(parsing: text, start: start)
      #expect(read.description == text, "seed \(seed), round \(round)")
    }
  }

  @Test func marksAndSpansHaveTimes() throws {
    let diagram = try FrameDiagram(
      parsing: """
        ms      0         10

        vblank  |    |
        busy      ##   =###
        """, start: start, scale: .milliseconds(2))
    #expect(diagram.lanes.map(\.name) == ["vblank", "busy"])
    #expect(diagram.columns == 11)
    #expect(diagram.marks(in: "vblank").map(\.time) == [at(0), at(10)])
    let spans = diagram.spans(in: "busy")
    #expect(spans.map(\.character) == ["#", "=", "#"])
    #expect(spans.map(\.begin) == [at(4), at(14), at(16)])
    #expect(spans.map(\.end) == [at(8), at(16), at(22)])
    #expect(diagram.marks(in: "tick").isEmpty)
  }

  @Test(
    arguments: [
      ("   |", 1), ("vblanks! |", 1), ("tick   |", 1), ("vblank  |\n\ntick    1\nvblank  |", 4), ("vblank  |\ntick\t1", 2),
    ])
  func whatIsNoDiagramIsRefused(text: String, line: Int) {
    #expect(throws: FrameDiagram.ParseError(line: line)) {
      try FrameDiagram(parsing: text, start: start)
    }
  }
}
