/// A queue of elements by time, each with a tolerance: how long after its time it may be served.
///
/// Elements with equal times come in the order in which they were inserted; a move does not change that order. Insert,
/// remove and move cost O(log n), the earliest time and the deadline are at hand.
struct TimerQueue<Element> {
  /// The handle of an element, from its insertion to its removal.
  typealias Slot = Int

  /// The elements without a tolerance.
  private var exact = SlotHeap()
  /// The elements with a tolerance, by their times, and by their deadlines.
  private var tolerant = SlotHeap()
  private var deadlines = SlotHeap()
  private var elements: [Element?] = []
  /// By slot; zero past the end, so that a queue without tolerances stores none.
  private var tolerances: [Int64] = []
  private var freeSlots: [Slot] = []
  private var nextSequence: UInt64 = 0
  private var dueNodes: [SlotHeap.Node] = []

  var isEmpty: Bool { count == 0 }
  var count: Int { exact.count + tolerant.count }
  /// The earliest time.
  var first: Int64? { Self.earlier(exact.first?.time, tolerant.first?.time) }
  /// The latest time to serve the next element. All elements due by then can be served together.
  var deadline: Int64? { Self.earlier(exact.first?.time, deadlines.first?.time) }
  /// All elements, in no particular order.
  var all: [Element] { elements.compactMap { $0 } }

  mutating func insert(_ element: Element, at time: Int64, tolerance: Int64 = 0) -> Slot {
    let slot: Slot
    if let free = freeSlots.popLast() {
      slot = free
      elements[slot] = element
    } else {
      slot = elements.count
      elements.append(element)
    }
    setTolerance(tolerance, of: slot)
    insert(SlotHeap.Node(time: time, sequence: nextSequence, slot: slot))
    nextSequence += 1
    return slot
  }

  @discardableResult
  mutating func remove(_ slot: Slot) -> Element? {
    _ = removeNode(slot)
    let element = elements[slot]
    elements[slot] = nil
    freeSlots.append(slot)
    return element
  }

  mutating func move(_ slot: Slot, to time: Int64) {
    let tolerance = tolerance(of: slot)
    guard tolerance > 0 else { return exact.move(slot, to: time) }
    tolerant.move(slot, to: time)
    deadlines.move(slot, to: Self.deadline(time, tolerance))
  }

  mutating func setTolerance(_ slot: Slot, to tolerance: Int64) {
    let node = removeNode(slot)
    setTolerance(tolerance, of: slot)
    insert(node)
  }

  /// Appends the elements with a time up to `time`, earliest first.
  mutating func appendDue(at time: Int64, to due: inout [Element]) {
    exact.appendDue(at: time, to: &dueNodes)
    tolerant.appendDue(at: time, to: &dueNodes)
    if dueNodes.count > 1 { dueNodes.sort(by: <) }
    for node in dueNodes {
      if let element = elements[node.slot] { due.append(element) }
    }
    dueNodes.removeAll(keepingCapacity: true)
  }

  @inline(__always)
  private func tolerance(of slot: Slot) -> Int64 { slot < tolerances.count ? tolerances[slot] : 0 }

  private mutating func setTolerance(_ tolerance: Int64, of slot: Slot) {
    guard tolerance != self.tolerance(of: slot) else { return }
    while tolerances.count <= slot { tolerances.append(0) }
    tolerances[slot] = tolerance
  }

  private mutating func insert(_ node: SlotHeap.Node) {
    let tolerance = tolerance(of: node.slot)
    guard tolerance > 0 else { return exact.insert(node) }
    tolerant.insert(node)
    var last = node
    last.time = Self.deadline(node.time, tolerance)
    deadlines.insert(last)
  }

  private mutating func removeNode(_ slot: Slot) -> SlotHeap.Node {
    guard tolerance(of: slot) > 0 else { return exact.remove(slot) }
    deadlines.remove(slot)
    return tolerant.remove(slot)
  }

  @inline(__always)
  private static func earlier(_ left: Int64?, _ right: Int64?) -> Int64? {
    guard let left, let right else { return left ?? right }
    return min(left, right)
  }

  private static func deadline(_ time: Int64, _ tolerance: Int64) -> Int64 {
    let (deadline, overflows) = time.addingReportingOverflow(tolerance)
    return overflows ? .max : deadline
  }
}
