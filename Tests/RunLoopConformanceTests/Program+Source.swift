import LoopTestSupport
import RunLoops

extension Program {
  /// The program as the source text of a scenario for the table.
  ///
  /// - Parameter words: the words that CoreFoundation writes.
  func scenario(_ meaning: String, gives words: [String]) -> String {
    var lines: [String] = []
    for mode in Program.modes where uses(mode) {
      lines.append("s.observe(in: \"\(mode)\")")
      if hasAnchors { lines.append("s.timer(\".anchor of \(mode)\", at: Stage.never, in: \"\(mode)\")") }
    }
    for item in items where uses(item.name) { lines += declaration(of: item) }
    lines += script.flatMap(lines(of:))
    let body = lines.map { "  \($0)" }.joined(separator: "\n")
    return "Scenario([], \"\(meaning)\", gives: \"\(words.joined(separator: " "))\") { s in\n\(body)\n},"
  }

  private func declaration(of item: Item) -> [String] {
    let head: String
    switch item.kind {
    case .source(let order): head = "s.source(\"\(item.name)\", order: \(order), in: nil)"
    case .descriptor: head = "s.descriptor(\"\(item.name)\", in: nil)"
    case .observer(let activities, let order, let repeats):
      head = "s.observer(\"\(item.name)\", [\(activities.names)], order: \(order), repeats: \(repeats), in: nil)"
    case .timer(let isDue, let repeats):
      let time = isDue && hasAnchors ? "s.overdue" : "Stage.never"
      head = "s.timer(\"\(item.name)\", at: \(time), every: \(repeats ? "Stage.never" : "0"), in: nil)"
    }
    guard item.calls.contains(where: { !$0.isEmpty }) else { return [head] }
    var lines = ["\(head) { s in"]
    for (index, call) in item.calls.enumerated() where !call.isEmpty {
      lines.append("  if s.count(\"\(item.name)\") == \(index + 1) {")
      lines += call.flatMap(self.lines(of:)).map { "    \($0)" }
      lines.append("  }")
    }
    return lines + ["}"]
  }

  private func lines(of operation: Operation) -> [String] {
    switch operation {
    case .add(let name, let mode): ["s.add(\"\(name)\", to: \"\(mode)\")"]
    case .remove(let name, let mode): ["s.remove(\"\(name)\", from: \"\(mode)\")"]
    case .invalidate(let name): ["s.invalidate(\"\(name)\")"]
    case .signal(let name): ["s.signal(\"\(name)\")"]
    case .post(let name): ["s.post(\"\(name)\")"]
    case .fire(let name): ["s.move(\"\(name)\", to: s.overdue)"]
    case .park(let name): ["s.move(\"\(name)\", to: Stage.never)"]
    case .block(let name, let modes, let body):
      if body.isEmpty {
        ["s.block(\"\(name)\", in: \(modes))"]
      } else {
        ["s.block(\"\(name)\", in: \(modes)) { s in"] + body.flatMap(lines(of:)).map { "  \($0)" } + ["}"]
      }
    case .run(let mode, let length, let returns):
      [
        "s.run(\"\(mode)\", for: \(Int(length.milliseconds(idlesToLimit: true)))"
          + (returns ? ", returnAfterSourceHandled: true)" : ")")
      ]
    case .stop: ["s.stop()"]
    case .wakeUp: ["s.wakeUp()"]
    case .addCommonMode(let mode): ["s.addCommonMode(\"\(mode)\")"]
    case .look(let name, let mode): ["s.look(\"\(name)\", in: \"\(mode)\")"]
    }
  }

  /// True if an operation names this item or mode.
  private func uses(_ name: String) -> Bool {
    func isNamed(in operations: [Operation]) -> Bool {
      operations.contains { operation in
        switch operation {
        case .add(let item, let mode), .remove(let item, let mode), .look(let item, let mode): item == name || mode == name
        case .invalidate(let item), .signal(let item), .post(let item), .fire(let item), .park(let item): item == name
        case .block(_, let modes, let body): modes.contains(name) || isNamed(in: body)
        case .run(let mode, _, _), .addCommonMode(let mode): mode == name
        case .stop, .wakeUp: false
        }
      }
    }
    return isNamed(in: script) || items.contains { item in item.calls.contains { isNamed(in: $0) } }
  }
}

extension FrameLoop.Activity {
  fileprivate var names: String {
    let all: [(FrameLoop.Activity, String)] = [
      (.entry, ".entry"), (.beforeTimers, ".beforeTimers"), (.beforeSources, ".beforeSources"),
      (.beforeWaiting, ".beforeWaiting"), (.afterWaiting, ".afterWaiting"), (.exit, ".exit"),
    ]
    return all.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
  }
}
