import CFatalSignals
import Glibc
import LinuxSystem
import RunLoops
import Synchronization

// usage: dying CASE [REPORT]: a process with a loop that dies, or does not, in one of many ways. Prints what its loop did then.

func say(_ line: String) {
  print(line)
  fflush(nil)
}

/// Reads an address that is not mapped.
@inline(never)
func access() {
  let nowhere = UnsafeRawPointer(bitPattern: 0x10)
  say("read \(nowhere.map { $0.load(as: Int.self) } ?? 0)")
}

@inline(never)
func trap(_ limit: Int) {
  precondition(limit > Int(getpid()), "a trap")
}

/// The frames of the painter's stack, once there are any.
let frameCount = Atomic<UInt32>(0)
nonisolated(unsafe) let frames = UnsafeMutablePointer<UInt64>.allocate(capacity: 64)  // Written before `frameCount` is.
let isSpinning = Atomic<Bool>(false)

enum Spinning {
  /// Runs until its stack has been walked.
  static let body: @convention(c) () -> Void = { while frameCount.load(ordering: .acquiring) == 0 {} }
}

/// Walks the stack of a thread that has done no wrong, as a monitor of hangs does.
func walk() {
  var action = sigaction()
  action.sa_flags = SA_SIGINFO
  action.__sigaction_handler.sa_sigaction = { _, _, context in
    if let context { frameCount.store(cfatal_walk(context, frames, 64), ordering: .releasing) }
  }
  sigaction(SIGUSR1, &action, nil)
  // A thread of its own: those of loops block signals. The parent process may have blocked them too.
  var thread = pthread_t()
  pthread_create(
    &thread, nil,
    { _ in
      var signals = sigset_t()
      sigaddset(&signals, SIGUSR1)
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      isSpinning.store(true, ordering: .releasing)
      Spinning.body()
      // Something to come back for, or the compiler makes the call a jump, without a frame.
      isSpinning.store(false, ordering: .releasing)
      return nil
    }, nil)
  while !isSpinning.load(ordering: .acquiring) { sched_yield() }
  pthread_kill(thread, SIGUSR1)
  while frameCount.load(ordering: .acquiring) == 0 { sched_yield() }
  let start = UInt64(UInt(bitPattern: unsafeBitCast(Spinning.body, to: UnsafeRawPointer.self)))
  let found = UnsafeBufferPointer(start: frames, count: Int(frameCount.load(ordering: .acquiring)))
  say("\(found.count > 1 && found.contains { $0 >= start && $0 < start + 4096 })")
}

/// The handler that was installed before the source.
func handleForSomebodyElse(
  _ signal: Int32, _ information: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeMutableRawPointer?
) {
  guard let information = information?.pointee else { exit(71) }
  let address = information._sifields._sigfault.si_addr
  say("code \(information.si_code), address \(UInt(bitPattern: address))")
  exit(0)
}

/// Has a thread called "painter" fault.
@MainActor
func fault(_ body: @escaping @Sendable () -> Void) throws {
  let thread = try LoopThread(name: "painter")
  painters.append(thread)
  thread.loop.perform { body() }
  thread.loop.wakeUp()
}

let arguments = CommandLine.arguments
guard arguments.count >= 2 else { exit(64) }
let name = arguments[1]
let loop = FrameLoop.main
let isPatient = ["finish", "loop-faults-too"].contains(name)

// A thread ends with its last owner.
var painters: [LoopThread] = []
var turns = 0
var watch: FatalSignalSource?
let turning = FrameLoop.Timer(
  fireTime: .distantFuture, interval: .milliseconds(10),
  .onMain { _ in
    turns += 1
    if turns == 3 { say("three turns") }
    if name == "finish", turns == 5 { watch?.finish() }
  })
loop.add(turning, to: .common)
// A process that lives on is a failure too.
let end = FrameLoop.Timer(fireTime: loop.clock.now + .seconds(30), .onMain { _ in exit(70) })
loop.add(end, to: .common)

if name == "chained" {
  var action = sigaction()
  action.sa_flags = SA_SIGINFO
  action.__sigaction_handler.sa_sigaction = handleForSomebodyElse
  sigaction(SIGSEGV, &action, nil)
}

let source = try FatalSignalSource(
  signals: name == "named-often" ? Array(repeating: SIGSEGV, count: 200) : FatalSignalSource.faults,
  // The long patience is never waited out: the test would wait too.
  patience: isPatient ? .seconds(10) : .milliseconds(200),
  report: arguments.count > 2 ? .file(arguments[2]) : .none,
  .onMain { fault in
    say("\(fault.signalName) of \(fault.threadName)")
    turning.nextFireTime = loop.clock.now
    if name == "loop-faults-too" { access() }
  })
watch = source
loop.add(source, to: .common)

switch name {
case "access", "finish", "chained", "named-often": try fault { access() }
case "trap": try fault { trap(0) }
case "abort", "loop-faults-too": try fault { abort() }
case "raise": try fault { raise(SIGBUS) }
case "two":
  try fault { access() }
  try fault { access() }
case "loop": loop.perform(onMain: { access() })
case "stuck":
  loop.perform(onMain: {
    try? fault { access() }
    while true {}
  })
case "invalidated":
  source.invalidate()
  // The helper process has been waited for.
  say(waitpid(-1, nil, WNOHANG) == -1 ? "no child" : "a child is left")
  try fault { access() }
case "second-is-refused":
  do {
    _ = try FatalSignalSource(.onLoop { _ in })
  } catch {
    say("\(error)")
  }
  try fault { access() }
case "not-handleable":
  source.invalidate()
  // The C library reserves 32.
  for signals: [Int32] in [[SIGSEGV, SIGKILL], [32], [65], []] {
    do {
      _ = try FatalSignalSource(signals: signals, report: .none, .onLoop { _ in })
    } catch {
      say("\(error)")
    }
  }
  try FatalSignalSource(report: .none, .onLoop { _ in }).invalidate()
  exit(0)
case "walk":
  source.invalidate()
  walk()
  exit(0)
case "released":
  watch = nil
  exit(0)
default: exit(64)
}
loop.run()
