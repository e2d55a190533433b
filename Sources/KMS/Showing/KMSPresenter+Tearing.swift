import LinuxSystem

/// Whether flips wait for the vblank: a pure value.
struct TearingState: Equatable, Sendable {
  var isWanted = false
  /// By which call; nil where frames wait.
  var way: ScanOut.AsynchronousFlip?
  /// Whether the driver has taken one.
  var isTested = false
  var refusal: FeatureRefusal?

  var state: FeatureState {
    if let refusal { return .refused(refusal) }
    return isWanted ? .on : .off
  }
}

/// Tearing, and a variable rate.
extension KMSPresenter {
  func setTearing(_ isWanted: Bool) {
    guard isWanted != tearing.isWanted else { return }
    tearing = TearingState(isWanted: isWanted)
    guard isWanted else { return }
    tearing.way = scanOut.asynchronousFlip
    if tearing.way == nil { refuseTearing(.noAsynchronousFlips(connector: scanOut.pipe.connector.name)) }
  }

  /// Shows a frame without waiting for the vblank, where that is wanted and the driver takes it.
  ///
  /// - Returns: whether the frame is on its way.
  func flipAsynchronously(framebuffer: UInt32, token: UInt64) throws(KMSError) -> Bool {
    guard let way = tearing.way else { return false }
    do throws(KMSError) {
      try scanOut.flipAsynchronously(way, framebuffer: framebuffer, isTested: tearing.isTested, token: token)
      tearing.isTested = true
      return true
    } catch {
      guard case .refused(let connector, _, let reason) = error else { throw error }
      // A screen that is off takes no flip of any kind, which is no word against this one.
      if CommitAnswer(errno: reason.errno, isFlip: true, hasExtras: false) != .retryAtVBlank, !scanOut.isOff {
        refuseTearing(.driver(connector: connector, .tearing, reason))
      }
      return false
    }
  }

  private func refuseTearing(_ refusal: FeatureRefusal) {
    tearing.way = nil
    tearing.refusal = refusal
    onRefusal?(refusal)
  }

  var isVariable: Bool { scanOut.isVariable }

  /// - Returns: why not.
  func setVariable(_ isVariable: Bool) -> FeatureRefusal? {
    let connector = scanOut.pipe.connector.name
    if isVariable, !scanOut.canVaryRate { return .fixedRefresh(connector: connector) }
    guard isVariable != scanOut.isVariable else { return nil }
    do throws(KMSError) {
      try scanOut.setVariable(isVariable, isModeSet: isModeSet)
      return nil
    } catch {
      guard case .refused(_, _, let reason) = error else {
        onLost?(error)
        return nil
      }
      return .driver(connector: connector, .variableRefresh, reason)
    }
  }
}
