internal import CLCMS
internal import Raster

/// A conversion of rows of pixels from an embedded profile to sRGB, by Little CMS. One thread at a time may use it.
final class ColorConversion {
  /// How pixels come.
  enum Source {
    /// The bytes B, G, R, A.
    case color
    /// The same, all three of the same value.
    case grey
    /// The bytes C, M, Y, K, 255 for full ink.
    case inks
  }

  private let context: cmsContext
  private let transform: cmsHTRANSFORM

  /// Nil if the profile is damaged, for other colours than these or has a pipeline of processing elements, so that pixels are
  /// taken as sRGB; and if they are sRGB.
  convenience init?(profile: UnsafeRawBufferPointer, source: Source) {
    guard !profile.isEmpty, let bytes = profile.baseAddress, let size = UInt32(exactly: profile.count) else { return nil }
    self.init(source: source) { cmsOpenProfileFromMemTHR($0, bytes, size) }
  }

  /// - Parameter open: makes the profile.
  init?(source: Source, open: (cmsContext) -> cmsHPROFILE?) {
    guard let context = cmsCreateContext(nil, nil) else { return nil }
    var isKept = false
    defer { if !isKept { cmsDeleteContext(context) } }
    guard let profile = open(context) else { return nil }
    defer { cmsCloseProfile(profile) }
    // Pipelines of any number of stages, which may share their data: a few bytes can ask for minutes of work.
    let pipelines = [cmsSigDToB0Tag, cmsSigDToB1Tag, cmsSigDToB2Tag, cmsSigDToB3Tag]
    guard pipelines.allSatisfy({ cmsIsTag(profile, $0) == 0 }) else { return nil }
    let form: cmsUInt32Number
    switch (cmsGetColorSpace(profile), source) {
    case (cmsSigRgbData, .color), (cmsSigRgbData, .grey): form = clcms_bgra_8
    case (cmsSigGrayData, .grey): form = clcms_grey_in_4_bytes
    case (cmsSigCmykData, .inks): form = clcms_cmyk_8
    default: return nil
    }
    guard let target = cmsCreate_sRGBProfileTHR(context) else { return nil }
    defer { cmsCloseProfile(target) }
    guard
      let transform = cmsCreateTransformTHR(
        context, profile, form, target, clcms_bgra_8, cmsUInt32Number(INTENT_PERCEPTUAL), 0)
    else { return nil }
    (self.context, self.transform) = (context, transform)
    isKept = true
    if form == clcms_bgra_8, changesNothing() { return nil }
  }

  /// How values become light.
  enum Curve: Equatable {
    case sRGB
    case power(Double)
  }

  /// From colours that a file states without a profile; nil if they are sRGB's, or no colours.
  convenience init?(source: Source, curve: Curve, primaries: PNGReader.Primaries) {
    self.init(source: source) { context in
      let tone =
        switch curve {
        case .sRGB: cmsBuildParametricToneCurve(context, 4, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
        case .power(let exponent): cmsBuildGamma(context, exponent)
        }
      guard let tone else { return nil }
      defer { cmsFreeToneCurve(tone) }
      func point(_ place: SIMD2<Double>) -> cmsCIExyY { cmsCIExyY(x: place.x, y: place.y, Y: 1) }
      var white = point(primaries.white)
      var colors = cmsCIExyYTRIPLE(Red: point(primaries.red), Green: point(primaries.green), Blue: point(primaries.blue))
      return cmsCreateRGBProfileTHR(context, &white, &colors, [tone, tone, tone])
    }
  }

  deinit {
    cmsDeleteTransform(transform)
    cmsDeleteContext(context)
  }

  /// Converts pixels to B, G, R, A. The fourth byte stays as it is: alpha, but the fourth ink where inks come.
  func convert(_ pixels: UnsafeMutablePointer<UInt32>, count: Int) {
    cmsDoTransform(transform, pixels, pixels, cmsUInt32Number(count))
  }

  /// True if 9 steps of each colour come out as they went in, but for one step of 255: most profiles of files say sRGB.
  private func changesNothing() -> Bool {
    let levels: [UInt32] = [0, 32, 64, 96, 128, 160, 192, 224, 255]
    let colors = levels.flatMap { red in levels.flatMap { green in levels.map { red << 16 | green << 8 | $0 } } }
    var converted = colors
    converted.withUnsafeMutableBufferPointer { if let base = $0.baseAddress { convert(base, count: $0.count) } }
    return zip(colors, converted).allSatisfy { before, after in
      [0, 8, 16].allSatisfy { abs(Int(before >> $0 & 0xFF) - Int(after >> $0 & 0xFF)) <= 1 }
    }
  }
}
