/// The names of what shapes and gradients have, for `Layer.actions`.
extension AnimatableProperty {
  public static let path = AnimatableProperty(rawValue: "path")
  public static let fillColor = AnimatableProperty(rawValue: "fillColor")
  public static let strokeColor = AnimatableProperty(rawValue: "strokeColor")
  public static let fillGradient = AnimatableProperty(rawValue: "fillGradient")
  public static let strokeGradient = AnimatableProperty(rawValue: "strokeGradient")
  public static let strokeStart = AnimatableProperty(rawValue: "strokeStart")
  public static let strokeEnd = AnimatableProperty(rawValue: "strokeEnd")

  public static let colors = AnimatableProperty(rawValue: "colors")
  public static let locations = AnimatableProperty(rawValue: "locations")
  public static let startPoint = AnimatableProperty(rawValue: "startPoint")
  public static let endPoint = AnimatableProperty(rawValue: "endPoint")
}
