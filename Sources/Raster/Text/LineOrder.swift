/// The order of the parts of a line from left to right.
package enum LineOrder {
  /// Rule L2 of UAX 9: from the highest level down to the lowest odd one, every sequence of parts at that level or above is reversed.
  ///
  /// - Parameter levels: the embedding level of each part, in the order of the text.
  /// - Returns: the numbers of the parts, from left to right.
  package static func leftToRight(_ levels: [UInt8]) -> [Int] {
    var order = Array(levels.indices)
    guard let highest = levels.max(), let lowest = levels.lazy.filter({ $0 & 1 != 0 }).min() else { return order }
    for level in (lowest...highest).reversed() {
      var start = 0
      while start < order.count {
        guard levels[order[start]] >= level else {
          start += 1
          continue
        }
        var end = start
        while end < order.count, levels[order[end]] >= level { end += 1 }
        order[start..<end].reverse()
        start = end
      }
    }
    return order
  }
}
