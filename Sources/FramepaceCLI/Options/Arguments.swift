import ArgumentParser
import Exposition
import Framepace
import KMS
import Metering
import SampleScenes

extension PixelSize {
  /// The size of a sample's picture where none is given.
  static let standard = PixelSize(width: 1920, height: 1080)
  static let longestSide = 16_384
}

/// Parses the values of options. A value that is not accepted throws the end of a sentence that begins with the option and
/// the value.
///
/// Numbers are plain digits: `Double` would also accept "0x10", "1e1" and "+1".
enum Accepted {
  static let sizes = "WIDTHxHEIGHT in pixels, each from 1 to \(PixelSize.longestSide), such as 1920x1080"
  static let rates = "a rate from 1 to 1000 Hz, such as 60, 59.94 or 60000/1001"

  @Sendable static func size(_ text: String) throws -> PixelSize {
    let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { digits($0) }
    guard sides.count == 2, let width = sides[0], let height = sides[1],
      case let side = 1...PixelSize.longestSide, side.contains(width), side.contains(height)
    else { throw refused(sizes) }
    return PixelSize(width: width, height: height)
  }

  @Sendable static func rate(_ text: String) throws -> RefreshRate {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let parsed: RefreshRate? =
      if parts.count == 2 {
        if let numerator = digits(parts[0]), let denominator = digits(parts[1]), numerator < 1 << 40 {
          RefreshRate(numerator: Int64(numerator), denominator: Int64(denominator))
        } else {
          nil
        }
      } else {
        number(text[...]).flatMap { RefreshRate(hertz: $0) }
      }
    guard let parsed else { throw refused(rates) }
    return parsed
  }

  static let rotations = "0, 90, 180 or 270"

  @Sendable static func rotation(_ text: String) throws -> DisplayRotation {
    guard let rotation = digits(text[...]).flatMap(DisplayRotation.init) else { throw refused(rotations) }
    return rotation
  }

  static let displays = "auto, fallback, wayland, kms or kms:CONNECTOR, such as kms:HDMI-A-1"

  @Sendable static func display(_ text: String) throws -> DisplayChoice {
    switch text {
    case "auto": return .auto
    case "fallback": return .fallback
    case "kms": return .kms(connector: nil)
    case "wayland": return .wayland
    default:
      guard text.hasPrefix("kms:"), text.count > 4 else {
        throw refused(displays, text, among: ["auto", "fallback", "kms", "wayland"])
      }
      return .kms(connector: String(text.dropFirst(4)))
    }
  }

  static let modes = "WIDTHxHEIGHT or WIDTHxHEIGHT@RATE, such as 1920x1080@59.94; 'i' at the end for an interlaced one"

  @Sendable static func mode(_ text: String) throws -> ModeRequest {
    do {
      let isInterlaced = text.hasSuffix("i")
      let parts = text.dropLast(isInterlaced ? 1 : 0).split(separator: "@", omittingEmptySubsequences: false)
      guard parts.count <= 2, let first = parts.first else { throw refused(modes) }
      let size = try size(String(first))
      let rate = try parts.count == 2 ? rate(String(parts[1])) : nil
      return ModeRequest(width: size.width, height: size.height, rate: rate, isInterlaced: isInterlaced)
    } catch {
      throw refused(modes)
    }
  }

  /// Parses a number of hours as a time.
  @Sendable static func hours(_ text: String) throws -> Nanoseconds {
    guard let hours = number(text[...]), hours * 3600 >= 10, hours <= 1000 else {
      throw refused("a number of hours up to 1000, such as 12 or 0.5, and at least 10 s (0.003)")
    }
    return .seconds(hours * 3600)
  }

  static let addresses = "127.0.0.1:9464 or [::1]:9464; a port alone is one of 127.0.0.1, which only this machine reaches"

  @Sendable static func address(_ text: String) throws -> MetricsAddress {
    guard let address = MetricsAddress(text) else { throw refused("an address and a port, such as \(addresses)") }
    return address
  }

  /// `sleep` and `timeout` accept the same.
  static let plainTime = "a number alone is seconds"

  /// A parser of durations in a range. Errors name the bounds as a user writes them.
  static func time(
    from least: (name: String, duration: Nanoseconds), to most: (name: String, duration: Nanoseconds)
  ) -> @Sendable (String) throws -> Nanoseconds {
    { text in
      // Longer units come first, since "ms" also ends in "s".
      let units: [(String, Double)] = [
        ("min", 60), ("us", 1e-6), ("µs", 1e-6), ("μs", 1e-6), ("ms", 1e-3), ("m", 60), ("h", 3600), ("s", 1), ("", 1),
      ]
      let unit = units.first { text.hasSuffix($0.0) && text.dropLast($0.0.count).last?.isLetter != true }
      guard let unit, let value = number(text.dropLast(unit.0.count)), value * unit.1 <= 1e9,
        case let time = Nanoseconds.seconds(value * unit.1), time >= least.duration, time <= most.duration
      else {
        throw refused("a time from \(least.name) to \(most.name), such as 500us, 20ms, 1.5s, 2min or 1h; \(plainTime)")
      }
      return time
    }
  }

  /// A parser of several values with commas between them.
  static func list<Value>(of parse: @escaping @Sendable (String) throws -> Value) -> @Sendable (String) throws -> [Value] {
    { text in try text.split(separator: ",", omittingEmptySubsequences: false).map { try parse(String($0)) } }
  }

  static func count(_ range: ClosedRange<Int>) -> @Sendable (String) throws -> Int {
    { text in
      guard let count = digits(text[...]), range.contains(count) else {
        throw refused("a whole number from \(range.lowerBound) to \(range.upperBound)")
      }
      return count
    }
  }

  @Sendable static func scale(_ text: String) throws -> Double {
    guard let scale = number(text[...]), (0.25...8).contains(scale) else { throw refused("a number from 0.25 to 8") }
    return scale
  }

  /// Parses a percentage as a part. Its sign may be left out, but not where the number may have been meant as a part itself.
  @Sendable static func percentage(_ text: String) throws -> Double {
    let digits = text.hasSuffix("%") ? text.dropLast() : text[...]
    guard let percent = number(digits), (0...1000).contains(percent) else {
      throw refused("a percentage from 0% to 1000%, such as 5% or 2.5%")
    }
    if percent > 0, percent < 1, !text.hasSuffix("%") {
      throw refused("a percentage with its sign: \(Text.number(percent * 100))%, or \(text)%")
    }
    return percent / 100
  }

  /// Parses the raw value of an enumeration.
  @Sendable static func choice<Value: CaseIterable & RawRepresentable>(_ text: String) throws -> Value
  where Value.RawValue == String {
    guard let value = Value(rawValue: text) else { throw refused(Value.list, text, among: Value.allCases.map(\.rawValue)) }
    return value
  }

  /// Parses names of overlays with commas between them.
  @Sendable static func overlays(_ text: String) throws -> Set<FrameOverlay> {
    let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let overlays = names.compactMap(FrameOverlay.init(rawValue:))
    guard overlays.count == names.count else {
      let wrong = names.first { FrameOverlay(rawValue: $0) == nil } ?? ""
      throw refused(
        "\(FrameOverlay.list); several with commas between them", wrong, among: FrameOverlay.allCases.map(\.rawValue))
    }
    return Set(overlays)
  }

  static func refused(_ accepted: String) -> ValidationError { ValidationError("use \(accepted).") }

  /// - Parameter names: those of which the value should be one.
  static func refused(_ accepted: String, _ value: String, among names: [String]) -> ValidationError {
    let suggestion = Text.suggestion(for: value, among: names).map { " \($0)" } ?? ""
    return ValidationError("use \(accepted).\(suggestion)")
  }

  private static func digits(_ text: Substring) -> Int? { text.allSatisfy(isDigit) ? Int(text) : nil }

  private static func number(_ text: Substring) -> Double? {
    text.allSatisfy { isDigit($0) || $0 == "." } ? Double(text) : nil
  }

  private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }
}

extension CaseIterable where Self: RawRepresentable, RawValue == String {
  /// All raw values as a part of a sentence.
  static var list: String {
    let names = allCases.map(\.rawValue)
    return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
  }
}
