import FrameTiming
import Glibc
import Hangs
import LinuxSystem
import Metering
import Presentation
import RunLoops

/// Records the frames of an engine's first display for `framepace profile FILE`: the last events, 32,768 of which are three minutes at 60 Hz,
/// as many regions, and what the layers cost. Memory is allocated at the start; the file is written when the engine's `run()`
/// returns, when the engine is invalidated, when the process exits on its main thread, and before SIGHUP, SIGINT or SIGTERM end it; the end of
/// the process tells where it is. It is written as a whole or not at all. No other file is replaced than one of these.
@MainActor
final class ProfileRecorder {
  /// The one of the process that `FRAMEPACE_PROFILE` asked for.
  fileprivate static var ofEnvironment: ProfileRecorder?
  private static var isTaken = false
  /// The file that was written last, and the number of frames in it that were seen.
  fileprivate static var written: (path: String, frames: Int)?
  /// False to write without a word.
  fileprivate static var isAnnounced = true

  private let path: String
  /// True for a file, false for a pipe or a device.
  private let isFile: Bool
  private let capacity: Int
  private var profile: RecordedProfile
  private var log: FrameLog
  private var events = 0
  private let time: SystemClock
  /// Gives the end of the last stop of the process.
  private let resumed: () -> MonotonicTime?
  private let layers: LayerCosts
  private let damages: DamageLog
  private var reader: RegionReader
  private var regions: [Region] = []
  private var allRegions = 0
  private var observation: Observation?
  private var isWritten = false

  /// The recorder of the first engine of a process in whose environment `FRAMEPACE_PROFILE` names a file; nil for all others.
  static func byEnvironment(_ engine: Engine) -> ProfileRecorder? {
    guard !isTaken, let name = getenv("FRAMEPACE_PROFILE"), name.pointee != 0 else { return nil }
    isTaken = true
    let path = String(cString: name)
    let isFile: Bool
    do {
      if let stream = try AtomicFile.check(path) {
        // Its reader would take a descriptor that is closed again for the end.
        _ = fcntl(stream.number, F_DUPFD_CLOEXEC, 0)
        isFile = false
      } else {
        try requireRecording(path)
        isFile = true
      }
    } catch {
      StandardError.print(sentence: "framepace: FRAMEPACE_PROFILE: frames are not recorded: \(reason(error, path))")
      return nil
    }
    let recorder = ProfileRecorder(path: path, isFile: isFile, engine: engine)
    ofEnvironment = recorder
    _ = profiledThread
    atexit(writeAtExit)
    do {
      try EndingSignals.beforeEnd(on: engine.loop, writeAndTell)
    } catch {
      StandardError.print(
        sentence: "framepace: FRAMEPACE_PROFILE: a signal that ends the process leaves no frames: \(error)")
    }
    return recorder
  }

  /// A file with something else than a recording, which is not replaced.
  private struct OtherFile: Error, CustomStringConvertible {
    let path: String
    var description: String { "'\(path)' is another kind of file; name a new one, or remove it" }
  }

  /// The error as a clause.
  private static func reason(_ error: any Error, _ path: String) -> String {
    guard let error = error as? SystemError else { return "\(error)" }
    return "cannot write to '\(path.withoutControlCharacters)': \(error.reasonNotToWrite(path))"
  }

  /// Throws if a file has something else than a recording, or cannot be read.
  private static func requireRecording(_ path: String) throws {
    var status = stat()
    guard stat(path, &status) == 0, status.st_size > 0 else { return }
    let file = try OwnedDescriptor.open(path, flags: O_RDONLY | O_NONBLOCK)
    var head = [UInt8](repeating: 0, count: 64)
    let count = read(file.number, &head, head.count)
    guard RecordedProfile.isOne(Array(head.prefix(max(count, 0)))) else { throw OtherFile(path: path) }
  }

  /// - Parameters:
  ///   - isFile: false for a pipe or a device, which is written to whatever it has.
  ///   - capacity: the number of events and of regions that are kept.
  ///   - resumed: gives the end of the last stop of the process; nil for that of this process.
  init(
    path: String, isFile: Bool = true, engine: Engine, capacity: Int = 32_768, resumed: (() -> MonotonicTime?)? = nil
  ) {
    (self.path, self.isFile, self.capacity, time) = (path, isFile, capacity, engine.loop.clock)
    ProcessStops.watch()
    self.resumed = resumed ?? { [clock = engine.loop.clock] in ProcessStops.lastEnd(on: clock) }
    let display = engine.output.display
    let size = display.geometry.pictureSize
    profile = RecordedProfile(
      program: HangReport.program, display: display.name, clock: display.ticker.name, width: size.width,
      height: size.height, refreshRate: display.ticker.refreshRate,
      environment: .current(version: RunEnvironment.packageVersion))
    profile.began = .now(loop: engine.loop.clock)
    log = FrameLog(capacity: capacity)
    regions.reserveCapacity(capacity)
    layers = engine.measureLayers()
    // A frame that is seen has two events at least.
    damages = DamageLog(of: engine.output, frames: capacity / 2)
    engine.measuresThreads = true
    reader = FrameProfile.startRecording(clock: engine.loop.clock)
    observation = engine.output.observe { [weak self] event in self?.record(event) }
  }

  private func record(_ event: FrameEvent) {
    isWritten = false
    log.append(stopUntil: resumed())
    log.append(event)
    events += 1
    readRegions()
  }

  private func readRegions() {
    reader.read { region in
      if regions.count < capacity {
        regions.append(region)
      } else {
        regions[allRegions % capacity] = region
      }
      allRegions += 1
    }
  }

  fileprivate func name(scene: String) { profile.scene = scene }

  /// Writes what is recorded, unless that was done and nothing came since.
  ///
  /// - Parameter end: the end of the run; nil for now.
  func write(endingAt end: MonotonicTime? = nil) {
    if isWritten { return }
    isWritten = true
    profile.ended = end ?? time.now
    readRegions()
    (profile.events, profile.stops) = (Array(log), log.stops)
    profile.lostEvents = events - log.count
    let oldest = allRegions > regions.count ? allRegions % capacity : 0
    profile.regions = Array(regions[oldest...] + regions[..<oldest])
    profile.lostRegions = allRegions - regions.count + reader.lost
    profile.layers = layers.summary.rows
    profile.details = profile.worstFrames.compactMap { damages.detail(of: $0) }
    do {
      // Another file may have come to its place since the start.
      if isFile { try Self.requireRecording(path) }
      try AtomicFile.write(profile.bytes, to: path)
      let frames = profile.events.count { if case .presented = $0 { true } else { false } }
      if isFile { Self.written = (path, frames) }
    } catch {
      StandardError.print(sentence: "framepace: the profile was not written: \(Self.reason(error, path))")
    }
  }

  /// Writes, and records no more.
  func finish() {
    write()
    observation = nil
    FrameProfile.stopRecording()
    if Self.ofEnvironment === self { Self.ofEnvironment = nil }
  }
}

extension Engine {
  /// Writes the name of the scene that a program shows into its file of `FRAMEPACE_PROFILE`, so that profiles of different scenes are not
  /// taken for the same. A program that shows one thing needs none: the file has its name.
  package func nameRecording(scene: String) { recorder?.name(scene: scene) }

  /// Lets the exit of the process not tell where the frames were recorded.
  package func silenceRecording() { ProfileRecorder.isAnnounced = false }
}

/// The thread of the first engine.
private let profiledThread = pthread_self()

/// Writes what the first engine recorded, and tells where. Another thread that ends the process cannot look at layers.
private func writeAtExit() {
  guard pthread_equal(pthread_self(), profiledThread) != 0 else { return }
  MainActor.assumeIsolated { writeAndTell() }
}

@MainActor private func writeAndTell() {
  ProfileRecorder.ofEnvironment?.write()
  guard ProfileRecorder.isAnnounced, let (path, frames) = ProfileRecorder.written else { return }
  StandardError.print(
    sentence: "framepace: \(frames) \(frames == 1 ? "frame is" : "frames are") recorded:",
    command: "framepace profile \(path.shellWord)")
}
