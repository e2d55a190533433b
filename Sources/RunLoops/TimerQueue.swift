/// A queue of elements by time: a heap with four children a node, in which every element can be found by its slot.
///
/// Elements with equal times come in the order in which they were inserted; a move does not change that order.
/// Insert, remove and move cost O(log n), the earliest time is at hand.
struct TimerQueue<Element> {
  /// Where an element is found again, from its insertion to its removal.
  typealias Slot = Int

  private struct Node: BitwiseCopyable {
    var time: Int64
    var sequence: UInt64
    var slot: Slot

    @inline(__always)
    static func < (left: Node, right: Node) -> Bool {
      left.time < right.time || (left.time == right.time && left.sequence < right.sequence)
    }
  }

  private var heap: [Node] = []
  /// By slot: where the slot's node is in the heap.
  private var positions: [Int] = []
  private var elements: [Element?] = []
  private var freeSlots: [Slot] = []
  private var nextSequence: UInt64 = 0
  private var dueNodes: [Node] = []

  var isEmpty: Bool { heap.isEmpty }
  var count: Int { heap.count }
  /// The earliest time.
  var first: Int64? { heap.first?.time }
  /// All elements, in no particular order.
  var all: [Element] { elements.compactMap { $0 } }

  mutating func insert(_ element: Element, at time: Int64) -> Slot {
    let slot: Slot
    if let free = freeSlots.popLast() {
      slot = free
      elements[slot] = element
    } else {
      slot = elements.count
      elements.append(element)
      positions.append(0)
    }
    let node = Node(time: time, sequence: nextSequence, slot: slot)
    nextSequence += 1
    heap.append(node)
    siftUp(node, from: heap.count - 1)
    return slot
  }

  @discardableResult
  mutating func remove(_ slot: Slot) -> Element? {
    let position = positions[slot]
    let last = heap.removeLast()
    if position < heap.count {
      place(last, from: position)
    }
    let element = elements[slot]
    elements[slot] = nil
    freeSlots.append(slot)
    return element
  }

  mutating func move(_ slot: Slot, to time: Int64) {
    let position = positions[slot]
    var node = heap[position]
    node.time = time
    place(node, from: position)
  }

  /// Appends the elements with a time up to `time`, earliest first.
  mutating func appendDue(at time: Int64, to due: inout [Element]) {
    guard let first = heap.first, first.time <= time else { return }
    // A node is not earlier than its parent: what is due hangs together at the top.
    dueNodes.append(first)
    var index = 0
    while index < dueNodes.count {
      let firstChild = positions[dueNodes[index].slot] * 4 + 1
      for child in firstChild..<max(firstChild, min(firstChild + 4, heap.count)) where heap[child].time <= time {
        dueNodes.append(heap[child])
      }
      index += 1
    }
    if dueNodes.count > 1 { dueNodes.sort(by: <) }
    for node in dueNodes {
      if let element = elements[node.slot] { due.append(element) }
    }
    dueNodes.removeAll(keepingCapacity: true)
  }

  private mutating func place(_ node: Node, from position: Int) {
    if position > 0, node < heap[(position - 1) / 4] {
      siftUp(node, from: position)
    } else {
      siftDown(node, from: position)
    }
  }

  private mutating func siftUp(_ node: Node, from start: Int) {
    heap.withUnsafeMutableBufferPointer { heap in
      positions.withUnsafeMutableBufferPointer { positions in
        var position = start
        while position > 0 {
          let parent = (position - 1) / 4
          guard node < heap[parent] else { break }
          heap[position] = heap[parent]
          positions[heap[position].slot] = position
          position = parent
        }
        heap[position] = node
        positions[node.slot] = position
      }
    }
  }

  private mutating func siftDown(_ node: Node, from start: Int) {
    heap.withUnsafeMutableBufferPointer { heap in
      positions.withUnsafeMutableBufferPointer { positions in
        var position = start
        while true {
          let firstChild = position * 4 + 1
          guard firstChild < heap.count else { break }
          var child = firstChild
          for other in firstChild + 1..<max(firstChild + 1, min(firstChild + 4, heap.count)) where heap[other] < heap[child]
          {
            child = other
          }
          guard heap[child] < node else { break }
          heap[position] = heap[child]
          positions[heap[position].slot] = position
          position = child
        }
        heap[position] = node
        positions[node.slot] = position
      }
    }
  }
}
