import Geometry
import Layers
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

extension SceneProperty {
  /// Those that have no effect are left out: a text with them would be refused.
  static var locations: SceneProperty {
    var property = SceneProperty(.locations, .values(.number) { $0.isAtNumber })
    let text = property.text
    property.text = { layer, new, writer in
      (layer as? GradientLayer)?.hasUselessLocations == true ? nil : text(layer, new, writer)
    }
    return property
  }
}

extension GradientLayer {
  /// True if there is not one location for each colour, and neither an animation nor a state may yet make it so.
  var hasUselessLocations: Bool {
    guard let locations, !colors.isEmpty, states.isEmpty, animationKeys.isEmpty else { return false }
    return locations.count != colors.count
  }
}
