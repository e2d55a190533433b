/// Who hands out the devices of a seat to sessions, and takes them away: logind, seatd, or a test.
///
/// A `SeatSession` uses it and knows the rules; a provider only passes on what is asked and what has come.
@MainActor
package protocol SeatProvider: AnyObject {
  /// "seat0", where nothing else was set up.
  var seatName: String { get }
  /// Is readable when there are events to receive; nil when there will never be any after the first.
  var descriptor: Int32? { get }

  /// The events that have come since the last call. Does not wait.
  /// - Throws: `lost`; there will be no more events.
  func receiveEvents() throws(SeatError) -> [SeatEvent]
  /// Answers a `disable`: nothing uses the devices any more.
  func acknowledgeDisable() throws(SeatError)
  /// Opens a device for reading and writing, non-blocking and closed on exec. A graphics card is master.
  func openDevice(at path: String) throws(SeatError) -> SeatDevice
  /// Gives back a device and closes its descriptor.
  func closeDevice(_ device: SeatDevice)
  /// Asks for another session to get the seat. Says nothing of whether and when it will.
  func switchSession(to number: Int) throws(SeatError)
  /// Gives back the seat; all descriptors of devices are closed. Called once, and nothing after it.
  func close()
}

/// What a provider tells a session.
package enum SeatEvent: Sendable, Equatable {
  /// The seat's devices may be used.
  case enable
  /// They may no longer be used, and whoever asks for them waits for the acknowledgement.
  case disable
}

/// A device that a seat has opened.
public struct SeatDevice: Sendable, Hashable {
  public let path: String
  /// The provider's own number for it. Two of one path may have the same.
  let id: Int32
  /// The open device: borrowed, valid until it is closed or the session ends.
  public let descriptor: Int32

  package init(path: String, id: Int32, descriptor: Int32) {
    self.path = path
    self.id = id
    self.descriptor = descriptor
  }
}
