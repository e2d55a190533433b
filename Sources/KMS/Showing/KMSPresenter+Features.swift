import FrameTiming
import Geometry
import Glibc
import LinuxSystem
import Presentation
import Raster
import RunLoops

/// The cursor: a change of it goes with the next frame, and by itself where no frame is due.
extension KMSPresenter {
  /// The size of the hardware's cursors; nil where there is none.
  var cursorSize: (width: Int, height: Int)? { scanOut.cursorSize }

  /// Shows a cursor from now on, or none. An image that was refused stays refused.
  func setCursor(_ new: Cursor?, at position: Point) {
    let refusal = cursor.show(new, at: position, on: scanOut.pipe.geometry, check: refusal)
    if let refusal { owner?.screen(reports: .refused(refusal)) }
  }

  private func refusal(of image: Image) -> FeatureRefusal? {
    let connector = scanOut.pipe.connector.name
    guard let size = cursorSize else { return .noCursorPlane(connector: connector) }
    let isSideways = scanOut.pipe.rotation.isSideways
    let turned = isSideways ? (width: image.height, height: image.width) : (width: image.width, height: image.height)
    if turned.width <= size.width, turned.height <= size.height { return nil }
    return .cursorTooLarge(
      connector: connector, width: image.width, height: image.height, maximumWidth: size.width,
      maximumHeight: size.height)
  }

  /// The setting that the driver does not have yet; nil for none.
  func cursorSetting() -> CursorSetting? {
    guard cursor.isDue else { return nil }
    guard let wanted = cursor.wanted else { return .hidden }
    do throws(SystemError) {
      return try scanOut.cursorSetting(wanted.image, wanted.look)
    } catch {
      if error.isLoss { return nil }
      cursorAnswered(.refused(error))
      return cursor.isDue ? .hidden : nil
    }
  }

  func cursorAnswered(_ answer: ScanOut.CursorAnswer) {
    let error: SystemError
    switch answer {
    case .left: return
    case .told:
      cursor.tell()
      if let image = cursor.wanted?.image { scanOut.didShowCursor(image.id) }
      return
    case .lacksMemory(let reason):
      if !cursor.lackMemory() { return }
      error = reason
    case .refused(let reason): error = reason
    }
    let refusal = FeatureRefusal.driver(connector: scanOut.pipe.connector.name, .cursor, error)
    if cursor.refuse(refusal) { owner?.screen(reports: .refused(refusal)) }
  }

  /// At the end of a turn: shows a change of the cursor that no frame has taken along, once in an interval.
  func showCursor() {
    guard cursor.isDue, isModeSet, !queue.isStopped else { return }
    let now = clock.now
    guard scanOut.cursorRidesWithFrames else {
      // More often nobody would see it, and some drivers wait for a vblank each time.
      if let time = legacyCursorChange.map({ $0 + scanOut.pipe.refreshRate.interval }), now < time {
        cursorAlarm.fireTime = time
        return
      }
      legacyCursorChange = now
      return commitCursor(nil)
    }
    // The turn of a tick that is due may have a frame, which would have to wait for the cursor.
    if !queue.canCommitCursor || ticker.forecast.isTickDue(at: now) { return }
    if let later = CursorPlane.wait(
      isVariable: scanOut.isVariable, isFrameWanted: ticker.forecast.isAwaitingVBlank, last: queue.lastCommit, now: now)
    {
      cursorAlarm.fireTime = later
    } else {
      handle(.cursorChanged)
    }
  }

  /// - Parameter commit: the queue's; nil for the legacy calls, which wait for no frame and send no event.
  func commitCursor(_ commit: CommitQueue.Commit?) {
    func answer(_ event: CommitQueue.Event) { if commit != nil { handle(event) } }
    guard let setting = cursorSetting() else { return answer(.refused) }
    do throws(SystemError) {
      _ = try scanOut.commit(ScreenState(cursor: setting), as: .flip, token: events.token(commit?.token ?? 0))
      answer(.taken(isAsynchronous: false, isTold: true))
      cursorAnswered(.told)
    } catch {
      if error.isPassing {
        if error.errno == ENOMEM { cursorAnswered(.lacksMemory(error)) }
        // It may be refused by now, and there may be none to hide.
        guard cursor.isDue else { return answer(.refused) }
        if commit == nil { cursorAlarm.fireTime = clock.now + scanOut.pipe.refreshRate.interval }
        return answer(.busy)
      }
      answer(.refused)
      if error.isLoss {
        owner?.screen(reports: .lost(scanOut.pipe.error(error)))
      } else if scanOut.isOff {
        // The next frame sets the mode, and shows the cursor too.
        handle(.foundOff)
        onEvent?(.refused(scanOut.pipe.error(error)))
        // The frame of this turn would have come earlier: there must be another turn.
        cursorAlarm.fireTime = clock.now
      } else {
        cursorAnswered(.refused(error))
        // The cursor that is shown goes, instead of the one that was to come.
        if cursor.isDue { cursorAlarm.fireTime = clock.now }
      }
    }
  }
}

/// The way in which flips wait for the vblank, or do not: a pure value.
enum TearingState: Equatable, Sendable {
  case off
  /// - isTested: whether the driver has taken an asynchronous flip.
  case on(ScanOut.AsynchronousFlip, isTested: Bool)
  case refused(FeatureRefusal)

  var state: FeatureState {
    switch self {
    case .off: .off
    case .on: .on
    case .refused(let refusal): .refused(refusal)
    }
  }
}

/// Tearing, and a variable rate.
extension KMSPresenter {
  func setTearing(_ isWanted: Bool) {
    guard isWanted != (tearing != .off) else { return }
    tearing = .off
    guard isWanted else { return }
    if let call = scanOut.asynchronousFlip {
      tearing = .on(call, isTested: false)
    } else {
      refuseTearing(.noAsynchronousFlips(connector: scanOut.pipe.connector.name))
    }
  }

  /// Shows a frame without waiting for the vblank, where that is wanted and the driver takes it.
  ///
  /// - Returns: true if the kernel has the frame.
  func flipAsynchronously(framebuffer: UInt32, token: UInt64) throws(SystemError) -> Bool {
    guard case .on(let call, let isTested) = tearing else { return false }
    do throws(SystemError) {
      try scanOut.flipAsynchronously(call, framebuffer: framebuffer, isTested: isTested, token: token)
      tearing = .on(call, isTested: true)
      return true
    } catch {
      if error.isLoss { throw error }
      // A screen that is off takes no flip of any kind: that says nothing about this one.
      if !error.isPassing, !scanOut.isOff {
        refuseTearing(.driver(connector: scanOut.pipe.connector.name, .tearing, error))
      }
      return false
    }
  }

  private func refuseTearing(_ refusal: FeatureRefusal) {
    tearing = .refused(refusal)
    owner?.screen(reports: .refused(refusal))
  }

  var isVariable: Bool { scanOut.isVariable }

  /// - Returns: why the rate cannot vary; nil if it can.
  func setVariable(_ isVariable: Bool) -> FeatureRefusal? {
    let connector = scanOut.pipe.connector.name
    if isVariable, !scanOut.canVaryRate { return .fixedRefresh(connector: connector) }
    guard isVariable != scanOut.isVariable else { return nil }
    do throws(SystemError) {
      try scanOut.setVariable(isVariable, isModeSet: isModeSet)
    } catch {
      if !error.isLoss { return .driver(connector: connector, .variableRefresh, error) }
      owner?.screen(reports: .lost(scanOut.pipe.error(error)))
    }
    return nil
  }
}
