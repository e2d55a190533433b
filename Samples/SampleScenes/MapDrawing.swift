import Framepace
import Glibc

/// Draws a part of a map: sea and land with their contours, woods, streets and roads, each in the levels in which there is room for it. Widths are
/// in pixels, so that they are the same in every level.
struct MapDrawing: Drawing {
  let terrain: MapTerrain
  let rect: Rect
  /// Pixels a point.
  let scale: Double

  private static let sea: [(depth: Double, color: UInt32)] = [(-0.055, 0x9CCBE6), (-0.02, 0xB4DAEE)]
  private static let hills: [(height: Double, color: UInt32)] = [
    (0, 0xF4EFE2), (0.07, 0xEFE7D3), (0.12, 0xE6DAC0), (0.17, 0xDBCBAC), (0.22, 0xD3C1A4), (0.26, 0xF1EDE6),
  ]
  private static let water: UInt32 = 0x86BCDD

  func draw(in context: DrawingContext) {
    context.fill(rect, color: Color(hex: Self.water))
    let grid = HeightGrid(terrain, rect, step: 4 / scale)
    for (depth, color) in Self.sea { context.fill(grid.area(above: depth), color: Color(hex: color)) }
    for (height, color) in Self.hills {
      guard !context.isCancelled else { return }
      context.fill(grid.area(above: height), color: Color(hex: color))
      if height == 0 { context.fill(grid.woods, color: Color(hex: 0xC9DFB2)) }
    }
    context.stroke(grid.line(at: 0), line(1.5), color: Color(hex: 0x5E97BC))
    guard !context.isCancelled else { return }
    if scale >= 1 { drawStreets(in: context) }
    drawRoads(in: context)
  }

  /// A pen that is so many pixels wide.
  private func line(_ pixels: Double) -> StrokeStyle {
    var style = StrokeStyle(width: pixels / scale)
    (style.cap, style.join) = (.round, .round)
    return style
  }

  // MARK: Roads

  private func drawRoads(in context: DrawingContext) {
    var (major, minor) = (Path(), Path())
    for town in terrain.towns(in: rect, around: 2.5 * MapTerrain.townSpacing) {
      for (right, down) in [(1, 0), (0, 1), (1, 1), (-1, 1), (2, 1)] {
        guard let other = terrain.town(town.column + right, town.row + down), isDry(town, other) else { continue }
        let isMajor = min(town.importance, other.importance) > 0.42 && max(town.importance, other.importance) > 0.66
        // Some neighbours have no road to each other.
        if !isMajor, right * down != 0, terrain.random(town.column, town.row, 40 + right + 3 * down) < 0.6 { continue }
        if !isMajor, scale < 0.5 { continue }
        let (from, to) = (town.place, other.place)
        let bend = terrain.random(town.column * 3 + right, town.row * 3 + down, 41) - 0.5
        let across = Point(from.y - to.y, to.x - from.x) * bend
        let road = { (path: inout Path) in
          path.move(to: from)
          path.cubicCurve(
            to: to, control1: from + (to - from) * 0.3 + across * 0.5, control2: from + (to - from) * 0.7 - across * 0.3)
        }
        if isMajor { road(&major) } else { road(&minor) }
      }
    }
    let grows = min(max(log2(scale) + 3, 0), 6)
    if scale >= 0.5 {
      context.stroke(minor, line(3 + grows * 0.8), color: Color(hex: 0xB9AE9A))
    }
    context.stroke(major, line(4 + grows), color: Color(hex: 0xC9883B))
    if scale >= 0.5 {
      context.stroke(minor, line(1.4 + grows * 0.8), color: .white)
    }
    context.stroke(major, line(2 + grows), color: Color(hex: 0xFBD07A))
  }

  /// True if a straight road crosses no water.
  private func isDry(_ one: MapTerrain.Town, _ other: MapTerrain.Town) -> Bool {
    (1...5).allSatisfy { step in
      let place = one.place + (other.place - one.place) * (Double(step) / 6)
      return terrain.height(place.x, place.y, detail: 40) > 0.004
    }
  }

  /// The streets of towns: two families of lines at right angles within a round, with houses along them in the finest levels.
  private func drawStreets(in context: DrawingContext) {
    var (streets, houses, ground) = (Path(), Path(), Path())
    for town in terrain.towns(in: rect, around: 60) {
      let radius = Self.radius(of: town)
      ground.append(.circle(center: town.place, radius: radius * 1.08))
      let turn = Affine.rotation(terrain.random(town.column, town.row, 50) * .pi).concatenating(
        .translation(x: town.place.x, y: town.place.y))
      let block = 7.0
      let count = Int(radius / block)
      for index in -count...count {
        let place = Double(index) * block
        let half = (radius * radius - place * place).squareRoot()
        for isAcross in [false, true] {
          func point(_ along: Double) -> Point { turn.apply(isAcross ? Point(place, along) : Point(along, place)) }
          streets.move(to: point(-half))
          streets.line(to: point(half))
        }
        guard scale >= 4 else { continue }
        for number in -Int(half / 2.4)..<Int(half / 2.4) where terrain.random(index, number, 51 + town.column) < 0.8 {
          let along = Double(number) * 2.4
          let deep = 1.4 + terrain.random(index, number, 52 + town.row)
          for corner in [Rect(x: along + 0.3, y: place + 1, width: 1.8, height: deep)] {
            houses.move(to: turn.apply(Point(corner.minX, corner.minY)))
            houses.line(to: turn.apply(Point(corner.maxX, corner.minY)))
            houses.line(to: turn.apply(Point(corner.maxX, corner.maxY)))
            houses.line(to: turn.apply(Point(corner.minX, corner.maxY)))
            houses.close()
          }
        }
      }
    }
    context.fill(ground, color: Color(hex: 0xE4DED6))
    context.fill(houses, color: Color(hex: 0xC9BEB4))
    context.stroke(streets, line(scale >= 4 ? 6 : 1.6 * scale), color: Color(hex: 0xFFFFFF))
  }

  private static func radius(of town: MapTerrain.Town) -> Double { 9 + 34 * town.importance * town.importance }
}

/// The heights at the corners of small squares, and the areas and lines between them: marching squares.
private struct HeightGrid {
  private let step: Double
  private let origin: Point
  private let columns: Int
  private let rows: Int
  private var heights: [Double] = []
  private var woodiness: [Double] = []

  init(_ terrain: MapTerrain, _ rect: Rect, step: Double) {
    self.step = step
    let (left, top) = ((rect.minX / step).rounded(.down), (rect.minY / step).rounded(.down))
    origin = Point(left * step, top * step)
    columns = Int((rect.maxX / step).rounded(.up) - left) + 1
    rows = Int((rect.maxY / step).rounded(.up) - top) + 1
    heights.reserveCapacity(columns * rows)
    for row in 0..<rows {
      for column in 0..<columns {
        let (x, y) = (origin.x + Double(column) * step, origin.y + Double(row) * step)
        let height = terrain.height(x, y, detail: 2 * step)
        heights.append(height)
        // Woods keep away from the shore and from the heights.
        woodiness.append(
          height > 0 ? min(terrain.woods(x, y, detail: 2 * step), (height - 0.008) * 4, (0.2 - height) * 4) : -1)
      }
    }
  }

  func area(above limit: Double) -> Path { area(heights, limit) }
  var woods: Path { area(woodiness, 0) }

  /// The corners of a square, clockwise, with their values above a limit.
  private func corners(_ values: [Double], _ column: Int, _ row: Int, _ limit: Double) -> [(point: Point, value: Double)] {
    let (x, y) = (origin.x + Double(column) * step, origin.y + Double(row) * step)
    let index = row * columns + column
    return [
      (Point(x, y), values[index] - limit), (Point(x + step, y), values[index + 1] - limit),
      (Point(x + step, y + step), values[index + columns + 1] - limit),
      (Point(x, y + step), values[index + columns] - limit),
    ]
  }

  private func crossing(_ from: (point: Point, value: Double), _ to: (point: Point, value: Double)) -> Point {
    from.point + (to.point - from.point) * (from.value / (from.value - to.value))
  }

  private func area(_ values: [Double], _ limit: Double) -> Path {
    var path = Path()
    for row in 0..<rows - 1 {
      // Squares that lie within the area are one rectangle.
      var start: Int?
      func close(_ end: Int) {
        guard let first = start else { return }
        start = nil
        path.append(
          .rect(
            Rect(
              x: origin.x + Double(first) * step, y: origin.y + Double(row) * step, width: Double(end - first) * step,
              height: step)))
      }
      for column in 0..<columns - 1 {
        let index = row * columns + column
        let isIn = [index, index + 1, index + columns, index + columns + 1].map { values[$0] > limit }
        if isIn == [true, true, true, true] {
          start = start ?? column
          continue
        }
        close(column)
        if !isIn.contains(true) { continue }
        let corners = corners(values, column, row, limit)
        var isFirst = true
        func add(_ point: Point) {
          if isFirst { path.move(to: point) } else { path.line(to: point) }
          isFirst = false
        }
        for side in 0..<4 {
          let (from, to) = (corners[side], corners[(side + 1) % 4])
          if from.value > 0 { add(from.point) }
          if (from.value > 0) != (to.value > 0) { add(crossing(from, to)) }
        }
        path.close()
      }
      close(columns - 1)
    }
    return path
  }

  /// The line at which heights pass a limit.
  func line(at limit: Double) -> Path {
    var path = Path()
    for row in 0..<rows - 1 {
      for column in 0..<columns - 1 {
        let index = row * columns + column
        let isIn = heights[index] > limit
        if [index + 1, index + columns, index + columns + 1].allSatisfy({ (heights[$0] > limit) == isIn }) { continue }
        let corners = corners(heights, column, row, limit)
        var start: Point?
        for side in 0..<4 {
          let (from, to) = (corners[side], corners[(side + 1) % 4])
          guard (from.value > 0) != (to.value > 0) else { continue }
          let point = crossing(from, to)
          if let first = start {
            path.move(to: first)
            path.line(to: point)
            start = nil
          } else {
            start = point
          }
        }
      }
    }
    return path
  }
}
