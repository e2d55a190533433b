import Framepace

/// The connected screens, for completions. They are read from sysfs, so that no card is opened and no screen is probed.
enum ConnectedScreens {
  static let folder = "/sys/class/drm"

  /// The values of `--display` on this machine.
  static func displays(in folder: String = folder) -> [String] {
    ["auto", "fallback", "kms", "wayland"] + connectors(in: folder).map { "kms:\($0.name)" }
  }

  /// The sizes of the screens' modes for `--mode`, without repetitions and in the screens' order.
  static func modes(in folder: String = folder) -> [String] {
    var modes: [String] = []
    for connector in connectors(in: folder) {
      for mode in lines(of: "\(connector.path)/modes") where !modes.contains(mode) { modes.append(mode) }
    }
    return modes
  }

  /// The connected connectors: the folder "card0-HDMI-A-1" has the name "HDMI-A-1".
  private static func connectors(in folder: String) -> [(name: String, path: String)] {
    let found = ((try? OwnedDescriptor.names(in: folder)) ?? []).compactMap { name -> (name: String, path: String)? in
      guard name.hasPrefix("card"), let dash = name.firstIndex(of: "-") else { return nil }
      let path = "\(folder)/\(name)"
      return lines(of: "\(path)/status") == ["connected"] ? (String(name[name.index(after: dash)...]), path) : nil
    }
    return found.sorted { $0.name < $1.name }
  }

  private static func lines(of path: String) -> [String] {
    guard let bytes = try? OwnedDescriptor.contents(of: path, limit: 1 << 16) else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
