import Geometry
import Raster
import RenderTree

extension ValueSyntax where Value == ShapeGradient {
  /// `axial 0 0 100 0 stop 0 #000 stop 1 #FFF`.
  static var gradient: Self {
    let type = ValueSyntax<GradientType>.word()
    return Self("a gradient: \(type.expected), its start and end, and its stops") { reader throws(SceneError) in
      let (type, start) = (try type.read(reader), try ValueSyntax<Point>.point.read(reader))
      let end = try ValueSyntax<Point>.point.read(reader)
      let stops = try reader.list(while: { reader.valueWord == "stop" }) { () throws(SceneError) in
        _ = reader.take("stop")
        let location = try reader.number("the location of a stop")
        return Gradient.Stop(try ValueSyntax<Color>.color.read(reader), at: location)
      }
      return ShapeGradient(type, from: start, to: end, stops: stops)
    } text: { gradient, writer in
      let points = sceneNumbers(gradient.start.x, gradient.start.y, gradient.end.x, gradient.end.y)
      let stops = gradient.stops.map { stop in
        " stop \(SceneNumber.text(stop.location)) \(ValueSyntax<Color>.color.text(stop.color, writer))"
      }
      return "\(gradient.type) \(points)\(stops.joined())"
    }
  }
}
