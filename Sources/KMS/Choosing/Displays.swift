public import FrameTiming
public import LinuxSystem
public import Presentation
public import Raster

/// The displays of this machine.
public enum Displays {
  /// A screen of the first card that can be used.
  ///
  /// - Parameters:
  ///   - connector: a connector's name; nil for the first connected one that can be shown on.
  ///   - mode: the mode to use; nil for the one that the screen prefers, or the next best that the driver takes.
  ///   - buffering: how many buffers frames are painted in.
  ///   - session: opens the cards; nil for one without a seat, which all displays share for which none is named.
  ///   - clock: the clock of the loop that the display is added to.
  ///   - folder: where the cards are.
  /// - Throws: the reason of the only card, or of the one that has the connector that was asked for; otherwise
  ///   `noUsableDevice` with one for each.
  @MainActor
  public static func kms(
    connector: String? = nil, mode: ModeRequest? = nil, buffering: Buffering = .double, session: DisplaySession? = nil,
    clock: SystemClock = .monotonic, folder: String = "/dev/dri"
  ) throws(KMSError) -> KMSDisplay {
    let paths = DRMDevice.cardPaths(in: folder)
    if paths.isEmpty { throw .noDevice }
    let session = session ?? .unnamed
    var refusals = CardRefusals(connector: connector)
    for path in paths {
      var device: DRMDevice?
      do throws(KMSError) {
        let card = try session.card(at: path)
        device = card.device
        return try card.display(connector: connector, mode: mode, buffering: buffering, clock: clock)
      } catch {
        refusals.add(error, of: device)
      }
    }
    throw refusals.error
  }

  /// All screens of all cards: a display for each connected connector.
  ///
  /// - Parameters: as for `kms`.
  /// - Returns: the displays, and the reasons why cards or screens could not be used.
  /// - Throws: as `kms`, when there is no display at all.
  @MainActor
  public static func all(
    buffering: Buffering = .double, session: DisplaySession? = nil, clock: SystemClock = .monotonic,
    folder: String = "/dev/dri"
  ) throws(KMSError) -> (displays: [KMSDisplay], refused: [KMSError]) {
    let paths = DRMDevice.cardPaths(in: folder)
    if paths.isEmpty { throw .noDevice }
    let session = session ?? .unnamed
    var displays: [KMSDisplay] = []
    var refused: [KMSError] = []
    for path in paths {
      do throws(KMSError) {
        let answer = try session.card(at: path).displays(buffering: buffering, clock: clock)
        displays += answer.displays
        refused += answer.refused
      } catch {
        refused.append(error)
      }
    }
    if displays.isEmpty { throw .unusable(refused) }
    return (displays, refused)
  }

  /// All screens beside one that was taken, such as to mirror it on.
  ///
  /// - Parameters: as for `kms`; the session that has opened the display.
  /// - Returns: the displays, and the reasons why cards or screens could not be used.
  @MainActor
  public static func others(
    beside display: KMSDisplay, buffering: Buffering = .double, session: DisplaySession? = nil,
    clock: SystemClock = .monotonic, folder: String = "/dev/dri"
  ) -> (displays: [KMSDisplay], refused: [KMSError]) {
    let session = session ?? .unnamed
    var displays: [KMSDisplay] = []
    var refused: [KMSError] = []
    for path in DRMDevice.cardPaths(in: folder) {
      do throws(KMSError) {
        let card = path == display.card.path ? display.card : try session.card(at: path)
        let answer = try card.furtherDisplays(buffering: buffering, clock: clock)
        displays += answer.displays
        refused += answer.refused
      } catch {
        refused.append(error)
      }
    }
    return (displays, refused)
  }

  /// A screen where there is a usable one, otherwise a virtual display paced by a fallback clock. The display's `reason`
  /// says which and why.
  ///
  /// - Parameters:
  ///   - width: of the virtual display, in pixels; a screen has its own.
  ///   - height: as `width`.
  ///   - refreshRate: of the virtual display.
  ///   - session: as for `kms`.
  ///   - clock: the clock of the loop that the display is added to.
  ///   - folder: where the cards are.
  @MainActor
  public static func automatic(
    width: Int, height: Int, refreshRate: RefreshRate, session: DisplaySession? = nil, clock: SystemClock = .monotonic,
    folder: String = "/dev/dri"
  ) throws(BitmapError) -> any Display {
    do throws(KMSError) {
      return try kms(session: session, clock: clock, folder: folder)
    } catch {
      return try VirtualDisplay(
        width: width, height: height, refreshRate: refreshRate, reason: error.description, clock: clock)
    }
  }
}
