import Geometry
import Glibc

/// Cuts lines into parts, in memory that it uses again for the next ones.
struct LineCutter {
  private var result = FlatPath(hasJoints: true)
  // The parts of a subpath.
  private var parts = FlatPath(hasJoints: true)
  private var isDown = false

  /// The number of points for which it keeps memory.
  var capacity: Int { result.points.capacity + parts.points.capacity }

  /// Cuts off what does not lie between two shares of the whole length, each from 0 to 1. Subpaths that are whole stay closed.
  mutating func trim(_ lines: inout FlatPath, from start: Double, to end: Double) {
    result.removeAll()
    defer { swap(&lines, &result) }
    guard start < end, end > 0, start < 1 else { return }
    let whole = lines.length
    let (low, high) = (max(start, 0) * whole, min(end, 1) * whole)
    var position = 0.0
    for subpath in lines.subpaths {
      let begin = position
      lines.forEachLine(of: subpath) { a, b in
        let length = lines.distance(a, b)
        if position < high, position + length > low {
          let (from, to) = ((low - position) / length, (high - position) / length)
          add(lines, a, b, from: max(from, 0), to: min(to, 1))
        }
        position += length
      }
      finish(isJoined: subpath.isClosed && begin >= low && position <= high)
    }
  }

  /// Leaves the dashes of all subpaths, on each of which the pattern begins anew. The sum of `lengths` is above 0 and finite.
  mutating func dash(_ lines: inout FlatPath, _ lengths: [Double], phase: Double) {
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
    result.removeAll()
    for subpath in lines.subpaths {
      var (index, rest) = (start, firstRest)
      lines.forEachLine(of: subpath) { a, b in
        let length = lines.distance(a, b)
        var position = 0.0
        while position < length {
          let isDash = index % 2 == 0
          let next = min(position + rest, length)
          if isDash { add(lines, a, b, from: position / length, to: next / length) }
          if position + rest > length {
            rest -= length - position
            break
          }
          if isDash { lift() }
          position = next
          index = (index + 1) % lengths.count
          rest = lengths[index]
        }
      }
      finish(isJoined: subpath.isClosed && start % 2 == 0 && isDown)
    }
    swap(&lines, &result)
  }

  /// Adds the part of a line between two shares of it. One without length has its direction.
  private mutating func add(_ lines: FlatPath, _ first: Int, _ second: Int, from: Double, to: Double) {
    let (a, b) = (lines.points[first], lines.points[second])
    let direction = from == to ? b - a : from == 0 ? lines.joints[first].leaving : .zero
    if !isDown { parts.append(a + (b - a) * from, FlatPath.Joint(leaving: direction)) }
    isDown = true
    parts.append(to == 1 ? b : a + (b - a) * to, to == 1 ? lines.joints[second] : FlatPath.Joint())
  }

  /// Ends a part.
  private mutating func lift() {
    parts.end(isClosed: false)
    isDown = false
  }

  /// Adds all parts to the result. Where they are joined, the last goes on as the first; a single one is closed.
  private mutating func finish(isJoined: Bool) {
    lift()
    let count = parts.ends.count
    if count == 0 { return }
    guard isJoined else {
      for index in 0..<count { appendPart(index) }
      return parts.removeAll()
    }
    for index in stride(from: 1, to: count - 1, by: 1) { appendPart(index) }
    // The last point is the first one.
    parts.joints[0].arriving = parts.joints[parts.points.count - 1].arriving
    result.append(parts, parts.points(ofPart: count - 1).dropLast())
    if count > 1 { result.append(parts, parts.points(ofPart: 0)) }
    result.end(isClosed: count == 1)
    parts.removeAll()
  }

  private mutating func appendPart(_ index: Int) {
    result.append(parts, parts.points(ofPart: index))
    result.end(isClosed: false)
  }
}

extension FlatPath {
  fileprivate func points(ofPart index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }

  fileprivate func distance(_ a: Int, _ b: Int) -> Double { hypot(points[b].x - points[a].x, points[b].y - points[a].y) }

  fileprivate mutating func append(_ other: FlatPath, _ indices: Range<Int>) {
    for index in indices { append(other.points[index], other.joints[index]) }
  }
}
