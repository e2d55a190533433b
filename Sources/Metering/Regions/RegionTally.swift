package import LinuxSystem

/// The regions of a run by their names: how often, how long, and how much of the frames' budget.
package struct RegionTally: Sendable {
  package struct Row: Equatable, Sendable {
    package var name: String
    package var count = 0
    /// The time of all, also of those that lie in others of the same name.
    package var time = Nanoseconds.zero
    package var maximum = Nanoseconds.zero

    package init(name: String) { self.name = name }

    package var mean: Nanoseconds { time / Int64(max(count, 1)) }
  }

  private var named: [String: Row] = [:]
  /// Regions that were not counted, as they came faster than they were read.
  package var lost = 0

  package init() {}

  package mutating func add(_ region: Region) {
    var row = named[region.name] ?? Row(name: region.name)
    row.count += 1
    row.time += region.time
    row.maximum = max(row.maximum, region.time)
    named[region.name] = row
  }

  /// The rows, the one that took longest first.
  package var rows: [Row] { named.values.sorted { ($0.time, $1.name) > ($1.time, $0.name) } }
}
