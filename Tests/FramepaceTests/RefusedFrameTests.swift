import Framepace
import FramepaceTesting
import RenderTree
import XCTest

/// A presenter that refuses a frame: nothing of it is lost.
final class RefusedFrameTests: XCTestCase {
  func testARefusedFrameIsPaintedAgainAtTheNextTick() throws {
    try onMain {
      let clock = ManualClock()
      let loop = FrameLoop(clock: .manual(clock))
      let display = try RefusingDisplay(clock: clock)
      let root = Layer()
      root.backgroundColor = .white
      let engine = Engine(display: display, root: root, loop: loop)
      var errors = 0
      var shown: [FrameRecord] = []
      engine.output.observe { if case .refused = $0 { errors += 1 } }.keep()
      engine.output.observe { if case .presented(let frame) = $0 { shown.append(frame) } }.keep()

      loop.run(mode: .default, until: clock.now + .milliseconds(200))

      XCTAssertEqual(errors, 1)
      XCTAssertEqual(shown.count, 1)
      XCTAssertEqual(shown.first?.paintedPixels, 16 * 16)
      let picture = try display.virtual.copyShownImage()
      XCTAssertEqual(picture.row(8).load(fromByteOffset: 32, as: UInt32.self), 0xFFFF_FFFF)
      engine.invalidate()
    }
  }
}

/// A virtual display that refuses its first frame.
@MainActor
private final class RefusingDisplay: Display {
  let virtual: VirtualDisplay
  let presenter: any Presenter
  var name: String { virtual.name }
  var reason: String { virtual.reason }
  var ticker: DisplayTicker { virtual.ticker }
  let observers = Observers<DisplayEvent>()

  init(clock: ManualClock) throws {
    virtual = try VirtualDisplay(width: 16, height: 16, refreshRate: .hertz60, reason: "a test", clock: .manual(clock))
    presenter = RefusingPresenter(virtual.presenter)
  }

  func add(to loop: FrameLoop, mode: FrameLoop.Mode) { virtual.add(to: loop, mode: mode) }
  func invalidate() { virtual.invalidate() }
}

@MainActor
private final class RefusingPresenter: Presenter {
  private let inner: any Presenter
  private var refusals = 1

  init(_ inner: any Presenter) { self.inner = inner }

  var width: Int { inner.width }
  var height: Int { inner.height }
  var onEvent: (@MainActor (PresenterEvent) -> Void)? {
    get { inner.onEvent }
    set { inner.onEvent = newValue }
  }

  func acquireBuffer() -> PresentationBuffer? { inner.acquireBuffer() }

  func present(_ buffer: PresentationBuffer, damage: DamageRegion) throws {
    if refusals > 0 {
      refusals -= 1
      throw SystemError(call: "present", errno: 16)
    }
    try inner.present(buffer, damage: damage)
  }

  func invalidate() { inner.invalidate() }
}
