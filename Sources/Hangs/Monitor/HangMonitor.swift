public import LinuxSystem
public import RunLoops
import Synchronization

/// Finds the turns of loops that take too long, and says what they did: from a thread of its own, by the monotonic clock.
///
/// ```swift
/// var configuration = HangMonitor.Configuration()
/// configuration.folder = "/var/lib/kiosk/hangs"
/// configuration.onReport = { report in print(report.headline) }
/// let monitor = try HangMonitor(configuration)
/// monitor.watch(.main)
/// ```
///
/// A hang is a turn that keeps the loop although it could go on: the time for which other programs had the processors, the process was stopped,
/// the machine suspended or a debugger attached is left out. A program that starves for a minute on a busy machine has no report: its frames are
/// late by the cause `machineBusy`.
///
/// From 250 ms on the loop's thread is sampled: a real-time signal stops it for some microseconds, in which its registers and its
/// stack are copied. Frames and names are found later, on other threads. A system call that the kernel does not restart, such as
/// `poll` or `nanosleep`, returns `EINTR` then, as for any signal. A thread that uses no processor time between two samples
/// has not moved, and is not stopped for the second.
///
/// While its loops sleep, the monitor sleeps too. Everything may be called from any thread.
public final class HangMonitor: Sendable {
  /// The limits of the watch, and the receivers of reports.
  public struct Configuration: Sendable {
    public var limits = HangDetector.Limits()
    /// The limits of a load of the processor; nil to find none.
    public var load: LoadDetector.Limits? = LoadDetector.Limits()
    /// The share of reports that are made, from 0 to 1, chosen at random: for many machines in the field. The others are
    /// counted.
    public var reportingRate: Double = 1
    /// The folder for the files of reports, which is made if it is missing; nil for none.
    public var folder: String?
    /// The number of files that the folder may hold; the oldest give way.
    public var fileLimit = 50
    /// Asked what the application knows, when a turn becomes a hang. Called on the monitor's thread: it must not wait for the loop.
    public var facts: (@Sendable () -> [HangReport.Fact])?
    /// Called with each report: when a turn has become a hang, and again when that is over. Called on a thread of its own, one at a
    /// time. It must not stop the monitor.
    public var onReport: (@Sendable (HangReport) -> Void)?
    /// Called with the path of each file that was written of a hang that is over, and at the start with those that are left from before.
    /// True when the report was sent: the file is removed then. A report that is written again, as equal hangs were added to it, has the same name.
    /// Called on the thread of `onReport`, and may take its time.
    public var upload: (@Sendable (String) -> Bool)?

    public init() {}
  }

  /// Counts of the monitor's work since its start.
  public struct Counts: Hashable, Sendable {
    /// Turns of at least `countsFrom`, those that became hangs included, and their time.
    public var slowTurns = 0
    public var slowTime = Nanoseconds.zero
    public var hangs = 0
    public var loads = 0
    /// Hangs and loads that were reported, and those that were left out as repetitions or by `reportingRate`.
    public var reports = 0
    public var leftOut = 0
    public var samples = 0
    /// The number of times that the monitor's thread has woken.
    public var wakeUps = 0
  }

  let shared: Shared
  private let reporter: HangReporter
  private let thread: Lock<SystemThread?>

  /// The state that the monitor's thread shares with others.
  final class Shared: Sendable {
    struct State {
      var watched: [WatchedLoop] = []
      var isStopped = false
      var counts = Counts()
    }

    let bell = Bell()
    let state = Lock(State())
  }

  /// Starts the thread.
  ///
  /// - Throws: if no thread is left, or the folder cannot be made.
  public init(_ configuration: Configuration = Configuration()) throws(SystemError) {
    let shared = Shared()
    let reporter = try HangReporter(configuration)
    self.shared = shared
    self.reporter = reporter
    let thread = try SystemThread(name: "hang-monitor") {
      let seed = UInt64(bitPattern: SystemClock.monotonic.now.nanoseconds)
      var watch = HangWatch(configuration, shared, reporter, seed: seed)
      watch.run()
    }
    self.thread = Lock(thread)
  }

  deinit { stop() }

  /// Watches a loop until `stopWatching(_:)` or the loop's end. Watching starts when the loop's thread has taken note: at once on
  /// that thread, with the next block of the loop elsewhere. From then to the first run the loop's thread is watched too, so that a
  /// start that takes too long is found.
  ///
  /// - Parameters:
  ///   - name: the loop's name in reports.
  ///   - modes: the modes in which the loop is watched. In other modes it is not, and a run in one that sleeps is no hang.
  public func watch(_ loop: FrameLoop, name: String = "the loop", modes: [FrameLoop.Mode] = [.common]) {
    guard loop.isOnOwnThread else {
      loop.perform { [self] in watch(loop, name: name, modes: modes) }
      loop.wakeUp()
      return
    }
    stopWatching(loop)
    guard !shared.state.withLock(\.isStopped) else { return }
    let thread: SampledThread
    do throws(SystemError) {
      thread = try .current()
    } catch {
      return StandardError.print(sentence: "framepace: hangs of \(name) are not watched: \(error)")
    }
    let depth = loop.currentMode == nil ? 0 : FrameLoop.runDepth
    let beacon = LoopBeacon(clock: loop.clock, bell: shared.bell, depth: depth)
    let observers = beacon.observers()
    for observer in observers {
      for mode in modes { loop.add(observer, to: mode) }
    }
    beacon.begin(depth > 0 ? .woken : .notRunning)
    shared.state.withLock { state in
      state.watched.append(WatchedLoop(loop: loop, name: name, beacon: beacon, thread: thread, observers: observers))
    }
    shared.bell.ring()
  }

  /// Ends the watching of a loop. Call it before a thread ends that lives shorter than the monitor.
  public func stopWatching(_ loop: FrameLoop) {
    let gone = shared.state.withLock { state in
      let gone = state.watched.filter { $0.loop === loop }
      state.watched.removeAll { $0.loop === loop }
      return gone
    }
    for watched in gone {
      for observer in watched.observers { observer.invalidate() }
    }
  }

  /// Ends the watching of all loops. Returns when the last reports are written and `onReport` and `upload` have returned.
  public func stop() {
    guard let thread = thread.withLock({ exchange(&$0, with: nil) }) else { return }
    let watched = shared.state.withLock { state in
      state.isStopped = true
      return exchange(&state.watched, with: [])
    }
    for watched in watched {
      for observer in watched.observers { observer.invalidate() }
    }
    shared.bell.ring()
    thread.join()
    reporter.finish()
  }

  public var counts: Counts { shared.state.withLock(\.counts) }
}

/// A loop under watch.
final class WatchedLoop: Sendable {
  weak let loop: FrameLoop?
  let name: String
  let beacon: LoopBeacon
  let thread: SampledThread
  let observers: [FrameLoop.Observer]

  init(loop: FrameLoop, name: String, beacon: LoopBeacon, thread: SampledThread, observers: [FrameLoop.Observer]) {
    self.loop = loop
    self.name = name
    self.beacon = beacon
    self.thread = thread
    self.observers = observers
  }
}
