import Geometry
import LinuxSystem
import Testing

@testable import Wayland

/// The places of a frame, and what presses in it do.
struct FrameLayoutTests {
  @Test func allPartsTogetherAreARing() {
    for isFitted in [false, true] {
      var layout = FrameLayout(extent: .init(width: 200, height: 90))
      layout.isFitted = isFitted
      let edge = isFitted ? 0 : FrameLayout.edgeWidth
      let places = FrameLayout.Part.allCases.compactMap(layout.place)
      for y in -60..<130 {
        for x in -20..<240 {
          let isContent = (0..<200).contains(x) && (0..<90).contains(y)
          let isInside = (-edge..<200 + edge).contains(x) && (-30 - edge..<90 + edge).contains(y)
          let count = places.count { (place) in
            (place.x..<place.x + place.width).contains(x) && (place.y..<place.y + place.height).contains(y)
          }
          #expect(count == (isInside && !isContent ? 1 : 0), "\(x) \(y)")
        }
      }
    }
  }

  @Test func areasAreWherePeopleLookForThem() {
    let layout = FrameLayout(extent: .init(width: 300, height: 200))
    func top(_ x: Double, _ y: Double) -> FrameArea { layout.area(.top, at: Point(x + 8, y + 38)) }
    #expect(top(100, -15) == .title)
    #expect(top(299, -1) == .close)
    #expect(top(299 - 34, -15) == .maximize)
    #expect(top(299 - 68, -30) == .minimize)
    #expect(top(299 - 102, -15) == .title)
    #expect(top(150, -33) == .edge(.top))
    #expect(top(2, -33) == .edge([.top, .left]))
    #expect(top(-3, -28) == .edge([.top, .left]))
    #expect(top(-3, -1) == .edge(.left))
    #expect(top(303, -20) == .edge([.top, .right]))
    #expect(layout.area(.left, at: Point(3, 100)) == .edge(.left))
    #expect(layout.area(.right, at: Point(3, 199)) == .edge([.bottom, .right]))
    #expect(layout.area(.bottom, at: Point(3, 3)) == .edge([.bottom, .left]))
    #expect(layout.area(.bottom, at: Point(150, 3)) == .edge(.bottom))
  }

  @Test func everyPointHasAnAreaAndEdgesHaveAShape() {
    for width in [1, 5, 40, 80, 500] {
      for height in [1, 5, 300] {
        let layout = FrameLayout(extent: .init(width: width, height: height))
        for part in FrameLayout.Part.allCases {
          guard let place = layout.place(of: part) else { continue }
          for y in stride(from: 0.5, to: Double(place.height), by: 3) {
            for x in stride(from: 0.5, to: Double(place.width), by: 3) {
              let area = layout.area(part, at: Point(x, y))
              guard case .edge = area else { continue }
              #expect(area.cursor != .standard, "\(width)x\(height) \(part) \(x) \(y)")
            }
          }
        }
        #expect(layout.buttons.count >= 1 && (width > 100 || layout.buttons.count <= 2))
      }
    }
  }

  @Test func presses() {
    var press = FramePress()
    let (start, here) = (MonotonicTime(nanoseconds: 1_000_000_000), Point(10, 10))
    #expect(press.pressed(.edge(.left), at: here, serial: 1, time: start) == .resize(.left, serial: 1))
    #expect(press.pressed(.close, at: here, serial: 2, time: start) == nil)
    #expect(press.released(.maximize, time: start) == nil)
    #expect(press.pressed(.close, at: here, serial: 3, time: start) == nil)
    #expect(press.moved(to: Point(90, 90)) == nil)
    #expect(press.released(.close, time: start) == .close)
    // A tremble is none, a pull is a movement, with the serial of the press.
    #expect(press.pressed(.title, at: here, serial: 4, time: start) == nil)
    #expect(press.moved(to: Point(12, 12)) == nil)
    #expect(press.moved(to: Point(15, 10)) == .move(serial: 4))
    #expect(press.moved(to: Point(25, 10)) == nil)
    #expect(press.released(.title, time: start) == nil)
    // Two clicks are one double click; a third begins anew.
    for (milliseconds, action) in [(0, nil), (300, FramePress.Action.maximize), (500, nil), (1000, nil), (1200, .maximize)] {
      let time = start + .milliseconds(Int64(milliseconds))
      #expect(press.pressed(.title, at: here, serial: 5, time: time) == action, "\(milliseconds)")
      #expect(press.released(.title, time: time) == nil)
    }
  }
}
