/// A provider hands out the devices of a seat and takes them back: libseat's, the direct one, or a test's.
///
/// A `SeatSession` owns a provider and knows the rules. The provider only passes on requests and events.
@MainActor
package protocol SeatProvider: AnyObject {
  /// The seat's name: "seat0" unless the machine was set up otherwise.
  var seatName: String { get }
  /// A descriptor that is readable when there are events to receive; nil if there are none after the first.
  var descriptor: Int32? { get }

  /// Returns the events that came since the last call. Does not wait.
  ///
  /// - Throws: `lost`; there are no more events then.
  func receiveEvents() throws(SeatError) -> [SeatEvent]
  /// Answers a `disable` event: nothing uses the devices any more.
  func acknowledgeDisable() throws(SeatError)
  /// Opens a device for reading and writing, non-blocking and closed on exec. A graphics card becomes DRM master.
  func openDevice(at path: String) throws(SeatError) -> SeatDevice
  /// Gives back a device and closes its descriptor.
  func closeDevice(_ device: SeatDevice)
  /// Requests that another session gets the seat. The call does not tell whether and when it does.
  func switchSession(to number: Int) throws(SeatError)
  /// Gives back the seat and closes all of its devices. Nothing is called after it.
  func close()
}

/// A change that a provider reports to its session.
package enum SeatEvent: Sendable, Equatable {
  /// The session may use the seat's devices.
  case enable
  /// The session may no longer use them, and the provider waits for its acknowledgement.
  case disable
}

/// A device that a session has opened.
///
/// `SeatSession.openDevice(at:)` returns one; give it back with `closeDevice(_:)`.
public struct SeatDevice: Sendable, Hashable {
  public let path: String
  /// The provider's number for the device. Two devices with the same path may have the same number.
  let id: Int32
  /// The descriptor of the open device. It is valid until the device is closed or the session ends.
  public let descriptor: Int32

  package init(path: String, id: Int32, descriptor: Int32) {
    self.path = path
    self.id = id
    self.descriptor = descriptor
  }
}
