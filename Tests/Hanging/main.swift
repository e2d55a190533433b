import CCairo
import Glibc
import Hangs
import LinuxSystem
import RunLoops
import Synchronization

// usage: hanging CASE FOLDER: a process whose main thread hangs in one of several ways. Its monitor writes reports to the folder.
// Prints the headline of each report, and at the end what the monitor counted.

/// The processor time of this thread, so that other programs do not make the work less.
func processorTime() -> Nanoseconds {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return .seconds(Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
}

/// Computes for some time, in itself.
@inline(never)
func spin(for time: Nanoseconds) -> UInt64 {
  let end = processorTime() + time
  var value: UInt64 = 1
  while processorTime() < end {
    var left = 5_000_000
    while left > 0 {
      value = value &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      left &-= 1
    }
  }
  return value
}

/// Waits in the kernel for some time.
/// - Returns: how often a sample's signal ended the wait.
@inline(never) @discardableResult
func block(for time: Nanoseconds) -> Int {
  let end = SystemClock.monotonic.now + time
  var interruptions = 0
  while true {
    let rest = end - SystemClock.monotonic.now
    guard rest > .zero else { return interruptions }
    if poll(nil, 0, Int32(rest.count / 1_000_000) + 1) < 0 { interruptions += 1 }
  }
}

/// Lets this thread and three others, which compute until the process ends, share a processor.
func shareProcessor() {
  // Swift's Glibc lacks the call.
  typealias SetAffinity = @convention(c) (pid_t, Int, UnsafePointer<UInt64>) -> Int32
  guard let call = dlsym(nil, "sched_setaffinity") else { exit(69) }
  let setAffinity = unsafeBitCast(call, to: SetAffinity.self)
  // The first one that the process may use. Threads that it makes later inherit it.
  let isShared = (0..<64).contains { number in
    var processors: UInt64 = 1 << UInt64(number)
    return setAffinity(0, 8, &processors) == 0
  }
  guard isShared else { exit(69) }
  for _ in 0..<3 {
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { _ in
        while true { _ = spin(for: .seconds(1)) }
      }, nil)
  }
}

/// Lets Cairo work for some time. The library has no frame pointers.
@inline(never)
func stroke(for time: Nanoseconds) {
  let end = processorTime() + time
  let surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 800, 800)
  let context = cairo_create(surface)
  var random = SplitMix64(seed: 1)
  func place() -> Double { Double.random(in: 0..<800, using: &random) }
  while processorTime() < end {
    for _ in 0..<400 { cairo_curve_to(context, place(), place(), place(), place(), place(), place()) }
    cairo_set_line_width(context, 7)
    cairo_stroke(context)
  }
  cairo_destroy(context)
  cairo_surface_destroy(surface)
}

/// Starts a shell that stops this process in a moment, and lets it go on after 1.2 s.
func stopSoon() -> pid_t {
  let script = "sleep 0.05; kill -STOP \(getpid()); sleep 1.2; kill -CONT \(getpid())"
  var process = pid_t()
  var words: [UnsafeMutablePointer<CChar>?] = []
  for word in ["sh", "-c", script] { words.append(strdup(word)) }
  defer { for word in words { free(word) } }
  posix_spawn(&process, "/bin/sh", nil, nil, words + [nil], environ)
  return process
}

/// The signals that the program handles, as an application does that has its own use for them.
enum OwnSignals {
  static let handled = Atomic<Int>(0)

  static func handle(_ signal: Int32) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in OwnSignals.handled.wrappingAdd(1, ordering: .relaxed) }
    sigaction(signal, &action, nil)
    // The thread that started this process may have had it blocked.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, signal)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }
}

func say(_ line: String) {
  print(line)
  fflush(nil)
}

let arguments = CommandLine.arguments
guard arguments.count == 3 else { exit(64) }
var configuration = HangMonitor.Configuration()
configuration.folder = arguments[2]
configuration.facts = { [HangReport.Fact("test", arguments[1])] }
configuration.onReport = { report in if report.isOver { say(report.headline) } }
let isLong = ["spin", "block"].contains(arguments[1])
// The last real-time signals are those that the monitor would take.
let (ownSignal, monitorsSignal) = (__libc_current_sigrtmax() - 1, __libc_current_sigrtmax() - 2)
if arguments[1] == "handlers" { for signal in [SIGPROF, ownSignal] { OwnSignals.handle(signal) } }
if !isLong {
  configuration.limits = HangDetector.Limits(countsFrom: .milliseconds(100), reportsFrom: .milliseconds(500))
}
if arguments[1] == "load" { configuration.load = LoadDetector.Limits(share: 0.02, time: .milliseconds(1_200)) }

let monitor = try HangMonitor(configuration)
let loop = FrameLoop.main
monitor.watch(loop, name: "main")

/// Runs the loop for a moment, then one callback in it, then the loop for another moment.
func run(_ body: @escaping @MainActor () -> Void) {
  let start = FrameLoop.Timer(fireTime: loop.clock.now + .milliseconds(50), .onMain { _ in body() })
  loop.add(start, to: .common)
  let end = FrameLoop.Timer(
    fireTime: loop.clock.now + .milliseconds(100), .onMain { _ in loop.perform(onMain: { loop.stop() }) })
  loop.add(end, to: .common)
  loop.run()
}

var sum: UInt64 = 0
switch arguments[1] {
case "spin": run { sum &+= spin(for: .seconds(3)) }
case "block": run { say("interrupted \(block(for: .seconds(3)))") }
case "starved":
  run {
    shareProcessor()
    sum &+= spin(for: .seconds(1))
  }
case "cairo": run { stroke(for: .seconds(1)) }
case "start":
  block(for: .milliseconds(800))
  run {}
case "thread":
  // The thread of a loop blocks all signals but the monitor's.
  let thread = try LoopThread(name: "decoder")
  monitor.watch(thread.loop, name: "decoder")
  let end = Latch()
  thread.loop.perform {
    block(for: .milliseconds(800))
    end.open()
  }
  thread.loop.wakeUp()
  end.wait()
  monitor.stop()
  thread.stop()
case "kill":
  run {
    block(for: .seconds(3))
    kill(getpid(), SIGKILL)
  }
case "handlers":
  for signal in [SIGPROF, ownSignal] { raise(signal) }
  run { block(for: .milliseconds(800)) }
  // The program takes the monitor's signal too. There is no stack then, and no signal that the program does not expect.
  OwnSignals.handle(monitorsSignal)
  raise(monitorsSignal)
  run { sum &+= spin(for: .milliseconds(800)) }
  say("handled \(OwnSignals.handled.load(ordering: .relaxed))")
case "stopped":
  // Another process stops this one for a while, in a turn that is short without that.
  run {
    let child = stopSoon()
    block(for: .milliseconds(120))
    waitpid(child, nil, 0)
  }
case "load":
  // Turns of 20 ms, without a pause between.
  let busy = FrameLoop.Source(
    .onMain { source in
      sum &+= spin(for: .milliseconds(20))
      if monitor.counts.loads > 0 { loop.stop() } else { source.signal() }
    })
  loop.add(busy, to: .common)
  busy.signal()
  loop.run(mode: .default, for: .seconds(60))
case "idle":
  // The monitor wakes no more once it has seen that the loop sleeps.
  loop.run(mode: .default, for: .milliseconds(400))
  run {}
  let sleeping = Nanoseconds.milliseconds(600)
  let timer = FrameLoop.Timer(fireTime: loop.clock.now + sleeping, .onMain { _ in loop.stop() })
  loop.add(timer, to: .common)
  let before = monitor.counts.wakeUps
  loop.run()
  say("wake-ups \(monitor.counts.wakeUps - before)")
default: exit(64)
}
monitor.stop()
let counts = monitor.counts
say("hangs \(counts.hangs), reports \(counts.reports), loads \(counts.loads)")
exit(sum == 42 ? 1 : 0)
