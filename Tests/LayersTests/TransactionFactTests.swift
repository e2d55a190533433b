import LinuxSystem
import XCTest

@testable import Layers

/// Runs the cases of `Facts/cases.json` that need the main thread.
@preconcurrency @MainActor final class TransactionFactTests: XCTestCase {
  /// Settings that are read back.
  func testTransactions() {
    for fact in FactCase.all("transaction") {
      for operation in fact.in["ops"].array ?? [] {
        let words = operation.array ?? []
        switch words.first?.text {
        case "begin": Transaction.begin()
        case "commit": Transaction.commit()
        case "set": set(words[1].text ?? "", words[2])
        default: XCTAssertTrue(isSet(words[1].text ?? "", words[2]), "\(fact.id): \(words)")
        }
      }
    }
  }

  /// The order of callbacks.
  func testEvents() {
    for fact in FactCase.all("events") {
      var script = EventScript()
      for line in fact.in["script"].array ?? [] { script.run(line.text ?? "") }
      XCTAssertEqual(script.log.entries, fact.out.array?.compactMap(\.text), "\(fact.id)")
    }
  }
}

@MainActor
private func set(_ name: String, _ value: JSONValue) {
  switch name {
  case "animationDuration": Transaction.animationDuration = .seconds(value.number ?? 0)
  case "disableActions": Transaction.disablesActions = value.bool ?? false
  case "animationTimingFunction": Transaction.animationTimingFunction = value.text.flatMap(TimingFunction.init(named:))
  default: Transaction[TransactionKey(name, default: "")] = "\(value)"
  }
}

@MainActor
private func isSet(_ name: String, _ value: JSONValue) -> Bool {
  switch name {
  case "animationDuration": Transaction.animationDuration == .seconds(value.number ?? 0)
  case "disableActions": Transaction.disablesActions == value.bool
  case "animationTimingFunction": Transaction.animationTimingFunction == value.text.flatMap(TimingFunction.init(named:))
  default: Transaction[TransactionKey(name, default: "")] == "\(value)"
  }
}

/// Transactions and animations of one layer, written down as lines.
@MainActor
private struct EventScript {
  let log = Log()
  private let stage = Stage()
  private var layer: Layer

  init() {
    layer = Layer()
    stage.root.addSublayer(layer)
    stage.turn()
  }

  mutating func run(_ line: String) {
    let words = line.split(separator: " ").map(String.init)
    let name = words.last ?? ""
    switch words.first {
    case "begin": Transaction.begin()
    case "commit": Transaction.commit()
    case "completion": Transaction.setCompletion { [log] in log.append(name) }
    case "note": log.append(name)
    case "layer": layer = Layer()
    case "leave": layer.removeFromSuperlayer()
    case "remove": layer.removeAnimation(forKey: name)
    case "add":
      let name = words[1]
      var animation = BasicAnimation(.opacity, to: 0, duration: .seconds(Double(words[2]) ?? 0))
      animation.didStart = { [log] in log.append("start\(name)") }
      animation.completion = { [log] in log.append("stop\(name):\($0 ? 1 : 0)") }
      layer.add(animation, forKey: name)
    case "run":
      stage.turn()
      if words.count == 1 { for _ in 0..<10 { stage.turn(after: 50) } }
    default: XCTFail(line)
    }
  }
}
