/// Why none of several cards was used, gathered card by card.
struct CardRefusals {
  /// What was asked for; nil for any.
  let connector: String?
  private var reasons: [KMSError] = []
  /// Of cards without the connector: they matter when none has it.
  private var others: [KMSError] = []

  init(connector: String?) {
    self.connector = connector
  }

  /// - Parameter device: the card's; nil if it could not be opened.
  mutating func add(_ error: KMSError, of device: DRMDevice?) {
    // That a card is another program's is no reason where it has not the connector.
    if let connector, let lack = device?.lack(of: connector) { others.append(lack) } else { reasons.append(error) }
  }

  var error: KMSError { .unusable(reasons.isEmpty ? others : reasons) }
}

extension DRMDevice {
  /// The error that a card without a connector of this name ends in, whoever is its master; nil for a card that has it, and
  /// for one that cannot be asked.
  fileprivate func lack(of name: String) -> KMSError? {
    guard let connectors = try? connectors(), !connectors.contains(where: { $0.name == name }) else { return nil }
    return .noConnector(path: path, name: name, available: connectors.map { "\($0.name) \($0.status)" })
  }
}

extension KMSError {
  /// Nothing could be used, for these reasons.
  static func unusable(_ reasons: [KMSError]) -> KMSError {
    switch reasons.count {
    case 0: .noDevice
    case 1: reasons[0]
    default: .noUsableDevice(reasons)
    }
  }
}
