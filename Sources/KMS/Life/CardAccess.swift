import LinuxSystem
import RunLoops

/// How a card is opened when its device has come back, and what is known of when.
@MainActor
struct CardAccess {
  /// Opens the card's device, wherever it is now. Called with no other device of the card open.
  var open: @MainActor () throws(KMSError) -> DRMDevice
  /// The card's device is closed.
  var close: @MainActor () -> Void = {}
  /// Whether master is ours to take and to give. (A seat does both for us.)
  var takesMaster = true
  /// Whether somebody tells the card of devices and screens that come.
  var hearsEvents = false
  /// How often to ask where nobody does; nil for not at all.
  var checkInterval: Nanoseconds?
  /// Lets `loop` serve what the card hears, in `mode`.
  var add: @MainActor (_ loop: FrameLoop, _ mode: FrameLoop.Mode) -> Void = { _, _ in }

  /// By the path that the device had, with the program's own rights. Nobody tells of anything.
  static func direct(_ device: DRMDevice) -> CardAccess {
    let (path, isAtomic) = (device.path, device.isAtomic)
    return CardAccess(open: { () throws(KMSError) in try DRMDevice(path: path, allowsAtomic: isAtomic) })
  }
}
