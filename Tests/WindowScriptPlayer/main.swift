import Glibc
import WindowScripts

// window-scripts COUNT SEED: plays COUNT random scripts of windows on a compositor, of SEED, SEED + 1 and so on.
let arguments = CommandLine.arguments.dropFirst().map { UInt64($0) }
guard arguments.count == 2, let count = arguments[0], let first = arguments[1] else {
  print("window-scripts: expected the number of scripts and the first seed")
  exit(2)
}
var failed = 0
for number in 0..<count {
  let seed = first &+ number
  do {
    try WindowScript.play(seed)
  } catch {
    failed += 1
    print("FAILED seed \(seed): \(error)")
  }
  if (number + 1) % 1000 == 0, failed == 0 { print("ok \(number + 1) scripts") }
  fflush(nil)
}
exit(failed == 0 ? 0 : 1)
