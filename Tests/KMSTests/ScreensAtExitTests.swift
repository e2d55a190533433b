import CFatalScreens
import FramepaceTesting
import KMSTesting
import Presentation
import XCTest

@testable import KMS
import RenderTree

/// Room for the screens that signals bring back.
final class ScreensAtExitTests: XCTestCase {
  /// There is room for some; what is forgotten makes room again, and a number that stands for none does no harm.
  func testThereIsRoomForSome() {
    var screen = cscreens_screen()
    screen.descriptor = -1
    var numbers: [Int32] = []
    while case let number = cscreens_remember(&screen), number >= 0 { numbers.append(number) }
    XCTAssertEqual(numbers.count, Int(CSCREENS_SCREENS))
    XCTAssertEqual(Set(numbers).count, numbers.count)
    cscreens_forget(-1)
    cscreens_forget(CSCREENS_SCREENS)
    cscreens_forget(numbers[3])
    XCTAssertEqual(cscreens_remember(&screen), numbers[3])
    for number in numbers { cscreens_forget(number) }
    XCTAssertEqual(cscreens_remember(&screen), 0)
    cscreens_forget(0)
  }

  /// Also where a new one has the room of an old one.
  func testTheNewestIsBroughtBackFirst() {
    var screen = cscreens_screen()
    screen.descriptor = -1
    XCTAssertEqual(cscreens_next(), -1)
    let numbers = (0..<3).map { _ in cscreens_remember(&screen) }
    cscreens_forget(numbers[0])
    XCTAssertEqual(cscreens_remember(&screen), numbers[0])
    for number in [numbers[0], numbers[2], numbers[1]] {
      XCTAssertEqual(cscreens_next(), number)
      cscreens_forget(number)
    }
    XCTAssertEqual(cscreens_next(), -1)
  }

  /// A display that is given back, and one that could not be made, no longer take any.
  func testDisplaysMakeRoomAgain() {
    onMain {
      for isAtomic in [true, false] {
        for round in 0..<Int(CSCREENS_SCREENS) + 4 {
          let stage = CardStage(isAtomic: isAtomic)
          if round % 2 == 1 { stage.card.fail(.commit, errno: 22) }
          let display = try? stage.openDisplay()
          if let buffer = display?.presenter.acquireBuffer() {
            try? display?.presenter.present(buffer, damage: DamageRegion())
          }
          display?.invalidate()
        }
        var screen = cscreens_screen()
        XCTAssertEqual(cscreens_remember(&screen), 0)
        cscreens_forget(0)
      }
    }
  }
}
