internal import CHarfBuzz

extension Shaper {
  /// More than any font has; a damaged one may state 65,535.
  private static let mostAxes = 64
  private static let mostInstances = 4096

  /// The axes of a face, in its order; none if it has too many.
  static func axes(of face: OpaquePointer?) -> [FontAxis] {
    let count = hb_ot_var_get_axis_count(face)
    guard count > 0, count <= mostAxes else { return [] }
    return (0..<count).compactMap { index in
      var information = hb_ot_var_axis_info_t()
      var one: UInt32 = 1
      hb_ot_var_get_axis_infos(face, index, &one, &information)
      guard one == 1 else { return nil }
      let (low, high) = (Double(information.min_value), Double(information.max_value))
      let middle = Double(information.default_value)
      return FontAxis(
        tag: FontTag(value: information.tag), range: min(low, middle)...max(high, middle), defaultValue: middle)
    }
  }

  func namedInstances(_ axes: [FontAxis]) -> [FontInstance] {
    if axes.isEmpty { return [] }
    let count = min(hb_ot_var_get_named_instance_count(face), UInt32(Self.mostInstances))
    return (0..<count).map { index in
      var coordinates = [Float](repeating: 0, count: axes.count)
      var length = UInt32(axes.count)
      hb_ot_var_named_instance_get_design_coords(face, index, &length, &coordinates)
      let name = name(hb_ot_var_named_instance_get_subfamily_name_id(face, index))
      return FontInstance(
        name: name, variations: zip(axes, coordinates).map { FontVariation($0.tag, $0.value(Double($1))) })
    }
  }

  /// A text of the font's table of names, in English.
  private func name(_ id: hb_ot_name_id_t) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { memory in
      guard let base = memory.baseAddress else { return "" }
      var length = UInt32(memory.count)
      // It ends in a zero, also where it was cut.
      hb_ot_name_get_utf8(face, id, hb_language_from_string("en", -1), &length, base)
      return length == 0 ? "" : String(cString: base)
    }
  }
}
