public import Seats

extension InputDevices {
  /// A reason why no device can be used. Its description is a sentence with the remedy.
  public enum Absence: Equatable, Sendable, CustomStringConvertible {
    /// `invalidate()` was called.
    case ended
    /// Another session has the seat.
    case inactive
    /// No udev daemon runs, which tells libinput of devices.
    case noUdev
    /// None of the devices may be opened: the reason for one, and the number of the others.
    case refused(SeatError, others: Int)
    /// No device is plugged in.
    case none(seat: String)

    /// True if devices may come without a change to the rights of the program or to the machine's services.
    public var mayPass: Bool {
      switch self {
      case .inactive, .none: true
      case .ended, .noUdev, .refused: false
      }
    }

    public var description: String {
      switch self {
      case .ended: return "input was ended"
      case .inactive: return "another session has the seat: input comes when this one is in front"
      case .noUdev:
        return "no input devices: libinput learns from udev which there are, and no udev daemon runs (start systemd-udevd)"
      case .refused(let error, let others):
        let rest = others == 0 ? "" : others == 1 ? "; nor 1 other" : "; nor \(others) others"
        return "no input device may be opened: \(error)\(rest)"
      case .none(let seat): return "no input devices on \(seat): plug one in, it is used at once"
      }
    }
  }
}
