import FrameTiming
import LinuxSystem
import Presentation

/// The events of the window at the compositor.
extension WaylandDisplay: WindowOwner {
  func windowChanged(_ changes: WindowConfiguration.Changes) {
    if changes.contains(.first) {
      frames = PresentedFrames(canTell: connection.globals.presentation != nil)
      grid.tell(toldRate)
    }
    if changes.contains(.suspended) { happened(.suspended(window.configuration.states.contains(.suspended))) }
    guard !changes.isDisjoint(with: [.first, .resized]) else { return }
    pictureTiming.resized()
    let wasHidden = permission.isHidden
    happened(.configured)
    if changes.contains(.resized), !wasHidden, !permission.isHidden, makeBuffers() {
      frames.forget()
      awaitAnswer()
      stable.replace(with: buffers)
    }
  }

  func windowOutputsChanged() {
    let before = ticker.refreshRate
    grid.tell(toldRate)
    feedbackClock?.tell(toldRate)
    if pace == .starting || pace == .silent, toldRate != before { ticker.change(to: source(of: pace)) }
    // Figures of the new rate begin anew.
    if ticker.refreshRate != before { observers.notify(.stateChanged(state)) }
  }

  func windowMayDraw() {
    let now = clock.now
    if pace == .learned { frames.wasTaken(at: now, ticker.forecast) }
    let isSilentNow = frames.callback()
    // Vblanks that follow frames are not known well enough.
    let next = feedbackClock?.followsFrames == false ? ticker.forecast.vblank(after: now) : nil
    pictureTiming.callback(at: now, next: next, interval: interval)
    happened(.callback)
    tellFrames()
    guard isSilentNow else { return }
    updatePace()
    if frames.count > 0 { wait.start(after: now) }
    observers.notify(.stateChanged(state))
  }

  func windowHasFeedback(ofFrame serial: UInt64, stamp: MonotonicTime?) {
    guard let stamp else {
      _ = frames.answer(serial, .dropped, at: clock.now)
      return tellFrames()
    }
    let now = clock.now
    let told = connection.globals.stampClock.convert(stamp, now: now, read: connection.readClock)
    // One of another clock than the compositor says proves only that the frame was seen.
    let time = told.flatMap { $0 - now < interval && now - $0 < .seconds(1) ? $0 : nil }
    if let time { pictureTiming.seen(serial, at: time, interval: interval) }
    let wasTelling = frames.hasTold
    let isHeardAgain = frames.answer(serial, .seen(time ?? now), at: now)
    if let time { learn(time) }
    if isHeardAgain { wait.cancel() }
    if isHeardAgain || !wasTelling {
      updatePace()
      observers.notify(.stateChanged(state))
    }
    if let time { onStamp?(time) }
    tellFrames()
  }

  func windowIsToClose() { observers.notify(.closeRequested) }

  func windowWasLost(_ error: WaylandError) {
    happened(.ended)
    dropBuffers()
    observers.notify(.lost(error))
  }
}
