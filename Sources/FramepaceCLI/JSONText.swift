import Foundation
import Framepace

/// The JSON lines of `--json`. Times are in milliseconds, rates a second; what is not known is left out.
enum JSONText {
  static func encode(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // These values hold strings and finite numbers only: encoding them cannot fail.
    guard let data = try? encoder.encode(value) else { return "{}" }
    return String(decoding: data, as: UTF8.self)
  }
}

/// The first line of a run.
struct StartLine: Encodable {
  var scene: String
  var display: String
  /// What ticks, and why.
  var clock: String
  var reason: String
}

/// The figures of the last moments, or of a whole run.
struct FigureLine: Encodable {
  var refreshRate: Double
  var tickRate: Double?
  var frameRate: Double?
  var presentedRate: Double?
  var ticks: Int
  var frames: Int
  var presented: Int
  var late: Int
  var missed: Int
  var idle: Int
  var frameIntervalP50: Double?
  var frameIntervalP99: Double?
  var workP50: Double?
  var workP99: Double?
  var workShare: Double?
  var tickLatenessP50: Double?
  var tickLatenessP99: Double?
  var hitchTimeRatio: Double?

  init(_ figures: FrameReport) {
    refreshRate = figures.refreshRate ?? figures.nominalRefreshRate.hertz
    tickRate = figures.tickRate
    frameRate = figures.frameRate
    presentedRate = figures.presentedRate
    ticks = figures.ticks
    frames = figures.frames
    presented = figures.presented
    late = figures.late
    missed = figures.missed
    idle = figures.idle
    frameIntervalP50 = figures.frameInterval.p50?.milliseconds
    frameIntervalP99 = figures.frameInterval.p99?.milliseconds
    workP50 = figures.work.p50?.milliseconds
    workP99 = figures.work.p99?.milliseconds
    workShare = figures.workShare
    tickLatenessP50 = figures.tickLateness.p50?.milliseconds
    tickLatenessP99 = figures.tickLateness.p99?.milliseconds
    hitchTimeRatio = figures.hitchTimeRatio
  }
}

/// The last line of a run.
struct SummaryLine: Encodable {
  var summary: FigureLine
  /// When the first frame was seen, in seconds of CLOCK_MONOTONIC.
  var firstPresented: Double?

  init(_ figures: FrameReport) {
    summary = FigureLine(figures)
    firstPresented = figures.firstPresented?.seconds
  }
}
