import Testing

@testable import KMS

@Suite struct PipeResetTests {
  /// - Parameter blendModes: those that the object takes.
  private func object(_ id: UInt32, _ values: [String: UInt64], blendModes: [String: UInt64] = [:]) -> PipeReset.Object {
    // A property's id is made of its place among all names, so that a wrong one is seen.
    var properties: [String: DRMProperties.Property] = [:]
    for (name, value) in values {
      let names = name == "pixel blend mode" ? blendModes : [:]
      properties[name] = DRMProperties.Property(id: Self.id(of: name), value: value, names: names)
    }
    return PipeReset.Object(id: id, properties: DRMProperties(properties))
  }

  private static let names = [
    "GAMMA_LUT", "DEGAMMA_LUT", "CTM", "VRR_ENABLED", "rotation", "alpha", "FB_ID", "CRTC_ID", "SRC_W", "ACTIVE", "zpos",
    "MODE_ID", "HDR_OUTPUT_METADATA", "Colorspace", "max bpc", "pixel blend mode",
  ]
  private static func id(of name: String) -> UInt32 { UInt32(100 + (names.firstIndex(of: name) ?? -1)) }

  private func setting(_ object: UInt32, _ name: String, _ value: UInt64) -> PropertySetting {
    PropertySetting(object: object, property: Self.id(of: name), value: value)
  }

  @Test func whatIsNeutralOrMissingIsLeftAlone() {
    let reset = PipeReset(
      connector: object(50, [:]), crtc: object(31, ["ACTIVE": 1, "GAMMA_LUT": 0, "VRR_ENABLED": 0]),
      plane: object(40, ["FB_ID": 70, "CRTC_ID": 31, "rotation": 1, "alpha": 0xFFFF, "zpos": 0]), otherPlanes: [])
    #expect(reset.neutral == [])
    #expect(reset.found == [])
  }

  @Test func coloursRateAndRotation() {
    let reset = PipeReset(
      connector: object(50, [:]),
      crtc: object(31, ["ACTIVE": 1, "GAMMA_LUT": 9, "DEGAMMA_LUT": 8, "CTM": 7, "VRR_ENABLED": 1]),
      plane: object(40, ["FB_ID": 70, "rotation": 1 << 2, "alpha": 0x7FFF]), otherPlanes: [])
    #expect(
      reset.neutral == [
        setting(31, "GAMMA_LUT", 0), setting(31, "DEGAMMA_LUT", 0), setting(31, "CTM", 0), setting(31, "VRR_ENABLED", 0),
        setting(40, "rotation", 1), setting(40, "alpha", 0xFFFF),
      ])
    #expect(
      reset.found == [
        setting(31, "VRR_ENABLED", 1), setting(40, "rotation", 4), setting(40, "alpha", 0x7FFF),
      ])
  }

  /// An HDR desktop leaves a screen that expects its colours. How many bits go over the cable is left alone.
  @Test func aScreenIsToldOfPlainColours() {
    let reset = PipeReset(
      connector: object(50, ["HDR_OUTPUT_METADATA": 6, "Colorspace": 9, "max bpc": 10]), crtc: object(31, ["ACTIVE": 1]),
      plane: object(40, ["FB_ID": 70]), otherPlanes: [])
    #expect(reset.neutral == [setting(50, "HDR_OUTPUT_METADATA", 0), setting(50, "Colorspace", 0)])
    #expect(reset.found == [])
  }

  /// Our cursors are premultiplied. A driver that cannot blend so refuses every commit that asks for it.
  @Test func aCursorIsShownAsItIs() {
    func reset(_ cursor: PipeReset.Object) -> PipeReset {
      PipeReset(connector: object(50, [:]), crtc: object(31, [:]), plane: object(40, [:]), cursor: cursor, otherPlanes: [])
    }
    let values: [String: UInt64] = ["FB_ID": 71, "rotation": 1 << 1, "alpha": 0x8000, "pixel blend mode": 1]
    let both = reset(object(43, values, blendModes: ["Pre-multiplied": 0, "Coverage": 1]))
    #expect(
      both.neutral == [setting(43, "rotation", 1), setting(43, "alpha", 0xFFFF), setting(43, "pixel blend mode", 0)])
    #expect(
      both.found == [
        setting(43, "rotation", 2), setting(43, "alpha", 0x8000), setting(43, "pixel blend mode", 1),
        setting(43, "FB_ID", 71),
      ])
    let one = reset(object(43, ["pixel blend mode": 1], blendModes: ["Coverage": 1]))
    #expect(one.neutral == [])
    #expect(one.found == [])
    #expect(reset(object(43, ["alpha": 0xFFFF])).neutral == [])
  }

  /// A screen with a mode that is not active is dark again at the end.
  @Test func aBlankedScreenIsBlankedAgain() {
    func found(_ values: [String: UInt64]) -> [PropertySetting] {
      PipeReset(connector: object(50, [:]), crtc: object(31, values), plane: object(40, ["alpha": 7]), otherPlanes: []).found
    }
    #expect(found(["ACTIVE": 0, "MODE_ID": 5]) == [setting(40, "alpha", 7), setting(31, "ACTIVE", 0)])
    #expect(found(["ACTIVE": 1, "MODE_ID": 5]) == [setting(40, "alpha", 7)])
    #expect(found(["ACTIVE": 0, "MODE_ID": 0]) == [setting(40, "alpha", 7)])
  }

  /// A plane is switched off by no picture and no CRTC, both: the kernel refuses one alone.
  @Test func otherPlanesAreSwitchedOff() {
    let reset = PipeReset(
      connector: object(50, [:]), crtc: object(31, ["ACTIVE": 1]), plane: object(40, ["FB_ID": 70, "CRTC_ID": 31]),
      otherPlanes: [object(41, ["FB_ID": 71, "CRTC_ID": 31, "SRC_W": 64 << 16]), object(42, ["FB_ID": 72, "CRTC_ID": 31])])
    #expect(
      reset.neutral == [
        setting(41, "FB_ID", 0), setting(41, "CRTC_ID", 0), setting(42, "FB_ID", 0), setting(42, "CRTC_ID", 0),
      ])
    #expect(
      reset.found == [
        setting(41, "FB_ID", 71), setting(41, "CRTC_ID", 31), setting(42, "FB_ID", 72), setting(42, "CRTC_ID", 31),
      ])
  }
}
