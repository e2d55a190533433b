public import LinuxSystem
public import Presentation

/// The displays of this machine. `automatic`, of the module `AutomaticDisplays`, takes a window where there is a desktop, a screen
/// where there is none, or a display of memory.
///
/// ```swift
/// let display = try Displays.kms()
/// let engine = Engine(display: display, root: root)
/// ```
public enum Displays {
  /// A screen of the first usable card.
  ///
  /// - Parameters:
  ///   - connector: a connector's name; nil for the first connected one that can be shown on.
  ///   - mode: the mode to use; nil for the one that the screen prefers, or the next best that the driver takes.
  ///   - buffering: how many buffers frames are painted in.
  ///   - session: opens the cards; nil for one without a seat, which all displays without a named session share.
  ///   - clock: the clock of the loop that the display is added to.
  ///   - folder: where the cards are.
  /// - Throws: the error of the only card, or of the one with the requested connector; otherwise `noUsableDevice` with the
  ///   error of each card.
  @MainActor
  public static func kms(
    connector: String? = nil, mode: ModeRequest? = nil, buffering: Buffering = .double, session: DisplaySession? = nil,
    clock: SystemClock = .monotonic, folder: String = "/dev/dri"
  ) throws(KMSError) -> KMSDisplay {
    let paths = try DRMDevice.cardPaths(in: folder)
    if paths.isEmpty { throw .noDevice }
    let session = session ?? .unnamed
    return try DRMDevice.firstAnswer(of: paths, connector: connector) { path, device throws(KMSError) in
      let card = try session.card(at: path)
      device = card.device
      return try card.display(connector: connector, mode: mode, buffering: buffering, clock: clock)
    }
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
    let paths = try DRMDevice.cardPaths(in: folder)
    if paths.isEmpty { throw .noDevice }
    let session = session ?? .unnamed
    let (displays, refused) = displays(of: paths) { path throws(KMSError) in
      try session.card(at: path).displays(buffering: buffering, clock: clock)
    }
    if displays.isEmpty { throw .unusable(refused) }
    return (displays, refused)
  }

  /// All screens except one that is in use, such as to mirror it.
  ///
  /// - Parameters: as for `kms`; the session that has opened the display.
  /// - Returns: the displays, and the reasons why cards or screens could not be used.
  @MainActor
  public static func others(
    beside display: KMSDisplay, buffering: Buffering = .double, session: DisplaySession? = nil,
    clock: SystemClock = .monotonic, folder: String = "/dev/dri"
  ) -> (displays: [KMSDisplay], refused: [KMSError]) {
    let session = session ?? .unnamed
    return displays(of: (try? DRMDevice.cardPaths(in: folder)) ?? [display.card.path]) { path throws(KMSError) in
      let card = path == display.card.path ? display.card : try session.card(at: path)
      return try card.furtherDisplays(buffering: buffering, clock: clock)
    }
  }

  @MainActor
  private static func displays(
    of paths: [String], make: (String) throws(KMSError) -> (displays: [KMSDisplay], refused: [KMSError])
  ) -> (displays: [KMSDisplay], refused: [KMSError]) {
    var displays: [KMSDisplay] = []
    var refused: [KMSError] = []
    for path in paths {
      do throws(KMSError) {
        let answer = try make(path)
        displays += answer.displays
        refused += answer.refused
      } catch {
        refused.append(error)
      }
    }
    return (displays, refused)
  }
}

extension DRMDevice {
  /// The answer of the first card that has one.
  ///
  /// - Parameters:
  ///   - connector: the requested connector; nil for any.
  ///   - ask: asks the card of a path, and stores its device as soon as it is open.
  /// - Throws: why none of the cards was used.
  static func firstAnswer<Answer>(
    of paths: [String], connector: String?,
    ask: (_ path: String, _ device: inout DRMDevice?) throws(KMSError) -> Answer
  ) throws(KMSError) -> Answer {
    var reasons: [KMSError] = []
    // The errors of cards without the connector: they matter when no card has it.
    var others: [KMSError] = []
    for path in paths {
      var device: DRMDevice?
      do throws(KMSError) {
        return try ask(path, &device)
      } catch {
        // Another master is no reason on a card that does not have the connector.
        if let connector, let lack = device?.lack(of: connector) { others.append(lack) } else { reasons.append(error) }
      }
    }
    throw .unusable(reasons.isEmpty ? others : reasons)
  }

  /// The error of a card without a connector of this name, whoever is its master; nil for a card that has it or cannot be
  /// asked.
  private func lack(of name: String) -> KMSError? {
    guard let connectors = try? connectors(), !connectors.contains(where: { $0.name == name }) else { return nil }
    return .noConnector(path: path, name: name, available: connectors.map { "\($0.name) \($0.status)" })
  }
}

extension KMSError {
  /// Combines the errors of all cards.
  static func unusable(_ reasons: [KMSError]) -> KMSError {
    switch reasons.count {
    case 0: .noDevice
    case 1: reasons[0]
    default: .noUsableDevice(reasons)
    }
  }
}
