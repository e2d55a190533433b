// What is tested in the virtual machine, one test a command. Run by Tests/VM/kms.
import Glibc

let arguments = Array(CommandLine.arguments.dropFirst())

func number(_ index: Int) -> Int {
  guard arguments.indices.contains(index), let value = Int(arguments[index]) else {
    print("argument \(index) is to be a number")
    exit(64)
  }
  return value
}

/// The name under which the last frame is to be kept.
let dumpName = arguments.firstIndex(of: "dump").flatMap { arguments.dropFirst($0 + 1).first }

switch arguments.first {
case "list": list()
case "vblanks": vblanks(number(1), old: arguments.contains("old"))
case "frames":
  frames(number(1), legacy: arguments.contains("legacy"), old: arguments.contains("old"), dump: dumpName)
case "scene":
  do { try scene(arguments.dropFirst().first ?? "", frames: number(2), dump: dumpName) } catch {
    Guest.expect(false, "\(error)")
  }
case "hold": hold()
case "leave": leave(invalidating: arguments.contains("invalidate"))
case "die": die(arguments.dropFirst().first ?? "")
case "returns":
  guard let trouble = Trouble(rawValue: arguments.dropFirst().first ?? "") else {
    print("a trouble is one of \(Trouble.allCases.map(\.rawValue))")
    exit(64)
  }
  returns(trouble, dump: dumpName)
case "mirror": do { try mirror() } catch { Guest.expect(false, "\(error)") }
case "spin": spin(milliseconds: number(1))
case "open": opening()
case "abandon": abandon()
case "leftovers": do { try leftovers() } catch { Guest.expect(false, "\(error)") }
case "busy": busy()
case "seat-switch": do { try seatSwitch() } catch { Guest.expect(false, "\(error)") }
case "uevents": do { try uevents() } catch { Guest.expect(false, "\(error)") }
default:
  print(
    """
    vm-guest list|vblanks N [old]|frames N [legacy] [old] [dump NAME]|scene NAME N [dump NAME]|hold|leave [invalidate]|
             die exit|segv|abort|trap|term|int|thread|kill|returns TROUBLE [dump NAME]|mirror|spin MS|open|abandon|leftovers|busy|
             seat-switch|uevents
    """)
  exit(64)
}
Guest.finish()
