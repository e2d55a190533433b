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
  private var profile: RecordedProfile
  private var recording: Recording
  private let time: SystemClock
  /// Gives the end of the last stop of the process in the place of `ProcessStops`.
  private let resumed: (@MainActor () -> MonotonicTime?)?
  private let layers: LayerCosts
  private unowned let output: Output
  private var observation: Observation?

  /// All that is kept of frames, in one value, so that an event pays for one exclusivity check.
  @MainActor
  private struct Recording {
    var log: FrameLog
    var events = 0
    var damages: DamageLog
    var reader: RegionReader
    var regions: RecentValues<Region>
    /// True if nothing came since the file was written.
    var isWritten = false

    init(capacity: Int, reader: RegionReader) {
      log = FrameLog(capacity: capacity)
      // A frame that is seen has two events at least.
      damages = DamageLog(frames: capacity / 2)
      self.reader = reader
      regions = RecentValues(capacity: capacity)
    }

    mutating func add(_ event: FrameEvent, stopUntil end: MonotonicTime?) {
      isWritten = false
      log.append(stopUntil: end)
      log.append(event)
      events += 1
      readRegions()
    }

    mutating func readRegions() { Self.read(&reader, into: &regions) }

    private static func read(_ reader: inout RegionReader, into regions: inout RecentValues<Region>) {
      reader.read { regions.append($0) }
    }
  }

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
    path: String, isFile: Bool = true, engine: Engine, capacity: Int = 32_768,
    resumed: (@MainActor () -> MonotonicTime?)? = nil
  ) {
    (self.path, self.isFile, time, output) = (path, isFile, engine.loop.clock, engine.output)
    ProcessStops.watch()
    self.resumed = resumed
    let display = engine.output.display
    let size = display.geometry.pictureSize
    profile = RecordedProfile(
      program: HangReport.program, display: display.name, clock: display.ticker.name, width: size.width,
      height: size.height, refreshRate: display.ticker.refreshRate,
      environment: .current(version: RunEnvironment.packageVersion))
    profile.began = .now(loop: engine.loop.clock)
    layers = engine.measureLayers()
    engine.measuresThreads = true
    recording = Recording(capacity: capacity, reader: FrameProfile.startRecording(clock: engine.loop.clock))
    // The observation ends with the recorder. A weak reference would make each event and all uses of the recorder slower.
    observation = output.observe { [unowned self] event in record(event) }
  }

  private func record(_ event: FrameEvent) {
    recording.add(event, stopUntil: resumed.map { $0() } ?? ProcessStops.lastEnd(on: time))
    if case .committed(let frame) = event { recording.damages.add(frame, of: output) }
  }

  fileprivate func name(scene: String) { profile.scene = scene }

  /// Writes what is recorded, unless that was done and nothing came since.
  ///
  /// - Parameter end: the end of the run; nil for now.
  func write(endingAt end: MonotonicTime? = nil) {
    if recording.isWritten { return }
    recording.isWritten = true
    profile.ended = end ?? time.now
    recording.readRegions()
    (profile.events, profile.stops) = (Array(recording.log), recording.log.stops)
    profile.lostEvents = recording.events - recording.log.count
    profile.regions = Array(recording.regions)
    profile.lostRegions = recording.regions.dropped + recording.reader.lost
    profile.layers = layers.summary.rows
    profile.details = profile.worstFrames.compactMap { recording.damages.detail(of: $0) }
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
