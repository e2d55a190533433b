/// Collects why none of several cards was used.
struct CardRefusals {
  /// The requested connector; nil for any.
  let connector: String?
  private var reasons: [KMSError] = []
  /// The errors of cards without the connector: they matter when no card has it.
  private var others: [KMSError] = []

  init(connector: String?) {
    self.connector = connector
  }

  /// - Parameter device: the card; nil if it could not be opened.
  mutating func add(_ error: KMSError, of device: DRMDevice?) {
    // Another master is no reason on a card that does not have the connector.
    if let connector, let lack = device?.lack(of: connector) { others.append(lack) } else { reasons.append(error) }
  }

  var error: KMSError { .unusable(reasons.isEmpty ? others : reasons) }
}

extension DRMDevice {
  /// The error of a card without a connector of this name, whoever is its master; nil for a card that has it or cannot be
  /// asked.
  fileprivate func lack(of name: String) -> KMSError? {
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
