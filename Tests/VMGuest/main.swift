// Runs one test in the virtual machine, which the first argument names. Tests/VM/kms starts it.
import Glibc

let arguments = Array(CommandLine.arguments.dropFirst())

func number(_ index: Int) -> Int {
  guard arguments.indices.contains(index), let value = Int(arguments[index]) else {
    print("argument \(index) is to be a number")
    exit(64)
  }
  return value
}

func argument(_ index: Int) -> String {
  guard arguments.indices.contains(index) else {
    print("argument \(index) is missing")
    exit(64)
  }
  return arguments[index]
}

@MainActor
func attempt(_ test: () throws -> Void) {
  do { try test() } catch { Guest.expect(false, "\(error)") }
}

/// The name for storing the last frame.
let dumpName = arguments.firstIndex(of: "dump").flatMap { arguments.dropFirst($0 + 1).first }

switch arguments.first {
case "vblanks":
  vblanks(number(1), old: arguments.contains("old"), mode: arguments.dropFirst(2).first { $0 != "old" })
case "latency": attempt { try latency(number(1)) }
case "misses": attempt { try misses(argument(1), frames: number(2), mode: argument(3)) }
case "events": attempt { try events(argument(1), frames: number(2), mode: argument(3)) }
case "frames":
  frames(number(1), legacy: arguments.contains("legacy"), old: arguments.contains("old"), dump: dumpName)
case "scene": attempt { try scene(argument(1), frames: number(2), dump: dumpName) }
case "hold": hold()
case "leave": leave(arguments.dropFirst().first)
case "die": attempt { try die(argument(1), withCursor: arguments.contains("cursor")) }
case "no-cursor": attempt { try noCursor() }
case "returns":
  guard let trouble = Trouble(rawValue: arguments.dropFirst().first ?? "") else {
    print("a trouble is one of \(Trouble.allCases.map(\.rawValue))")
    exit(64)
  }
  returns(trouble, dump: dumpName)
case "mirror": attempt { try mirror() }
case "spin": spin(milliseconds: number(1))
case "open": opening()
case "reopen": attempt { try reopen(number(1)) }
case "abandon": abandon()
case "leftovers": attempt { try leftovers() }
case "cursor":
  attempt { try cursor(isExpected: !arguments.contains("none"), legacy: arguments.contains("legacy")) }
case "rotations": attempt { try rotations() }
case "busy": busy()
case "seat-direct": seatDirect()
case "seat-switch": attempt { try seatSwitch() }
case "uevents": attempt { try uevents() }
case "input-touches": attempt { try inputTouches(number(1)) }
case "input-kinds": attempt { try inputKinds() }
case "input-hotplug": attempt { try inputHotplug(number(1)) }
case "input-none": attempt { try inputNone() }
case "input-overflow": attempt { try inputOverflow() }
case "input-record": attempt { try inputRecord(arguments.dropFirst().first ?? "") }
case "input-seat": attempt { try inputSeat() }
case "input-typed": attempt { try inputTyped() }
case "input-scroll": attempt { try inputScroll() }
case "input-hits": attempt { try inputHits(number(1)) }
case "input-latency": attempt { try inputLatency(number(1)) }
case "input-switch": attempt { try inputSwitch() }
default:
  print(
    """
    vm-guest vblanks N [MODE] [old]|latency N|misses SCENE N MODE|events SCENE N MODE|
             frames N [legacy] [old] [dump NAME]|scene NAME N [dump NAME]|hold|leave [invalidate|elsewhere]|
             die exit|segv|abort|trap|term|int|thread|kill [cursor]|returns TROUBLE [dump NAME]|mirror|spin MS|open|reopen N|abandon|
             leftovers|cursor [none] [legacy]|no-cursor|rotations|busy|seat-switch|seat-direct|uevents|
             input-touches N|input-kinds|input-hotplug N|input-none|input-overflow|input-record|input-seat|input-typed
    """)
  exit(64)
}
Guest.finish()
