import Framepace
import FramepaceTesting
import KMSTesting
import XCTest

@testable import KMS

/// A display on a simulated card that shows a first frame, and what it reports. At its end nothing may be left.
@MainActor
final class ShownStage {
  let stage: CardStage
  let display: KMSDisplay
  /// The stamps of presented frames, since the first one.
  private(set) var times: [MonotonicTime] = []
  private(set) var seen = 0
  private(set) var ticks = 0
  private(set) var refusals: [FeatureRefusal] = []
  var onRefused = {}
  private var link: DisplayLink?
  var card: SimulatedCard { stage.card }
  var loop: FrameLoop { stage.loop }
  var clock: ManualClock { stage.clock }

  init(
    isAtomic: Bool = true, hasVBlanks: Bool = true, hasCursors: Bool = true, takesVariableRate: Bool? = nil,
    takesAsynchronousFlips: Bool = false, isShown: Bool = true
  ) throws {
    stage = CardStage(
      connectors: [.init("HDMI-A-1", modes: [.simulated(64, 48)], takesVariableRate: takesVariableRate)],
      hasVBlanks: hasVBlanks, isAtomic: isAtomic, hasCursors: hasCursors, takesAsynchronousFlips: takesAsynchronousFlips)
    display = try stage.openDisplay()
    display.presenter.onEvent = { [unowned self] event in
      switch event {
      case .presented(let feedback):
        times.append(feedback.timestamp)
        seen += 1
      case .refused: onRefused()
      case .reset, .dropped: break
      }
    }
    display.onRefusal = { [unowned self] in refusals.append($0) }
    if isShown { try present() }
    run(for: .milliseconds(100))
    forget()
  }

  isolated deinit {
    link?.invalidate()
    display.invalidate()
    stage.expectNothingLeft()
  }

  func run(for duration: Nanoseconds) { stage.run(for: duration) }

  /// Makes a change in a turn of the loop.
  func turn(_ body: @escaping @MainActor (KMSDisplay) -> Void) {
    later(.zero) { body($0.display) }
    loop.run(mode: .default, until: clock.now)
  }

  /// Makes a change in a later turn, after which no other one comes by itself.
  func later(_ delay: Nanoseconds, _ body: @escaping @MainActor (ShownStage) -> Void) {
    loop.add(FrameLoop.Timer(fireTime: clock.now + delay, .onMain { [unowned self] _ in body(self) }), to: .default)
  }

  func present() throws { try display.present() }

  /// A frame at each tick.
  func animate() {
    let link = DisplayLink(ticker: display.ticker) { [unowned self] _ in
      ticks += 1
      do { try present() } catch { XCTFail("\(error)") }
    }
    link.add(to: loop, mode: .default)
    self.link = link
  }

  func forget() { times = [] }
}
