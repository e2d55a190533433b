import LinuxSystem
import Raster
import Testing

@testable import ImageFiles

@Suite struct SizeTests {
  @Test func picturesFitIntoTheirBoxes() {
    func fit(_ width: Int, _ height: Int, into boxWidth: Int, _ boxHeight: Int) -> String {
      PixelSize(width: width, height: height).fitting(PixelSize(width: boxWidth, height: boxHeight)).description
    }
    #expect(fit(4000, 3000, into: 400, 300) == "400x300")
    #expect(fit(4000, 3000, into: 400, 3000) == "400x300")
    #expect(fit(3000, 4000, into: 400, 300) == "225x300")
    #expect(fit(30, 20, into: 400, 300) == "30x20")
    #expect(fit(30, 20, into: 30, 19) == "29x19")
    #expect(fit(65_535, 1, into: 10, 10) == "10x1")
    #expect(fit(5, 5, into: 0, -3) == "1x1")
    #expect(fit(5, 9, into: .max, 3) == "2x3")
  }

  /// The pictures of a movement have the size of the same file's first picture by itself, in the smallest boxes too.
  @Test func aMovementIsAsLargeAsAStillPicture() throws {
    for name in ["moving.webp", "disposal-1.gif"] {
      let file = try Pictures.file(name)
      for width in [1, 2, 3, 7, 60] {
        for height in [1, 2, 3, 7, 60] {
          let box = PixelSize(width: width, height: height)
          for fit in [ImageFit.inside(box), .covering(box), .natural] {
            let still = try file.decode(to: file.header.storedSize(fit), clock: .monotonic) { false }
            let frame = try #require(try file.frames(fit, limit: 1 << 20) { false }.first)
            #expect([frame.image.width, frame.image.height] == [still.width, still.height], "\(name), \(fit)")
          }
        }
      }
    }
  }
}
