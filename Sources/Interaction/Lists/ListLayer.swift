public import Geometry
public import Layers
import LinuxSystem

/// Rows one below the other, of which only those have layers that are seen: a list of a million takes no more than one of twenty.
///
/// ```swift
/// let list = ListLayer(frame: screen, estimatedRowHeight: 72)
/// list.dataSource = feed
/// list.reload(count: feed.articles.count)
/// ```
///
/// Rows have heights of their own. One that was never seen has the estimated height; what is seen stays where it is when the heights above it
/// become known.
open class ListLayer: ScrollLayer {
  public weak var dataSource: (any ListLayerDataSource)?
  /// Loads the pictures of rows; nil, as at first, for rows without. A loader of pictures belongs to one list.
  public var images: RowImages? {
    didSet {
      if images === oldValue { return }
      oldValue?.list = nil
      images?.list = self
      reloadRows(0..<rows.count)
    }
  }
  /// The scrolling of the list.
  public private(set) lazy var controller = ScrollController(self, content: .zero, axes: .vertical)
  /// The places of the rows.
  public private(set) var rows: RowIndex
  /// The rows that have layers now, from the top down.
  public var visibleRows: [Int] { shown.keys.sorted() }

  var shown: [Int: Row] = [:]
  private var recycled: [String: [Layer]] = [:]
  private var mostShown = 0
  private var near: Range<Int> = 0..<0
  private var isFilling = false
  private var laidOutWidth = 0.0
  /// The row to which an animation leads.
  private var destinationRow = 0
  /// The pictures of rows that are near, as far as they were asked for, and what they were asked for last.
  var rowImages: [Int: RowImage?] = [:]
  var imageView: ImageView?
  /// The width and scale for which they were asked for.
  var imageScale = Size.zero

  struct Row {
    var layer: Layer
    var kind: String
    var image: RowImage?
  }

  /// - Parameter estimatedRowHeight: the height of rows that have not been seen, in points.
  public init(frame: Rect, estimatedRowHeight: Double) {
    rows = RowIndex(estimatedHeight: estimatedRowHeight)
    super.init()
    self.frame = frame
    masksToBounds = true
    scrollMode = .vertically
    controller.onScroll = { [weak self] in self?.fill() }
  }

  /// The layer of a row; nil for one that is not seen.
  public func layer(for row: Int) -> Layer? { shown[row]?.layer }

  /// The row that is seen at a point of the list's coordinates; nil below the last one.
  public func row(at point: Point) -> Int? { rows.row(at: point.y).flatMap { point.y < rows.totalHeight ? $0 : nil } }

  /// Takes over the rows of the data source, which all may be others. The list stays where it is if it has rows there.
  public func reload(count: Int) {
    removeAllRows()
    rows = RowIndex(count: count, estimatedHeight: rows.estimatedHeight)
    settle(shiftedBy: 0)
  }

  /// Makes the layers of rows anew, which may have other heights.
  public func reloadRows(_ range: Range<Int>) {
    for row in shown.keys where range.contains(row) { recycle(row) }
    forgetImages()
    settle(shiftedBy: 0)
  }

  /// Inserts rows. Those that are seen make room for them.
  public func insertRows(_ count: Int, at row: Int, animated: Bool = true) {
    let count = max(count, 0)
    let row = min(max(row, 0), rows.count)
    forgetNear()
    let shift = rows.insert(count, at: row, seen: seen)
    renumber { $0 < row ? $0 : $0 + count }
    settle(shiftedBy: shift, animated: animated)
  }

  /// Removes rows. Those below take their place.
  public func removeRows(_ range: Range<Int>, animated: Bool = true) {
    let range = range.clamped(to: 0..<rows.count)
    for row in shown.keys where range.contains(row) { recycle(row) }
    forgetNear()
    let shift = rows.remove(range, seen: seen)
    renumber { $0 < range.lowerBound ? $0 : $0 - range.count }
    settle(shiftedBy: shift, animated: animated)
  }

  /// Moves rows, with their layers.
  ///
  /// - Parameter destination: the index that the first of them has after it.
  public func moveRows(_ range: Range<Int>, to destination: Int, animated: Bool = true) {
    let range = range.clamped(to: 0..<rows.count)
    let destination = min(max(destination, 0), rows.count - range.count)
    forgetNear()
    let shift = rows.move(range, to: destination, seen: seen)
    renumber { row in
      if range.contains(row) { return row - range.lowerBound + destination }
      let left = row < range.lowerBound ? row : row - range.count
      return left < destination ? left : left + range.count
    }
    settle(shiftedBy: shift, animated: animated)
  }

  /// Scrolls as little as shows a row. Rows on the way may have other heights than were expected: an animation follows the row to where it is
  /// by then, also if rows are inserted, removed or moved meanwhile.
  public func scroll(toRow row: Int, animated: Bool = false) {
    if animated {
      let frame = frame(of: row)
      let isAbove = frame.minY < bounds.minY
      if !isAbove, frame.maxY <= bounds.maxY { return controller.scroll(to: bounds.origin) }
      destinationRow = row
      return controller.scroll(toward: { [weak self] in
        guard let self else { return .zero }
        let frame = self.frame(of: destinationRow)
        let isAtTop = isAbove || frame.height > bounds.height
        return Point(bounds.minX, isAtTop ? frame.minY : frame.maxY - bounds.height)
      })
    }
    var frame = Rect.zero
    // The rows there may have other heights than were expected, which are known once they are seen.
    for _ in 0..<8 where frame != self.frame(of: row) {
      frame = self.frame(of: row)
      controller.scroll(toShow: frame)
      fill()
    }
  }

  private func frame(of row: Int) -> Rect {
    Rect(x: 0, y: rows.offset(of: row), width: bounds.width, height: rows.height(of: row))
  }

  open override func layoutSublayers() {
    super.layoutSublayers()
    var shift = 0.0
    if laidOutWidth != bounds.width, laidOutWidth > 0, let first = visibleRows.first {
      // Rows may be higher or lower in another width. The first one that is seen stays where it is.
      let offset = rows.offset(of: first)
      rows = RowIndex(count: rows.count, estimatedHeight: rows.estimatedHeight)
      for row in shown.keys { if let height = height(of: row) { rows.setHeight(height, of: row) } }
      shift = rows.offset(of: first) - offset
    }
    controller.begin()
    settle(shiftedBy: shift)
  }

  // MARK: Filling

  private var seen: Range<Double> { bounds.minY..<max(bounds.minY, bounds.maxY) }

  /// Takes over another height of all rows, and shows those that are seen then.
  private func settle(shiftedBy shift: Double, animated: Bool = false) {
    let isWithinFilling = isFilling
    isFilling = true
    move(by: shift)
    isFilling = isWithinFilling
    // A data source that changes rows while it is asked for some sees them in the next layout.
    if isWithinFilling { return setNeedsLayout() }
    // The rows stay where they are seen, and move from there.
    if animated, shift != 0 { Transaction.withoutActions { for row in shown.values { row.layer.position.y += shift } } }
    fill(animated: animated)
  }

  private func move(by shift: Double) {
    let size = Size(bounds.width, rows.totalHeight)
    if shift != 0 { controller.setContentSize(size, shiftingBy: Point(0, shift)) } else { controller.contentSize = size }
  }

  /// Gives layers to the rows that are seen, and takes them from the others.
  private func fill(animated: Bool = false) {
    guard !isFilling, let dataSource, bounds.width > 0 else { return }
    isFilling = true
    defer { isFilling = false }
    laidOutWidth = bounds.width
    followImageScale(dataSource)
    var window = RowWindow(rows, position: bounds.minY, viewport: bounds.height, velocity: controller.velocity.y)
    for row in shown.keys where !window.visible.contains(row) { recycle(row) }
    // A row may be higher or lower than it was expected to be, so that others are seen; once all of those are known this ends.
    while let row = window.visible.first(where: { shown[$0] == nil }) {
      let old = rows.totalHeight
      add(row, dataSource, fadesIn: animated)
      if rows.totalHeight == old { continue }
      window = RowWindow(rows, position: bounds.minY, viewport: bounds.height, velocity: controller.velocity.y)
    }
    for row in shown.keys where !window.visible.contains(row) { recycle(row) }
    place(animated: animated)
    tellNear(window, dataSource)
    loadImages(window, dataSource)
    controller.pursueDestination()
  }

  private func add(_ row: Int, _ dataSource: any ListLayerDataSource, fadesIn: Bool) {
    let kind = dataSource.list(self, kindOf: row)
    let layer = dataSource.list(self, layerFor: row, recycling: recycled[kind]?.popLast())
    shown[row] = Row(layer: layer, kind: kind, image: image(of: row, dataSource))
    mostShown = max(mostShown, shown.count)
    Transaction.withoutActions {
      layer.frame = frame(of: row)
      addSublayer(layer)
      showPicture(of: row)
    }
    if fadesIn { layer.add(BasicAnimation(.opacity, from: 0, to: 1), forKey: "row") }
    measure(row)
  }

  private func height(of row: Int) -> Double? {
    guard let layer = shown[row]?.layer else { return nil }
    return dataSource?.list(self, heightOf: row)
      ?? layer.size(fitting: SizeProposal(width: bounds.width, height: nil)).height
  }

  private func measure(_ row: Int) {
    guard let height = height(of: row), height != rows.height(of: row) else { return }
    move(by: rows.setHeight(height, of: row, seen: seen))
  }

  private func place(animated: Bool) {
    func place() {
      for (row, entry) in shown {
        let frame = frame(of: row)
        if entry.layer.frame != frame { entry.layer.frame = frame }
      }
    }
    if animated { place() } else { Transaction.withoutActions { place() } }
  }

  private func tellNear(_ window: RowWindow, _ dataSource: any ListLayerDataSource) {
    let before = exchange(&near, with: window.prefetched)
    guard before != near else { return }
    func distance(_ row: Int) -> Double { window.distance(top: rows.offset(of: row), height: rows.height(of: row)) }
    let gone = before.filter { !near.contains($0) }
    let come = near.filter { !before.contains($0) }.map { ($0, distance($0)) }.sorted { $0.1 < $1.1 }.map(\.0)
    if !gone.isEmpty { dataSource.list(self, needsNoMore: gone) }
    if !come.isEmpty { dataSource.list(self, willNeed: come) }
  }

  private func recycle(_ row: Int) {
    guard let entry = shown.removeValue(forKey: row) else { return }
    Transaction.withoutActions {
      entry.layer.removeFromSuperlayer()
      if entry.image != nil { dataSource?.list(self, show: nil, in: entry.layer, of: row) }
    }
    // No scroll needs more than were seen at once.
    if recycled[entry.kind, default: []].count < mostShown { recycled[entry.kind, default: []].append(entry.layer) }
  }

  private func removeAllRows() {
    for row in shown.keys { recycle(row) }
    forgetNear()
  }

  private func forgetNear() {
    forgetImages()
    let before = exchange(&near, with: 0..<0)
    if !before.isEmpty { dataSource?.list(self, needsNoMore: Array(before)) }
  }

  private func renumber(_ newRow: (Int) -> Int) {
    shown = Dictionary(uniqueKeysWithValues: shown.map { (newRow($0.key), $0.value) })
    destinationRow = newRow(destinationRow)
  }
}
