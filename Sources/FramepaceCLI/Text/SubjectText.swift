import Framepace
import Glibc
import Metering

extension ProfileFigures.Subject {
  /// The first lines for people: the scene or program, its display, its clock and its machine, and what the figures lack.
  ///
  /// - Parameter width: the longest line, in characters.
  func heading(width: Int) -> String {
    let measured = localTime.map { ", measured \($0)" } ?? ""
    let lines = ["\(scene) on \(display)", clock, environment.line + measured] + notes
    return lines.map { Text.paragraph($0.withoutControlCharacters, width: width) + "\n" }.joined()
  }

  /// When it was measured, by the clock on the wall.
  var localTime: String? {
    guard let time else { return nil }
    var seconds = time_t(time.count / 1_000_000_000)
    var local = tm()
    localtime_r(&seconds, &local)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
      String(
        decoding: buffer.prefix(strftime(buffer.baseAddress, 64, "%Y-%m-%d %H:%M:%S %z", &local)).map(UInt8.init),
        as: UTF8.self)
    }
  }
}

extension RunEnvironment {
  /// The machine and the program in one line.
  var line: String { "\(processor), \(cores) cores, kernel \(kernel), framepace \(version), \(build) build" }
}
