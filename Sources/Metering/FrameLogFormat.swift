import FrameTiming
import LinuxSystem

/// The text of a frame log, a line for each frame: comma-separated values with a line of names first, or a JSON object a line.
///
/// | column | meaning |
/// | --- | --- |
/// | `number` | the refresh interval that the frame belongs to |
/// | `outcome` | `presented`, `discarded`, `lost` or `pending`; see `LoggedFrame.Outcome`. A last line with `noFrame` has the counts of the rest of the run, after the last frame that was seen |
/// | `tick` | the vblank of its tick |
/// | `promised` | the vblank that its tick promised to link callbacks |
/// | `target`, `targetKnown` | the vblank that it was composited for, and whether that was more than a guess |
/// | `animationTime` | the time for which its animations were evaluated |
/// | `start`, `delivered` | when it was to be begun, and when it was |
/// | `missedTime` | the refresh intervals right before its tick that had none although frames were wanted |
/// | `lostVBlankTime` | the part of `missedTime` for which the display told of no vblank |
/// | `missedWait` | the end of `missedTime` in which the loop waited for a vblank, having asked too late for the one before |
/// | `submitted`, `heldBack` | when it was handed over (a `discarded` one: when its work was done), and how long it was held back before, ready |
/// | `inputArrival` | when the earliest input event arrived of those that this frame is the first to show |
/// | `presented`, `presentedKnown` | the vblank that showed it, and whether the display told that: else it is assumed |
/// | `input`, `callbacks`, `layout`, `display`, `asyncWait`, `animate`, `diff`, `composite`, `present` | the time in each phase; see `FrameRecord.Phase` |
/// | `work` | all phases together; that of a `discarded` frame was done for nothing |
/// | `frameInterval` | from the vblank that showed the frame before |
/// | `lateness` | from the promised vblank, or else the target, to the one that showed it; below zero if earlier |
/// | `cause`, `otherCause` | why it was late: what cost most, and what cost at least half as much |
/// | `animationError` | by how much animations moved on more than `frameInterval`; not after a frame that was made for a guess |
/// | `paintedPixels`, `damagePixels` | pixels that were painted, and those that may differ from the frame before and did not only move |
/// | `processorTime` | how long the threads that worked on it had a processor; `blocked` time is `work` without this and `runDelay` |
/// | `runDelay`, `startDelay` | how long they could work and had none, in the work, and to `delivered` from `start` and in `missedTime` |
/// | `dirtyLayers`, `laidOutLayers`, `drawnLayers` | the layers that were committed anew, laid out, and drawn |
/// | `missedPictures` | pictures of layers with effects, and shadows, that were painted, since none was kept |
/// | `pictureTime` | the part of `composite` in which these were painted |
/// | `layerPixels` | painted pixels, each as often as layers paint it |
/// | `intervalsPerTick` | the refresh intervals from one call of its link to the next |
/// | `predictionError` | how much later it was seen than at `target`; where that says nothing of the prediction, it is not known |
/// | `intervals`, `intervalTime` | of a `presented` frame the refresh intervals since the one before it, and their time; without those in which nobody could see the display. The time is below zero where the vblanks told that those before took less than was counted: until a tick tells of its vblank, an interval lasts as long as those measured so far |
/// | `missed`, `missedWhileStopped` | those of them that were missed, and those of these in which the process was stopped |
/// | `ticks`, `idle` | those of them that had a tick, or a frame that needed none, and those in which nothing was wanted; below zero for one that counted as such before and was not |
/// | `early` | 1 if it was seen more than half an interval before its target, else 0 |
/// | `hitchTime` | how long pictures stood since the one before it that should have been replaced |
/// | `standstill`, `standstillCause` | the missed intervals right before its tick for which no late frame accounts, and why they were missed |
/// | `behindLate` | the missed intervals right before its tick for which a late frame accounts |
/// | `layer`, `layerName` | the number of the layer that took half or more of the phase that is `cause`, and its name at that time |
/// | `refreshRate` | the rate that the display told at the beginning, in hertz: `60`, or `60000/1001` |
/// | `budget` | the budget of the run, if one was given |
///
/// Times are nanoseconds of CLOCK_MONOTONIC, durations nanoseconds. What is not known is empty, in JSON null.
public enum FrameLogFormat: String, CaseIterable, Sendable {
  case csv
  /// JSON Lines.
  case jsonl

  /// The names of the columns.
  public static let columns = LoggedFrame(record: FrameRecord(), outcome: .pending).cells.map { "\($0.name)" }

  /// The bytes before the first frame.
  public var header: [UInt8] {
    switch self {
    case .csv: Array((Self.columns.joined(separator: ",") + "\n").utf8)
    case .jsonl: []
    }
  }

  /// Appends the line of a frame.
  public func append(_ frame: LoggedFrame, to bytes: inout [UInt8]) {
    var separator: StaticString = self == .jsonl ? "{" : ""
    for (name, value) in frame.cells {
      JSONBytes.append(separator, to: &bytes)
      separator = ","
      if self == .jsonl {
        JSONBytes.append("\"", to: &bytes)
        JSONBytes.append(name, to: &bytes)
        JSONBytes.append("\":", to: &bytes)
      }
      switch value {
      case .number(let number?): JSONBytes.append(number, to: &bytes)
      case .truth(let truth): JSONBytes.append(truth ? "true" : "false", to: &bytes)
      case .word(let word?) where self == .jsonl: JSONBytes.append(quoted: word, to: &bytes)
      case .word(let word?): bytes += Self.cell(word).utf8
      case .number(nil), .word(nil): if self == .jsonl { JSONBytes.append("null", to: &bytes) }
      }
    }
    JSONBytes.append(self == .jsonl ? "}\n" : "\n", to: &bytes)
  }

  /// A word as comma-separated values have it.
  private static func cell(_ word: String) -> String {
    guard word.utf8.contains(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") }) else { return word }
    return "\"\(word.replacing("\"", with: "\"\""))\""
  }
}

extension LoggedFrame {
  /// Appends the columns whose values are known, as the members of a JSON object.
  func appendColumns(to bytes: inout [UInt8]) {
    var isFirst = true
    func begin(_ name: StaticString) {
      JSONBytes.append(isFirst ? "\"" : ",\"", to: &bytes)
      isFirst = false
      JSONBytes.append(name, to: &bytes)
      JSONBytes.append("\":", to: &bytes)
    }
    for (name, value) in cells {
      switch value {
      case .number(let number?):
        begin(name)
        JSONBytes.append(number, to: &bytes)
      case .truth(let truth):
        begin(name)
        JSONBytes.append(truth ? "true" : "false", to: &bytes)
      case .word(let word?):
        begin(name)
        JSONBytes.append(quoted: word, to: &bytes)
      case .number(nil), .word(nil): break
      }
    }
  }
}

private enum Cell {
  case number(Int64?)
  case truth(Bool)
  /// Without control characters.
  case word(String?)

  static func time(_ time: MonotonicTime?) -> Cell { .number(time?.nanoseconds) }
  static func duration(_ duration: Nanoseconds?) -> Cell { .number(duration?.count) }
}

extension RefreshRate {
  fileprivate var fraction: String { denominator == 1 ? "\(numerator)" : "\(numerator)/\(denominator)" }
}

extension LoggedFrame {
  fileprivate var cells: [(name: StaticString, value: Cell)] {
    guard outcome == .noFrame else { return cellsOfFrame }
    let known = [
      "number", "outcome", "intervals", "intervalTime", "missed", "missedWhileStopped", "ticks", "idle", "hitchTime",
      "refreshRate", "budget",
    ]
    return cellsOfFrame.map { known.contains("\($0.name)") ? $0 : ($0.name, .number(nil)) }
  }

  private var cellsOfFrame: [(name: StaticString, value: Cell)] {
    let wasSeen = record.presented != .zero
    let wasEvaluated = record.animationTime != .zero
    return [
      ("number", .number(Int64(bitPattern: record.frameNumber))),
      ("outcome", .word(outcome.rawValue)),
      ("tick", .time(record.tickTimestamp)),
      ("promised", .time(record.promised)),
      ("target", .time(record.target)),
      ("targetKnown", .truth(record.isTargetKnown)),
      ("animationTime", .time(wasEvaluated ? record.animationTime : nil)),
      ("start", .time(record.start)),
      ("delivered", .time(record.delivered)),
      ("missedTime", .duration(record.missedTime)),
      ("lostVBlankTime", .duration(record.lostVBlankTime)),
      ("missedWait", .duration(record.missedWait)),
      ("submitted", .time(record.submitted)),
      ("heldBack", .duration(record.heldBack)),
      ("inputArrival", .time(record.input)),
      ("presented", .time(wasSeen ? record.presented : nil)),
      ("presentedKnown", wasSeen ? .truth(record.isPresentedKnown) : .number(nil)),
      ("input", .duration(record.phases[.input])),
      ("callbacks", .duration(record.phases[.callbacks])),
      ("layout", .duration(record.phases[.layout])),
      ("display", .duration(record.phases[.display])),
      ("asyncWait", .duration(record.phases[.wait])),
      ("animate", .duration(record.phases[.animate])),
      ("diff", .duration(record.phases[.diff])),
      ("composite", .duration(record.phases[.composite])),
      ("present", .duration(record.phases[.present])),
      ("work", .duration(record.work)),
      ("frameInterval", .duration(step?.interval)),
      ("lateness", .duration(wasSeen ? record.lateness : nil)),
      ("cause", .word(causes?.main.name)),
      ("otherCause", .word(causes?.other?.name)),
      ("animationError", .duration(step?.animationError)),
      ("paintedPixels", .number(Int64(record.paintedPixels))),
      ("damagePixels", .number(Int64(record.damagePixels))),
      ("processorTime", .duration(record.processorTime)),
      ("runDelay", .duration(record.processorTime.map { _ in record.runDelay })),
      ("startDelay", .duration(record.processorTime.map { _ in record.startDelay })),
      ("dirtyLayers", .number(Int64(record.dirtyLayers))),
      ("laidOutLayers", .number(Int64(record.laidOutLayers))),
      ("drawnLayers", .number(Int64(record.drawnLayers))),
      ("missedPictures", .number(Int64(record.missedPictures))),
      ("pictureTime", .duration(record.pictureTime)),
      ("layerPixels", .number(Int64(record.layerPixels))),
      ("intervalsPerTick", .number(Int64(record.intervalsPerTick))),
      ("predictionError", .duration(predictionError)),
      ("intervals", .number(Int64(counts.intervals))),
      ("intervalTime", .duration(counts.time)),
      ("missed", .number(Int64(counts.missed))),
      ("missedWhileStopped", .number(Int64(counts.missedWhileStopped))),
      ("ticks", .number(Int64(counts.ticks))),
      ("idle", .number(Int64(counts.idle))),
      ("early", .number(Int64(counts.early))),
      ("hitchTime", .duration(counts.hitchTime)),
      ("standstill", .number(standstill.map { Int64($0.intervals) })),
      ("standstillCause", .word(standstill?.cause.name)),
      ("behindLate", .number(Int64(missedBehindLateFrames))),
      ("layer", .number(blamedLayer.map { Int64($0) })),
      ("layerName", .word(layerName?.withoutControlCharacters)),
      ("refreshRate", .word(toldRate?.fraction)),
      ("budget", .duration(budget)),
    ]
  }
}
