import Framepace
import KMS

extension SceneMirrors {
  /// Display, clock and what is refused of each.
  var names: [JSONValue] {
    mirrors.map { mirror in
      .object([
        ("display", .text(mirror.display.name)), ("clock", .text(mirror.display.ticker.name)),
        ("refused", .list(mirror.refusals.map { .text($0.description) })),
      ])
    }
  }

  /// Figures of the whole run for each.
  func summaries(from start: MonotonicTime, to end: MonotonicTime) -> [JSONValue] {
    mirrors.map { mirror in
      let whole = mirror.meter.report(at: end)
      let figures = RunFigures(time: end - start, rates: whole, counts: whole, times: whole)
      return .object([("display", .text(mirror.display.name)), ("summary", figures.json)])
    }
  }

  /// The same in lines, each with its display's name above.
  ///
  /// - Parameter width: how long a line may be.
  func summary(at time: MonotonicTime, width: Int) -> String {
    mirrors.map { mirror in
      "\nmirrored on \(mirror.display.name)\n\(RunSummary.text(mirror.meter.report(at: time), width: width))\n"
    }.joined()
  }
}
