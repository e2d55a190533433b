import Geometry
import Interaction
import LinuxSystem
import Testing

/// Contacts in time, and the states of a machine after each, as text:
///
///     0.000 down 1 10 10  → possible
///     0.016 move 1 25 10  → began translation 5 0
///     0.100 pass          → began
///     0.200 up 1          → ended      # at the last place, unless another one is told
///     0.300 cancel 1      → ended
///     0.400 reset         → possible
///
/// Times are seconds. Lines without an arrow expect nothing. After the state may come names of values with their numbers.
struct GestureScript {
  enum Step {
    case contact(Contact)
    case pass(MonotonicTime)
    case reset
  }

  struct Line {
    var number: Int
    var text: String
    var step: Step
    var state: GestureState?
    var values: [(name: String, numbers: [Double])]
  }

  struct SyntaxError: Error, CustomStringConvertible {
    var description: String
  }

  private(set) var lines: [Line] = []

  init(_ text: String) throws {
    var places: [UInt32: Point] = [:]
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let code = line.prefix { $0 != "#" }
      var words = code.split(separator: " ")[...]
      if words.isEmpty { continue }
      func fail(_ expected: String) -> SyntaxError {
        let found = words.first ?? "the end of the line"
        return SyntaxError(description: "line \(index + 1): expected \(expected), found \"\(found)\"")
      }
      func number(_ expected: String) throws -> Double {
        guard let word = words.first, let number = Double(word) else { throw fail(expected) }
        words.removeFirst()
        return number
      }
      let time = MonotonicTime(nanoseconds: Nanoseconds.seconds(try number("seconds")).count)
      let step: Step
      guard let verb = words.first, ["pass", "reset", "down", "move", "up", "cancel"].contains(verb) else {
        throw fail("what happens")
      }
      words.removeFirst()
      switch verb {
      case "pass": step = .pass(time)
      case "reset": step = .reset
      default:
        guard let finger = words.first.flatMap({ UInt32($0) }) else { throw fail("a finger") }
        words.removeFirst()
        var place = places[finger] ?? .zero
        if verb == "down" || verb == "move" || words.first.flatMap({ Double($0) }) != nil {
          place = Point(try number("x"), try number("y"))
        }
        places[finger] = place
        let phase: Contact.Phase = verb == "down" ? .began : verb == "move" ? .moved : verb == "up" ? .ended : .cancelled
        step = .contact(Contact(id: Contact.ID(rawValue: finger), phase: phase, time: time, location: place))
      }
      var state: GestureState?
      var values: [(name: String, numbers: [Double])] = []
      if !words.isEmpty {
        guard words.first == "→" else { throw fail("an arrow") }
        words.removeFirst()
        guard let expected = words.first.flatMap({ GestureState(rawValue: String($0)) }) else { throw fail("a state") }
        words.removeFirst()
        state = expected
        while let name = words.popFirst() {
          var numbers: [Double] = []
          while let word = words.first, let number = Double(word) {
            numbers.append(number)
            words.removeFirst()
          }
          if numbers.isEmpty { throw fail("numbers of \(name)") }
          values.append((String(name), numbers))
        }
      }
      let line = Line(number: index + 1, text: String(line), step: step, state: state, values: values)
      lines.append(line)
    }
  }

  /// How a machine is told of the time besides.
  enum Clock: CaseIterable {
    /// Only by the script.
    case none
    /// At each deadline, as by a timer that is exact.
    case timer
    /// Before each contact.
    case always
  }

  /// Plays the script, and expects its states and values.
  func play<Machine: GestureMachine>(on machine: Machine, clock: Clock, values: (Machine) -> [String: [Double]]) {
    var machine = machine
    for line in lines {
      if case .contact(let contact) = line.step {
        if clock == .timer, let deadline = machine.deadline, deadline <= contact.time { machine.pass(deadline) }
        if clock == .always { machine.pass(contact.time) }
      }
      switch line.step {
      case .contact(let contact): machine.handle(contact)
      case .pass(let time): machine.pass(time)
      case .reset: machine.reset()
      }
      guard let state = line.state else { continue }
      #expect(machine.state == state, "line \(line.number): \(line.text) (clock: \(clock))")
      let found = values(machine)
      for (name, numbers) in line.values {
        let isClose =
          found[name].map { found in
            found.count == numbers.count && zip(found, numbers).allSatisfy { abs($0 - $1) <= 1e-6 * max(1, abs($1)) }
          } ?? false
        let foundText = found[name].map { "\($0)" } ?? "none"
        #expect(isClose, "line \(line.number): \(line.text), found \(name) \(foundText) (clock: \(clock))")
      }
    }
  }
}

/// A script for a machine.
struct GestureCase<Machine: GestureMachine>: Sendable, CustomTestStringConvertible {
  var name: String
  var machine: Machine
  var script: String

  init(_ name: String, _ machine: Machine, _ script: String) {
    (self.name, self.machine, self.script) = (name, machine, script)
  }

  var testDescription: String { name }

  func run(values: (Machine) -> [String: [Double]] = { _ in [:] }) throws {
    let script = try GestureScript(script)
    for clock in GestureScript.Clock.allCases { script.play(on: machine, clock: clock, values: values) }
  }
}
