import Framepace
import Glibc
import Input
import KMS

/// Layers that move from round to round, are turned, masked and lie over each other: what a finger hits is what the screen shows there.
@MainActor
func inputHits(_ touches: Int) throws {
  @MainActor
  final class Told: Responder {
    static var found: UInt32?
    let colour: UInt32
    init(_ colour: UInt32) { self.colour = colour }
    override func touchBegan(_ touch: Touch) { Self.found = colour }
  }
  let stage = try TouchStage()
  var random = SystemRandomNumberGenerator()
  func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
  var colours: Set<UInt32> = []
  func make(_ colour: UInt32, _ frame: Rect) -> Layer {
    let layer = Layer(frame: frame)
    layer.backgroundColor = Color(hex: colour)
    layer.responder = Told(colour)
    colours.insert(colour)
    return layer
  }
  let size = stage.root.bounds.size
  stage.root.backgroundColor = Color(hex: 0x10_10_10)
  stage.root.responder = Told(0x10_10_10)
  colours.insert(0x10_10_10)
  var layers: [Layer] = []
  for index in 0..<12 as Range<UInt32> {
    let layer = make(0x20_0000 + index * 0x10_0808, Rect(x: 0, y: 0, width: size.width / 4, height: size.height / 4))
    let inner = make(0x00_2010 + index * 0x08_1008, Rect(x: 20, y: 10, width: size.width / 5, height: size.height / 5))
    layer.addSublayer(inner)
    switch index % 3 {
    case 0: (layer.cornerRadius, layer.masksToBounds) = (30, true)
    case 1:
      let mask = Layer(frame: layer.bounds.insetBy(dx: 15, dy: 25))
      mask.backgroundColor = .black
      layer.mask = mask
    default: break
    }
    stage.root.addSublayer(layer)
    layers.append(layer)
  }
  var frames = 0
  stage.engine.output.observe { if case .presented = $0 { frames += 1 } }.keep()

  var (hits, wrong, mixed) = (0, 0, 0)
  for round in 0..<10 {
    Transaction.withoutActions {
      for layer in layers {
        layer.position = Point(number(0...size.width), number(0...size.height))
        layer.affineTransform = Affine.rotation(number(-3.1...3.1)).concatenating(.scale(number(0.5...1.5)))
      }
    }
    let before = frames
    stage.run("round \(round) is not shown") { frames > before && !stage.engine.output.wantsFrame }
    for _ in 0..<touches / 10 {
      let (x, y) = (
        Int.random(in: 1..<stage.width - 1, using: &random), Int.random(in: 1..<stage.height - 1, using: &random)
      )
      // Edges are smooth: a pixel whose neighbours differ may mix two layers.
      let shown = withScannedOut(stage.display) { pixels, bytesPerRow -> UInt32? in
        func pixel(_ x: Int, _ y: Int) -> UInt32 {
          pixels.load(fromByteOffset: y * bytesPerRow + 4 * x, as: UInt32.self) & 0xFF_FFFF
        }
        let own = pixel(x, y)
        let isEven = (-1...1).allSatisfy { row in (-1...1).allSatisfy { pixel(x + $0, y + row) == own } }
        return isEven && colours.contains(own) ? own : nil
      }
      guard case let expected?? = shown else {
        mixed += 1
        continue
      }
      Told.found = nil
      stage.down(x: x, y: y)
      stage.run("the touch at \(x) \(y) hits nothing") { Told.found != nil }
      if Told.found != expected {
        wrong += 1
        Guest.say("at \(x) \(y) \(Told.found ?? 0) is hit, not \(expected)")
      }
      hits += 1
      stage.up()
    }
  }
  Guest.expect(wrong == 0 && hits > touches / 2, "\(wrong) of \(hits) touches hit another layer than is seen")
  Guest.say("\(hits) touches hit what is seen, \(mixed) pixels at edges left out")
  stage.end()
}
