import Framepace
import FramepaceTesting
import Layers
import TestLength
import XCTest

@testable import SceneText

/// No bytes crash the parser, and no scene the passes or the compositor: damaged text gives an error with a place in it, or is drawn.
final class SceneFuzzTests: XCTestCase {
  func testRandomBytesGiveErrors() {
    onMain {
      var random = SplitMix64(seed: UInt64(runSeed))
      let words = [
        "layer", "text", "shape", "{", "}", "bounds", "position", "0", "-1", "1e308", "nan", "infinity", "\"", "#", "#FFF",
        "*",
        "basic", "spring", "group", "keyframes", "values", "path", "move", "state", "stateTransition", "from", "to", "at",
        "1s",
        "size", "blending", "image", "data", "//", "\n", "rotate", "30deg", "font", "\\", ".state", "inState", "contents",
        "transform",
        "transition", "push", "record", "mask", "paragraph", "attributedText", "span", "baseFont", "fonts", "underline",
      ]
      for _ in 0..<(isLongRun ? 100_000 : 3000) {
        let count = Int.random(in: 0...60, using: &random)
        check(
          Int.random(in: 0..<2, using: &random) == 0
            ? (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            : Array((0..<count).map { _ in words.randomElement(using: &random) ?? "" }.joined(separator: " ").utf8))
      }
    }
  }

  func testMutatedScenesGiveErrorsOrScenes() throws {
    try onMain {
      let images = try RandomLayers.images(seed: 1, count: 2)
      let font = try SystemFonts.font(.regular, size: 11)
      let examples = try GrammarTests.examples()
      for seed in UInt64(runSeed)..<UInt64(runSeed + (isLongRun ? 40 : 10)) {
        var random = SplitMix64(seed: seed)
        let root = Layer(frame: Rect(x: 0, y: 0, width: 40, height: 30))
        let layers = RandomLayers(in: root, seed: seed, count: 6, images: images, font: font)
        for _ in 0..<20 { layers.edit() }
        // With transitions under way.
        let picture = Picture(root, width: 40, height: 30)
        for _ in 0..<3 {
          picture.commit(at: .zero + .seconds(1))
          layers.edit()
        }
        picture.commit(at: .zero + .seconds(1))
        let scene = try Scene.text(of: root, origin: .zero + .seconds(1))
        let bytes = Array(scene.utf8)
        for _ in 0..<100 { check(withOtherNumbers(scene, &random)) }
        for example in examples {
          for _ in 0..<5 { check(withOtherNumbers(example, &random)) }
        }
        for _ in 0..<100 {
          var changed = bytes
          for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = Int.random(in: 0..<changed.count, using: &random)
            let end = min(place + Int.random(in: 1...20, using: &random), changed.count)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: changed[place] = UInt8.random(in: 0...255, using: &random)
            case 1: changed.removeSubrange(place..<end)
            case 2: changed.insert(contentsOf: changed[place..<end], at: Int.random(in: 0...changed.count, using: &random))
            default: changed[place] = Array("0123456789{}\"-.# \n".utf8).randomElement(using: &random) ?? 0
            }
            if changed.isEmpty { changed = [0] }
          }
          check(changed)
        }
      }
    }
  }

  func testDepthIsLimited() {
    onMain {
      for begin in ["layer { ", "layer { group { ", "layer { state a { b { "] {
        let last = begin.split(separator: " ").dropLast().last ?? ""
        let text = begin + String(repeating: "\(last) { ", count: 100_000)
        XCTAssertNotNil(message(of: text), begin)
      }
      XCTAssertEqual(message(of: String(repeating: "layer { ", count: 100_000)), "more than 200 levels of braces")
    }
  }
}

@MainActor
private func message(of text: String) -> String? {
  do throws(SceneError) {
    _ = try Scene(text: text)
    return nil
  } catch {
    return error.message
  }
}

/// The text with some of its numbers and times replaced, mostly by extreme ones: most such texts are scenes.
private func withOtherNumbers(_ text: String, _ random: inout SplitMix64) -> [UInt8] {
  let extremes = ["0", "-1", "1e308", "-1e308", "1e9", "1e-300", "-0", "0.5", "3", "nan", "infinity", "-infinity"]
  let times = ["0s", "-1s", "1ns", "-9223372036s", "9223372036s", "infinity", "3s"]
  var words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
  func number(_ word: String) -> Substring { word.prefix { $0.isNumber || $0 == "-" || $0 == "." } }
  let places = words.indices.filter { Double(number(words[$0])) != nil }
  for _ in 0..<Int.random(in: 1...5, using: &random) {
    guard let place = places.randomElement(using: &random) else { continue }
    let rest = words[place].dropFirst(number(words[place]).count)
    let unit = rest.prefix { $0.isLetter }
    let isTime = ["s", "ms", "us", "ns"].contains(unit)
    let other = (isTime ? times : extremes).randomElement(using: &random) ?? ""
    words[place] = other + (isTime ? rest.dropFirst(unit.count) : rest)
  }
  return Array(words.joined(separator: " ").utf8)
}

@MainActor
private func check(_ bytes: [UInt8]) {
  do {
    let scene = try Scene(bytes, SceneResources(file: nil, folder: "."))
    let start = MonotonicTime.zero + .seconds(5)
    // A drawing may be as large as all memory.
    let isDrawn = pixels(in: scene.root) < 4e6
    let picture = isDrawn ? Picture(scene.root, width: 40, height: 30) : nil
    scene.start(at: start)
    for step in [0, 30, 1000] as [Int64] {
      let time = start + .milliseconds(step)
      scene.advance(to: time)
      picture?.commit(at: time)
      _ = picture?.bytes(at: time)
      look(at: scene.root)
    }
  } catch {
    let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
    if error.line.map({ $0 < 1 || $0 > lines }) ?? true || (error.column ?? 0) < 1 || error.message.isEmpty {
      XCTFail("\(error) in \(lines) lines\n\(String(decoding: bytes, as: UTF8.self))")
    }
  }
}

/// The pixels of all drawings in a layer.
@MainActor
private func pixels(in layer: Layer) -> Double {
  let inner = (layer.sublayers + [layer.mask].compactMap(\.self)).reduce(0) { $0 + pixels(in: $1) }
  guard layer is TextLayer || layer is ParagraphLayer || layer is ShapeLayer, !layer.bounds.isEmpty else { return inner }
  let scale = layer.contentsScale ?? 1
  let own = layer.bounds.width * layer.bounds.height * scale * scale
  return inner + (own.isNaN ? 0 : own)
}

@MainActor
private func look(at layer: Layer) {
  _ = layer.presentation(at: .zero + .seconds(7))
  for layer in layer.sublayers { look(at: layer) }
}
