import Geometry
import LinuxSystem
import RenderTree
import TestLength
import Testing

/// Changes of a picture whose pixels are numbers, on buffers that take them at times of their own.
@Suite struct FrameChangeTests {
  /// In squares, which are so large that a region does not unite what lies apart.
  private static let (width, height) = (24, 20)
  private static let side: Int32 = 80
  private static let output = square(0, 0, width, height)

  private static func square(_ x: Int, _ y: Int, _ width: Int = 1, _ height: Int = 1) -> IntRect {
    let side = Int(side)
    return IntRect(x: x * side, y: y * side, width: width * side, height: height * side)
  }

  /// The squares of a rectangle.
  private static func forEach(in rect: IntRect, _ body: (Int32, Int32) -> Void) {
    for y in rect.minY / side..<rect.maxY / side {
      for x in rect.minX / side..<rect.maxX / side { body(x, y) }
    }
  }

  private struct Picture: Equatable {
    var pixels = (0..<FrameChangeTests.width * FrameChangeTests.height).map { $0 }

    subscript(_ x: Int32, _ y: Int32) -> Int {
      get { pixels[Int(y) * FrameChangeTests.width + Int(x)] }
      set { pixels[Int(y) * FrameChangeTests.width + Int(x)] = newValue }
    }

    mutating func move(_ move: PixelMove) {
      let (before, dx, dy) = (self, move.dx / FrameChangeTests.side, move.dy / FrameChangeTests.side)
      FrameChangeTests.forEach(in: move.rect) { self[$0, $1] = before[$0 - dx, $1 - dy] }
    }

    /// Gets what `change` leads to, the damage from a picture that has it.
    mutating func make(_ change: FrameChange, from newest: Picture) {
      if let move = change.move { self.move(move) }
      for rect in change.damage.rects { FrameChangeTests.forEach(in: rect) { self[$0, $1] = newest[$0, $1] } }
    }
  }

  /// Scrolls of one rectangle or of several, at any speed, between other damage.
  @Test(arguments: some(40, of: 1...400))
  func buffersThatWaitedGetAll(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed))
    func rect() -> IntRect {
      Self.square(
        .random(in: 0..<Self.width, using: &random), .random(in: 0..<Self.height, using: &random),
        .random(in: 1...12, using: &random), .random(in: 1...12, using: &random)
      ).intersection(Self.output)
    }
    var (picture, newNumber) = (Picture(), 1_000)
    var buffers = Array(repeating: (picture: picture, lacked: FrameChange()), count: 3)
    var clip = rect()
    for frame in 0..<200 {
      let previous = picture
      var change = FrameChange()
      if random.chance(0.1) { clip = rect() }
      if random.chance(0.7) {
        let dx = random.chance(0.3) ? Int32.random(in: -3...3, using: &random) * Self.side : 0
        let dy = Int32.random(in: -4...4, using: &random) * Self.side
        let moved = clip.intersection(clip.offsetBy(dx: dx, dy: dy))
        if !moved.isEmpty { change.move = PixelMove(moved, dx: dx, dy: dy) }
        change.damage.add(clip, outside: moved)
      }
      while random.chance(0.4) { change.damage.add(rect()) }
      if let move = change.move { picture.move(move) }
      for damaged in change.damage.rects {
        Self.forEach(in: damaged) {
          picture[$0, $1] = newNumber
          newNumber += 1
        }
      }
      for index in buffers.indices { buffers[index].lacked.add(change) }
      let index = random.chance(0.7) ? frame % 3 : .random(in: 0..<3, using: &random)
      let lacked = buffers[index].lacked
      if let move = lacked.move { #expect(Self.output.contains(move.source) && Self.output.contains(move.rect)) }
      let written = lacked.written
      Self.forEach(in: Self.output) { x, y in
        if picture[x, y] == previous[x, y] || written.intersects(Self.square(Int(x), Int(y))) { return }
        Issue.record("seed \(seed), frame \(frame): the display is not told of \(x), \(y)")
      }
      buffers[index].picture.make(lacked, from: picture)
      buffers[index].lacked = FrameChange()
      guard buffers[index].picture == picture else {
        Issue.record("seed \(seed), frame \(frame), buffer \(index): \(lacked)")
        return
      }
    }
  }

  private func rect(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> IntRect {
    IntRect(x: x, y: y, width: width, height: height)
  }

  /// A list of 100 × 100 that scrolls by seven pixels a frame: a buffer lacks as many strips as frames.
  @Test func scrollsOfOneListAddUp() {
    var lacked = FrameChange()
    for frame in 1...5 {
      lacked.add(FrameChange(DamageRegion(rect(0, 93, 100, 7)), move: PixelMove(rect(0, 0, 100, 93), dx: 0, dy: -7)))
      #expect(lacked.move == PixelMove(rect(0, 0, 100, 100 - 7 * frame), dx: 0, dy: -Int32(7 * frame)))
      #expect(lacked.damage.area == 700 * frame && lacked.damage.boundingBox == rect(0, 100 - 7 * frame, 100, 7 * frame))
    }
    #expect(lacked.written.area == 10_000)
    // The other way: a strip at the top appears, one at the bottom goes.
    lacked.add(FrameChange(DamageRegion(rect(0, 0, 100, 10)), move: PixelMove(rect(0, 10, 100, 90), dx: 0, dy: 10)))
    #expect(lacked.move == PixelMove(rect(0, 10, 100, 65), dx: 0, dy: -25))
    #expect(lacked.damage.area == 3_500)
  }

  /// Another list scrolls: what the first one moved is painted, and so is the second.
  @Test func movesOfTwoListsArePainted() {
    var lacked = FrameChange(DamageRegion(rect(0, 90, 40, 10)), move: PixelMove(rect(0, 0, 40, 90), dx: 0, dy: -10))
    lacked.add(FrameChange(DamageRegion(rect(200, 90, 40, 10)), move: PixelMove(rect(200, 0, 40, 90), dx: 0, dy: -10)))
    #expect(lacked.move == nil)
    #expect(lacked.damage.area == 8_000)
  }

  /// A list that scrolls back shows nothing new to a buffer that waited, but the display showed something else meanwhile.
  @Test func whatCameBackIsWritten() {
    var lacked = FrameChange(DamageRegion(rect(0, 90, 40, 10)), move: PixelMove(rect(0, 0, 40, 90), dx: 0, dy: -10))
    lacked.add(FrameChange(DamageRegion(rect(0, 0, 40, 10)), move: PixelMove(rect(0, 10, 40, 90), dx: 0, dy: 10)))
    #expect(lacked.written.area == 4_000)
    #expect(lacked.damage.area == 400)
  }

  @Test func whatIsPaintedWhollyIsNotMoved() {
    var lacked = FrameChange(DamageRegion(rect(0, 0, 100, 100)))
    lacked.add(FrameChange(DamageRegion(rect(0, 93, 100, 7)), move: PixelMove(rect(0, 0, 100, 93), dx: 0, dy: -7)))
    #expect(lacked.move == nil && lacked.damage.area == 10_000)
    #expect(!lacked.isEmpty && FrameChange().isEmpty)
    #expect(!FrameChange(move: PixelMove(rect(0, 0, 1, 1), dx: 1, dy: 0)).isEmpty)
  }
}
