/// What stands in a mode by order.
protocol OrderedItem: AnyObject {
  var order: Int { get }
}

extension FrameLoop.Observer: OrderedItem {}
extension FrameLoop.Source: OrderedItem {}

/// Items by order, equal orders as they were added: found by halving, since a mode may have thousands.
extension Array where Element: OrderedItem {
  mutating func insert(inOrder item: Element) {
    insert(item, at: firstIndex(from: { $0 > item.order }))
  }

  mutating func remove(inOrder item: Element) {
    var index = firstIndex(from: { $0 >= item.order })
    while index < count, self[index].order == item.order {
      if self[index] === item {
        remove(at: index)
        return
      }
      index += 1
    }
  }

  /// The first index from which on all orders fulfil a condition.
  private func firstIndex(from isBeyond: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBeyond(self[middle].order) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
