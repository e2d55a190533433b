import ImageFiles
import Testing

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
}
