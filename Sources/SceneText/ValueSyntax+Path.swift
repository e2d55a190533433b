import Geometry
import Raster

extension ValueSyntax where Value == Path {
  private static var shapes: [String] {
    ["move", "line", "quadCurve", "cubicCurve", "close", "rect", "roundedRect", "ellipse", "circle", "arc", "svg"]
  }
  private static var expectation: String { "a path: \(shapes.joined(separator: ", ")) or empty" }

  static var path: Self {
    Self(expectation) { reader throws(SceneError) in
      if reader.take("empty") { return Path() }
      guard isAtShape(reader) else { throw reader.expected(expectation) }
      var path = Path()
      _ = try reader.list(while: { isAtShape(reader) }) { () throws(SceneError) in try add(to: &path, reader) }
      return path
    } text: { value, _ in
      value.isEmpty ? "empty" : texts(value.elements).joined(separator: " ")
    }
  }

  private static func isAtShape(_ reader: SceneReader) -> Bool { reader.valueWord.map(shapes.contains) ?? false }

  private static func add(to path: inout Path, _ reader: SceneReader) throws(SceneError) {
    func point() throws(SceneError) -> Point { try ValueSyntax<Point>.point.read(reader) }
    func rect() throws(SceneError) -> Rect { try ValueSyntax<Rect>.rect.read(reader) }
    func angle() throws(SceneError) -> Double { try ValueSyntax<Double>.angle.read(reader) }
    let word = try reader.takeWord(expectation)
    switch word {
    case "move": path.move(to: try point())
    case "line": path.line(to: try point())
    case "quadCurve":
      let end = try point()
      path.quadCurve(to: end, control: try point())
    case "cubicCurve":
      let (end, control) = (try point(), try point())
      path.cubicCurve(to: end, control1: control, control2: try point())
    case "close": path.close()
    case "rect": path.addRect(try rect())
    case "roundedRect":
      let place = try rect()
      path.addRoundedRect(place, cornerRadius: try reader.number("the corner radius"))
    case "ellipse": path.addEllipse(in: try rect())
    case "circle":
      let center = try point()
      path.append(.circle(center: center, radius: try reader.number("the radius of a circle")))
    case "svg":
      path.append(try svg(reader))
    default:
      let center = try point()
      let radius = try reader.number("the radius of an arc")
      let (start, end) = (try angle(), try angle())
      path.addArc(
        center: center, radius: radius, startAngle: start, endAngle: end, clockwise: !reader.takeInValue("counterclockwise"))
    }
  }

  private static func svg(_ reader: SceneReader) throws(SceneError) -> Path {
    let token = reader.token
    let text = try reader.string("path data of SVG in quotation marks")
    guard text.utf8.count <= SceneLimit.values else {
      throw reader.error(.tooMany("characters of path data", limit: SceneLimit.values), at: token)
    }
    do throws(PathDataError) {
      return try Path(svg: text)
    } catch {
      let found = error.found.map { "'\($0)'" } ?? "its end"
      throw reader.error(
        .expected("\(error.expected) at character \(error.character) of the path data", found: found), at: token)
    }
  }

  /// The texts of the elements. Those that are exactly what a shape adds are the shape's word.
  private static func texts(_ elements: [Path.Element]) -> [String] {
    var texts: [String] = []
    var rest = elements[...]
    while !rest.isEmpty {
      let (count, text) = shape(at: rest) ?? (1, text(rest[rest.startIndex]))
      texts.append(text)
      rest = rest.dropFirst(count)
    }
    return texts
  }

  /// The closed shape that the first elements are, with their number.
  private static func shape(at elements: ArraySlice<Path.Element>) -> (count: Int, text: String)? {
    // A rectangle has 5 elements, an ellipse 6, a rounded rectangle 10.
    let points = elements.prefix(10).prefix { $0 != .close }.compactMap { element -> Point? in
      switch element {
      case .move(let end), .line(let end), .quadCurve(let end, _), .cubicCurve(let end, _, _): end
      case .close: nil
      }
    }
    guard let count = [5, 6, 10].first(where: { points.count + 1 == $0 && elements.count >= $0 }), let start = points.first,
      case .move = elements[elements.startIndex]
    else { return nil }
    let (x, y) = (points.map(\.x), points.map(\.y))
    guard let left = x.min(), let top = y.min(), let right = x.max(), let bottom = y.max() else { return nil }
    let box = Rect(x: left, y: top, width: right - left, height: bottom - top)
    let corners = sceneNumbers(left, top, box.width, box.height)
    let radius = start.x - left
    let (path, text): (Path, String) =
      switch count {
      case 5: (.rect(box), "rect \(corners)")
      case 6: (.ellipse(in: box), "ellipse \(corners)")
      default: (.roundedRect(box, cornerRadius: radius), "roundedRect \(corners) \(SceneNumber.text(radius))")
      }
    // The text tells the two zeros apart.
    return path.elements.map(Self.text) == elements.prefix(count).map(Self.text) ? (count, text) : nil
  }

  private static func text(_ element: Path.Element) -> String {
    switch element {
    case .move(let point): "move \(sceneNumbers(point.x, point.y))"
    case .line(let point): "line \(sceneNumbers(point.x, point.y))"
    case .quadCurve(let point, let control): "quadCurve \(sceneNumbers(point.x, point.y, control.x, control.y))"
    case .cubicCurve(let point, let control1, let control2):
      "cubicCurve \(sceneNumbers(point.x, point.y, control1.x, control1.y, control2.x, control2.y))"
    case .close: "close"
    }
  }
}
