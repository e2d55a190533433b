import FrameTiming
import Geometry
import KMS
import LinuxSystem
import Presentation
import Raster
import RenderTree
import RunLoops

/// Shows the test pattern on a display, frame by frame, with the damage of each buffer, and keeps account.
@MainActor
final class Animation {
  let display: KMSDisplay
  private(set) var pattern: TestPattern
  private(set) var feedback: [PresentationFeedback] = []
  private(set) var ticks: [DisplayLink.Tick] = []
  /// Ticks at which no buffer was free.
  private(set) var blocked = 0
  /// The number of the frame that was presented last.
  private(set) var frame = -1
  private(set) var error: (any Error)?
  private(set) var lost: [any Error] = []

  /// Frames that the driver did not take.
  private(set) var refusals = 0
  /// The number of times that the loop woke up.
  private(set) var wakeUps = 0

  private let count: Int
  /// True if what the driver does not take is presented again, as an output does.
  private let goesOn: Bool
  private var observer: FrameLoop.Observer?
  private var missing: [DamageRegion] = []
  private var link: DisplayLink?

  init(_ display: KMSDisplay, frames count: Int, goesOn: Bool = false) {
    self.display = display
    self.count = count
    self.goesOn = goesOn
    pattern = TestPattern(width: display.presenter.width, height: display.presenter.height)
    display.observe { [weak self] event in
      guard case .lost(let error) = event else { return }
      self?.lost.append(error)
      FrameLoop.main.stop()
    }.keep()
    display.presenter.onEvent = { [weak self] event in
      switch event {
      case .presented(let feedback): self?.presented(feedback)
      case .reset:
        self?.missing = []
        self?.fit()
        // A screen that has come ticks after its first frame.
        self?.present()
      case .refused, .dropped: break
      }
    }
    display.add(to: .main, mode: .default)
    let observer = FrameLoop.Observer(.afterWaiting, .onMain { [weak self] _, _ in self?.wakeUps += 1 })
    FrameLoop.main.add(observer, to: .default)
    self.observer = observer
    link = DisplayLink(ticker: display.ticker) { [weak self] link in self?.tick(link) }
  }

  /// Shows so many frames, or fails.
  @discardableResult
  static func show(_ count: Int, on display: KMSDisplay) -> Animation {
    let animation = Animation(display, frames: count)
    animation.run(limit: .seconds(5))
    Guest.expect(
      animation.feedback.count == count,
      "\(animation.feedback.count) frames of \(count) were shown: \(animation.error.map { "\($0)" } ?? "time is up")")
    return animation
  }

  /// Until the last frame is on the screen, an error came, or the time is up.
  func run(limit: Nanoseconds) {
    link?.isPaused = false
    link?.add(to: .main, mode: .default)
    present()
    if error == nil { FrameLoop.main.run(mode: .default, until: FrameLoop.main.clock.now + limit) }
    link?.isPaused = true
  }

  /// Waits until the last frame is on the screen.
  func rest() {
    FrameLoop.main.run(mode: .default, until: FrameLoop.main.clock.now + .milliseconds(200))
  }

  /// A screen of another size may have come.
  private func fit() {
    let presenter = display.presenter
    if (pattern.width, pattern.height) != (presenter.width, presenter.height) {
      pattern = TestPattern(width: presenter.width, height: presenter.height)
    }
  }

  private func tick(_ link: DisplayLink) {
    if let tick = link.tick { ticks.append(tick) }
    present()
  }

  private func present() {
    guard frame + 1 < count, error == nil else { return }
    guard let buffer = display.presenter.acquireBuffer(), let bitmap = buffer.target.bitmap else {
      blocked += 1
      return
    }
    frame += 1
    let damage = pattern.damage(frame)
    for index in missing.indices { missing[index].add(damage) }
    while missing.count <= buffer.index { missing.append(DamageRegion(pattern.bounds)) }
    let painted = missing[buffer.index]
    missing[buffer.index].removeAll()
    pattern.paint(frame, painted, into: bitmap)
    do {
      try display.presenter.present(buffer, damage: painted, target: nil)
      last = bitmap
    } catch {
      if goesOn {
        // The screen shows what it showed: all is painted again.
        refusals += 1
        missing = []
        return
      }
      self.error = error
      FrameLoop.main.stop()
    }
  }

  /// The bitmap that was presented last.
  private(set) var last: Bitmap?

  private func presented(_ feedback: PresentationFeedback) {
    self.feedback.append(feedback)
    if self.feedback.count == count { FrameLoop.main.stop() }
  }
}
