/// A heap of times with four children per node. Every node is found by its slot, a small number that the owner chooses.
///
/// Insert, remove and move cost O(log n), the earliest node is at hand.
struct SlotHeap {
  struct Node: BitwiseCopyable {
    var time: Int64
    /// Decides between equal times.
    var sequence: UInt64
    var slot: Int

    @inline(__always)
    static func < (left: Node, right: Node) -> Bool {
      left.time < right.time || (left.time == right.time && left.sequence < right.sequence)
    }
  }

  private var nodes: [Node] = []
  /// The index of each slot's node. 32 bits, so that more of them fit into the cache.
  private var positions: [UInt32] = []

  var count: Int { nodes.count }
  var first: Node? { nodes.first }
  subscript(slot: Int) -> Node { nodes[Int(positions[slot])] }

  mutating func insert(_ node: Node) {
    while positions.count <= node.slot { positions.append(0) }
    nodes.append(node)
    siftUp(node, from: nodes.count - 1)
  }

  @discardableResult
  mutating func remove(_ slot: Int) -> Node {
    let position = Int(positions[slot])
    let node = nodes[position]
    let last = nodes.removeLast()
    if position < nodes.count { place(last, from: position) }
    return node
  }

  mutating func move(_ slot: Int, to time: Int64) {
    let position = Int(positions[slot])
    var node = nodes[position]
    node.time = time
    place(node, from: position)
  }

  /// Appends the nodes with a time up to `time`, in no particular order.
  func appendDue(at time: Int64, to due: inout [Node]) {
    guard let first = nodes.first, first.time <= time else { return }
    // A node is not earlier than its parent, so that the due nodes are connected at the top.
    var index = due.count
    due.append(first)
    while index < due.count {
      let firstChild = Int(positions[due[index].slot]) * 4 + 1
      for child in firstChild..<max(firstChild, min(firstChild + 4, nodes.count)) where nodes[child].time <= time {
        due.append(nodes[child])
      }
      index += 1
    }
  }

  private mutating func place(_ node: Node, from position: Int) {
    if position > 0, node < nodes[(position - 1) / 4] {
      siftUp(node, from: position)
    } else {
      siftDown(node, from: position)
    }
  }

  private mutating func siftUp(_ node: Node, from start: Int) {
    nodes.withUnsafeMutableBufferPointer { nodes in
      positions.withUnsafeMutableBufferPointer { positions in
        var position = start
        while position > 0 {
          let parent = (position - 1) / 4
          guard node < nodes[parent] else { break }
          nodes[position] = nodes[parent]
          positions[nodes[position].slot] = UInt32(truncatingIfNeeded: position)
          position = parent
        }
        nodes[position] = node
        positions[node.slot] = UInt32(truncatingIfNeeded: position)
      }
    }
  }

  private mutating func siftDown(_ node: Node, from start: Int) {
    nodes.withUnsafeMutableBufferPointer { nodes in
      positions.withUnsafeMutableBufferPointer { positions in
        var position = start
        while true {
          let firstChild = position * 4 + 1
          guard firstChild < nodes.count else { break }
          var child = firstChild
          for other in firstChild + 1..<max(firstChild + 1, min(firstChild + 4, nodes.count))
          where nodes[other] < nodes[child] {
            child = other
          }
          guard nodes[child] < node else { break }
          nodes[position] = nodes[child]
          positions[nodes[position].slot] = UInt32(truncatingIfNeeded: position)
          position = child
        }
        nodes[position] = node
        positions[node.slot] = UInt32(truncatingIfNeeded: position)
      }
    }
  }
}
