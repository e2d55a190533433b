import Framepace
import KMS
import Metering
import Wayland

/// The machine's cards and screens as text and as JSON.
enum DisplaysText {
  /// The reason for an empty list.
  static let nothing = "no DRM device: the machine has no graphics card, or its driver is not loaded (no /dev/dri/card*)"

  /// - Parameters:
  ///   - desktop: the desktop of the session; nil for none.
  ///   - width: the longest line, in characters.
  static func text(_ reports: [CardReport], desktop: DesktopReport? = nil, width: Int) -> String {
    var parts = [desktop.map { self.desktop($0, width: width) }].compactMap(\.self) + reports.map { card($0, width: width) }
    if reports.isEmpty {
      let stand = desktop.map { $0.problem == nil } ?? false ? "" : ". Scenes run on a clock that stands in for a display."
      parts.append(Text.paragraph(nothing + stand, width: width))
    }
    return parts.joined(separator: "\n\n")
  }

  // MARK: The desktop

  private static func desktop(_ report: DesktopReport, width: Int) -> String {
    let column = max(12, (report.screens.map(\.name.count).max() ?? 0) + 4)
    func add(_ title: String, _ items: [String]) -> String {
      Text.list(items, title: Text.left("  \(title)", column), width: width)
    }
    var lines = ["Wayland desktop \(report.socket)"]
    if let problem = report.problem {
      let words = Text.paragraph("\(problem)", width: width - column).split(separator: "\n")
      for (index, line) in words.enumerated() { lines.append(Text.left(index == 0 ? "  unusable" : "", column) + line) }
    } else {
      lines.append(add("usable", ["a window: --display wayland or auto"]))
    }
    for screen in report.screens {
      let rate = screen.refreshRate.map { "@\($0.description.dropLast(3))" } ?? ""
      lines.append(
        add(
          screen.name.isEmpty ? "screen" : screen.name, ["\(screen.width)x\(screen.height)\(rate)", "scale \(screen.scale)"])
      )
    }
    return lines.joined(separator: "\n")
  }

  // MARK: A card

  private static func card(_ report: CardReport, width: Int) -> String {
    var lines = [
      ([report.path, report.driver, report.driverVersion] as [String?]).compactMap(\.self).joined(separator: " ")
    ]
    let column = max(12, (report.connectors.map(\.name.count).max() ?? 0) + 4)
    func add(_ title: String, _ items: [String], indent: Int = 2) {
      guard !items.isEmpty else { return }
      let title = Text.left(String(repeating: " ", count: indent) + title, column)
      lines.append(Text.list(items, title: title, width: width))
    }
    func say(_ title: String, _ sentence: String) {
      let words = Text.paragraph(sentence, width: width - column).split(separator: "\n").map(String.init)
      for (index, line) in words.enumerated() { lines.append(Text.left(index == 0 ? "  \(title)" : "", column) + line) }
    }

    say(report.problem == nil ? "usable" : "unusable", sentence(report))
    if report.driver != nil {
      let abilities = report.abilities.named
      add("can", abilities.filter(\.isThere).map(\.text))
      add("cannot", abilities.filter { !$0.isThere }.map(\.text))
    }
    add("CRTCs", report.crtcs.map { "\($0.id) \($0.mode?.description ?? "off")" })
    add(
      "planes",
      CardReport.Plane.Kind.allCases.compactMap { kind in
        let count = report.planes.count { $0.kind == kind }
        return count == 0 ? nil : "\(count) \(kind.rawValue)"
      })
    for connector in report.connectors {
      lines.append("")
      add(connector.name, screen(connector))
      add("modes", modes(connector), indent: 4)
    }
    return lines.joined(separator: "\n")
  }

  /// A sentence about whether the card can show a picture, and why not.
  private static func sentence(_ report: CardReport) -> String {
    if let problem = report.problem { return naming(report.users, in: "\(problem)") }
    // If no connector is known to be connected, those with an unknown status are used.
    let connected = report.connectors.filter { $0.status == .connected }
    let uncertain = report.connectors.filter { $0.status == .unknown && !$0.modes.isEmpty }
    let names = (connected.isEmpty ? uncertain : connected).map(\.name).joined(separator: ", ")
    if !report.abilities.vblankEvents {
      return "\(names), paced by a clock at the mode's rate: the driver has no vblank events"
    }
    return report.abilities.sequenceEvents
      ? "\(names), paced by vblanks" : "\(names), paced by vblanks stamped to the microsecond: the kernel is older than 4.15"
  }

  /// A problem with a card, followed by the programs that have it open.
  static func naming(_ users: [String], in problem: String) -> String {
    users.isEmpty ? problem : "\(problem); it is open in \(users.joined(separator: ", "))"
  }

  private static func screen(_ connector: CardReport.Connector) -> [String] {
    var items = ["\(connector.status)"]
    if let edid = connector.edid {
      let maker = [edid.name, edid.manufacturer.map { "(\($0))" }].compactMap(\.self).joined(separator: " ")
      if !maker.isEmpty { items.append(maker) }
      if let number = edid.serialNumber { items.append("serial \(number)") }
      if !edid.defects.isEmpty { items.append("EDID with \(edid.defects.map(\.rawValue).joined(separator: " and "))") }
    }
    if let size = connector.size { items.append("\(size.width) x \(size.height) mm") }
    if let takes = connector.takesVariableRate { items.append(takes ? "variable rate" : "fixed rate") }
    if connector.status == .connected || connector.currentMode != nil {
      items.append(connector.currentMode.map { "now \($0)" } ?? "off")
    }
    return items
  }

  private static func modes(_ connector: CardReport.Connector) -> [String] {
    connector.modes.map { $0.isPreferred ? "\($0) preferred" : "\($0)" }
  }

  // MARK: JSON

  static func json(_ reports: [CardReport], desktop: DesktopReport? = nil) -> JSONValue {
    .object([
      ("desktop", desktop.map(json) ?? .null),
      ("reason", reports.isEmpty ? .text(nothing) : .null),
      ("cards", .list(reports.map(card))),
    ])
  }

  private static func json(_ desktop: DesktopReport) -> JSONValue {
    .object([
      ("socket", .text(desktop.socket)),
      ("usable", .boolean(desktop.problem == nil)),
      ("problem", .optional(desktop.problem?.description)),
      (
        "screens",
        .list(
          desktop.screens.map {
            .object([
              ("name", .text($0.name)), ("width", .count($0.width)), ("height", .count($0.height)),
              ("refreshRate", .decimal($0.refreshRate?.hertz, 6)), ("scale", .count($0.scale)),
            ])
          })
      ),
    ])
  }

  private static func card(_ report: CardReport) -> JSONValue {
    .object([
      ("path", .text(report.path)),
      ("driver", .optional(report.driver)),
      ("driverVersion", .optional(report.driverVersion)),
      ("usable", .boolean(report.problem == nil)),
      ("problem", .optional(report.problem?.description)),
      ("users", .list(report.users.map { .text($0) })),
      (
        "abilities",
        report.driver == nil ? .null : .object(report.abilities.named.map { ($0.key, .boolean($0.isThere)) })
      ),
      ("connectors", .list(report.connectors.map(connector))),
      (
        "crtcs",
        .list(report.crtcs.map { .object([("id", .count(Int($0.id))), ("mode", $0.mode.map(mode) ?? .null)]) })
      ),
      (
        "planes",
        .list(
          report.planes.map {
            .object([
              ("id", .count(Int($0.id))), ("kind", .text($0.kind.rawValue)),
              ("crtc", $0.crtc.map { .count(Int($0)) } ?? .null), ("formats", .count($0.formats)),
            ])
          })
      ),
    ])
  }

  private static func connector(_ connector: CardReport.Connector) -> JSONValue {
    .object([
      ("name", .text(connector.name)),
      ("status", .text("\(connector.status)")),
      ("monitor", .optional(connector.edid?.name)),
      ("manufacturer", .optional(connector.edid?.manufacturer)),
      ("serialNumber", .optional(connector.edid?.serialNumber)),
      ("year", connector.edid?.year.map { .count($0) } ?? .null),
      ("edidDefects", .list((connector.edid?.defects ?? []).map { .text($0.rawValue) })),
      ("widthMillimeters", connector.size.map { .count($0.width) } ?? .null),
      ("heightMillimeters", connector.size.map { .count($0.height) } ?? .null),
      ("takesVariableRate", connector.takesVariableRate.map { .boolean($0) } ?? .null),
      ("crtc", connector.crtc.map { .count(Int($0)) } ?? .null),
      ("currentMode", connector.currentMode.map(mode) ?? .null),
      ("modes", .list(connector.modes.map(mode))),
    ])
  }

  private static func mode(_ mode: DisplayMode) -> JSONValue {
    .object([
      ("name", .text(mode.description)),
      ("width", .count(mode.width)),
      ("height", .count(mode.height)),
      ("interlaced", .boolean(mode.isInterlaced)),
      ("preferred", .boolean(mode.isPreferred)),
      ("refreshRate", .decimal(mode.refreshRate?.hertz, 6)),
      ("refreshRateFraction", .optional(mode.refreshRate.map { "\($0.numerator)/\($0.denominator)" })),
    ])
  }
}

extension CardReport.Abilities {
  /// Each ability with its key for programs and its name for people.
  fileprivate var named: [(key: String, text: String, isThere: Bool)] {
    [
      ("vblankEvents", "vblank events", vblankEvents), ("sequenceEvents", "sequence events", sequenceEvents),
      ("atomic", "atomic commits", atomic), ("variableRate", "variable rate", variableRate),
      ("asynchronousFlips", "asynchronous flips", asynchronousFlips),
      ("atomicAsynchronousFlips", "asynchronous atomic flips", atomicAsynchronousFlips),
      ("damageClips", "damage clips", damageClips), ("writeback", "writeback", writeback),
      ("cursorPlane", "cursor plane", cursorPlane), ("gammaTable", "gamma table", gammaTable),
      ("colorMatrix", "colour matrix", colorMatrix),
    ]
  }
}
