public import ArgumentParser
import Framepace
public import SampleScenes

/// A size in pixels: `1920x1080`.
struct PixelSize: ExpressibleByArgument, Equatable, CustomStringConvertible {
  static let accepted = "WIDTHxHEIGHT in pixels, each side from 1 to 16384, such as 1920x1080"

  var width: Int
  var height: Int

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  init?(argument: String) {
    let parts = argument.split(separator: "x", omittingEmptySubsequences: false)
    guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]) else { return nil }
    guard (1...16_384).contains(width), (1...16_384).contains(height) else { return nil }
    self.init(width: width, height: height)
  }

  var description: String { "\(width)x\(height)" }
  var defaultValueDescription: String { description }
}

/// A length of time: `10`, `10s`, `0.5s` or `500ms`.
struct TimeSpan: ExpressibleByArgument, Equatable {
  static let accepted = "a time such as 10, 0.5s or 500ms, up to 1000 hours"

  var duration: Nanoseconds

  init(_ duration: Nanoseconds) {
    self.duration = duration
  }

  init?(argument: String) {
    let (digits, factor): (Substring, Double) =
      argument.hasSuffix("ms")
      ? (argument.dropLast(2), 1e-3) : argument.hasSuffix("s") ? (argument.dropLast(), 1) : (argument[...], 1)
    guard let value = Double(digits), value.isFinite, value >= 0, value * factor <= 3_600_000 else { return nil }
    duration = .seconds(value * factor)
  }

  var defaultValueDescription: String { "\(duration.seconds)s" }
}

/// A refresh rate: `60`, `59.94` or `60000/1001`.
struct RateArgument: ExpressibleByArgument, Equatable {
  static let accepted = "a rate from 1 to 1000 Hz, such as 60, 59.94 or 60000/1001"

  static let sixty = RateArgument(rate: .hertz60)

  var rate: RefreshRate

  init(rate: RefreshRate) {
    self.rate = rate
  }

  init?(argument: String) {
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
    let parsed: RefreshRate? =
      switch parts.count {
      case 1: Double(parts[0]).flatMap { RefreshRate(hertz: $0) }
      case 2:
        if let numerator = Int64(parts[0]), let denominator = Int64(parts[1]), numerator < 1 << 40, denominator < 1 << 40 {
          RefreshRate(numerator: numerator, denominator: denominator)
        } else {
          nil
        }
      default: nil
      }
    guard let parsed else { return nil }
    rate = parsed
  }

  var defaultValueDescription: String { "\(rate)" }
}

/// Which display frames go to.
enum DisplayChoice: String, ExpressibleByArgument, CaseIterable {
  case auto
  case fallback
  case kms
}

extension SceneName: ExpressibleByArgument {}

extension SceneSettings.WorkPhase: ExpressibleByArgument {}

extension CaseIterable where Self: RawRepresentable, RawValue == String {
  /// All values in a sentence.
  static var accepted: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
