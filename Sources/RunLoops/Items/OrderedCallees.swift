/// An item in a mode, where it stands by order, and what it calls.
///
/// An item lets its closures go when it ends. What a mode has of it holds them besides, and so does an array of those that was
/// taken to be called: they live to the end of a call that goes on, and it takes no lock or count of calls.
protocol OrderedCallee: AnyObject, Sendable {
  associatedtype Item: AnyObject

  var item: Item { get }
  var order: Int { get }
}

/// By order, equal orders as they were added: found by halving, since a mode may have thousands.
extension Array where Element: OrderedCallee {
  mutating func insert(inOrder callee: Element) {
    insert(callee, at: firstIndex(from: { $0 > callee.order }))
  }

  /// Removes what stands for an item.
  mutating func remove(_ item: Element.Item, order: Int) {
    var index = firstIndex(from: { $0 >= order })
    while index < count, self[index].order == order {
      if self[index].item === item {
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
