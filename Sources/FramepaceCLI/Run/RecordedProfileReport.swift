import ArgumentParser
import Framepace
import Metering

extension ProfileFigures {
  /// The largest file that is read; a program writes 10 MB at most.
  private static let largestFile = 1 << 27

  /// The figures of a file that a program wrote for `FRAMEPACE_PROFILE`.
  ///
  /// - Parameter budget: the time that a frame may take; nil for one refresh interval.
  @MainActor
  init(path: String, budget: Nanoseconds?) throws {
    let recorded: RecordedProfile
    do {
      let bytes = try InputFile.contents(of: path, limit: Self.largestFile)
      guard RecordedProfile.isOne(bytes) else {
        throw Refusal(
          bytes.first == UInt8(ascii: "{")
            ? "'\(path)' may be the figures of a profile: use two of them with --compare"
            : "'\(path)' is no scene and no file that a program wrote with FRAMEPACE_PROFILE: use \(SceneChoice.list)")
      }
      recorded = try RecordedProfile(bytes)
    } catch let error as CaptureError {
      throw Refusal("'\(path)' is damaged: \(error)")
    }
    var profile = PhaseProfile(refreshRate: recorded.refreshRate, budget: budget)
    let meter = FPSMeter(refreshRate: recorded.refreshRate)
    var phases: [FrameRecord.PhaseDurations] = []
    var areas = RecordedAreas()
    for event in recorded.events {
      meter.record(event)
      if case .lost = event { profile.addLost() }
      guard case .presented(let frame) = event else { continue }
      profile.add(frame)
      phases.append(frame.phases)
      areas.add(frame)
    }
    guard profile.frames > 0 else { throw Refusal("'\(path)' has no frame that was seen") }
    var regions = RegionTally()
    for region in recorded.regions { regions.add(region) }
    regions.lost = recorded.lostRegions
    var report = meter.report()
    report.budget = budget
    self.init(
      profile: profile, phases: phases, areas: areas.rows, layers: LayerCosts.Summary(rows: recorded.layers),
      regions: regions, report: report,
      subject: Subject(
        scene: recorded.program, display: recorded.display, clock: recorded.clock, width: recorded.width,
        height: recorded.height, environment: recorded.environment))
  }
}

/// The pixels of recorded frames. How often each was painted is not recorded.
private struct RecordedAreas {
  private var dirty: [Double] = []
  private var painted: [Double] = []
  private var ratios: [Double] = []

  mutating func add(_ frame: FrameRecord) {
    dirty.append(Double(frame.damagePixels))
    painted.append(Double(frame.paintedPixels))
    ratios.append(Double(frame.paintedPixels) / Double(max(frame.damagePixels, 1)))
  }

  var rows: [PaintedAreas.Row] {
    [
      PaintedAreas.Row(.dirty, dirty), PaintedAreas.Row(.painted, painted), PaintedAreas.Row(.paintedRatio, ratios),
      PaintedAreas.Row(.overdraw, []),
    ]
  }
}
