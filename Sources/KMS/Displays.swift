public import FrameTiming
public import LinuxSystem
public import Presentation
public import Raster

/// The displays of this machine.
public enum Displays {
  /// A screen of the first card that can be used.
  ///
  /// - Parameters:
  ///   - connector: a connector's name; nil for the first connected one.
  ///   - clock: the clock of the loop that the display is added to.
  ///   - folder: where the cards are.
  /// - Throws: the reason of the only card, or `noUsableDevice` with one for each.
  @MainActor
  public static func kms(
    connector: String? = nil, clock: SystemClock = .monotonic, folder: String = "/dev/dri"
  ) throws(KMSError) -> KMSDisplay {
    var reasons: [KMSError] = []
    for path in DRMDevice.cardPaths(in: folder) {
      do throws(KMSError) {
        return try KMSDisplay(device: try DRMDevice(path: path), connector: connector, clock: clock)
      } catch {
        reasons.append(error)
      }
    }
    switch reasons.count {
    case 0: throw .noDevice
    case 1: throw reasons[0]
    default: throw .noUsableDevice(reasons)
    }
  }

  /// A screen where there is a usable one, otherwise a virtual display paced by a fallback clock. The display's `reason`
  /// says which and why.
  ///
  /// - Parameters:
  ///   - width: of the virtual display, in pixels; a screen has its own.
  ///   - height: as `width`.
  ///   - refreshRate: of the virtual display.
  ///   - clock: the clock of the loop that the display is added to.
  ///   - folder: where the cards are.
  @MainActor
  public static func automatic(
    width: Int, height: Int, refreshRate: RefreshRate, clock: SystemClock = .monotonic, folder: String = "/dev/dri"
  ) throws(BitmapError) -> any Display {
    do throws(KMSError) {
      return try kms(clock: clock, folder: folder)
    } catch {
      return try VirtualDisplay(
        width: width, height: height, refreshRate: refreshRate, reason: error.description, clock: clock)
    }
  }
}
