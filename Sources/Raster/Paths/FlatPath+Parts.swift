import Geometry
import Glibc

extension FlatPath {
  /// The part between two shares of the whole length, each from 0 to 1. Subpaths that are whole stay closed.
  func trimmed(from start: Double, to end: Double) -> FlatPath {
    if start <= 0, end >= 1 { return self }
    var result = FlatPath(hasJoints: true)
    guard start < end, end > 0, start < 1 else { return result }
    let whole = length
    let (low, high) = (max(start, 0) * whole, min(end, 1) * whole)
    var position = 0.0
    for subpath in subpaths {
      var cutter = LineCutter()
      let begin = position
      forEachLine(of: subpath) { a, b in
        let length = distance(a, b)
        if position < high, position + length > low {
          let (from, to) = ((low - position) / length, (high - position) / length)
          cutter.add(self, a, b, from: max(from, 0), to: min(to, 1))
        }
        position += length
      }
      cutter.finish(into: &result, isJoined: subpath.isClosed && begin >= low && position <= high)
    }
    return result
  }

  /// The dashes of all subpaths, on each of which the pattern begins anew. The sum of `lengths` is above 0 and finite.
  func dashed(_ lengths: [Double], phase: Double) -> FlatPath {
    let lengths = lengths.count % 2 == 0 ? lengths : lengths + lengths
    let sum = lengths.reduce(0, +)
    var begin = phase.truncatingRemainder(dividingBy: sum)
    if begin < 0 { begin += sum }
    let first = lengths.indices.first { index in
      // A dash without length is a dot, also at the beginning.
      if begin < lengths[index] || begin == 0 && index % 2 == 0 { return true }
      begin -= lengths[index]
      return false
    }
    // Rounding may leave the whole sum.
    let start = first ?? 0
    let firstRest = first == nil ? lengths[0] : lengths[start] - begin
    var result = FlatPath(hasJoints: true)
    for subpath in subpaths {
      var cutter = LineCutter()
      var (index, rest) = (start, firstRest)
      forEachLine(of: subpath) { a, b in
        let length = distance(a, b)
        var position = 0.0
        while position < length {
          let isDash = index % 2 == 0
          let next = min(position + rest, length)
          if isDash { cutter.add(self, a, b, from: position / length, to: next / length) }
          if position + rest > length {
            rest -= length - position
            break
          }
          if isDash { cutter.lift() }
          position = next
          index = (index + 1) % lengths.count
          rest = lengths[index]
        }
      }
      cutter.finish(into: &result, isJoined: subpath.isClosed && start % 2 == 0 && cutter.isDown)
    }
    return result
  }

  private func distance(_ a: Int, _ b: Int) -> Double { hypot(points[b].x - points[a].x, points[b].y - points[a].y) }

  fileprivate mutating func append(_ other: FlatPath, _ indices: Range<Int>) {
    for index in indices { append(other.points[index], other.joints[index]) }
  }
}

/// Makes subpaths of parts of one's lines.
private struct LineCutter {
  private var parts = FlatPath(hasJoints: true)
  private(set) var isDown = false

  /// Adds the part of a line between two shares of it. One without length has its direction.
  mutating func add(_ lines: FlatPath, _ first: Int, _ second: Int, from: Double, to: Double) {
    let (a, b) = (lines.points[first], lines.points[second])
    let direction = from == to ? b - a : from == 0 ? lines.joints[first].leaving : .zero
    if !isDown { parts.append(a + (b - a) * from, FlatPath.Joint(leaving: direction)) }
    isDown = true
    parts.append(to == 1 ? b : a + (b - a) * to, to == 1 ? lines.joints[second] : FlatPath.Joint())
  }

  /// Ends a part.
  mutating func lift() {
    parts.end(isClosed: false)
    isDown = false
  }

  /// Adds all parts. Where they are joined, the last goes on as the first; a single one is closed.
  mutating func finish(into result: inout FlatPath, isJoined: Bool) {
    lift()
    let ranges = parts.subpaths.map(\.points)
    guard isJoined, let first = ranges.first, let last = ranges.last else {
      for range in ranges {
        result.append(parts, range)
        result.end(isClosed: false)
      }
      return
    }
    for range in ranges.dropFirst().dropLast() {
      result.append(parts, range)
      result.end(isClosed: false)
    }
    // The last point is the first one.
    parts.joints[first.lowerBound].arriving = parts.joints[last.upperBound - 1].arriving
    result.append(parts, last.dropLast())
    if ranges.count > 1 { result.append(parts, first) }
    result.end(isClosed: ranges.count == 1)
  }
}
