import RunLoops

extension Scenario {
  /// The observers that are called, their order, and the cases in which they are not called.
  static let observers: [Scenario] = [
    Scenario(
      [17, 25], "ascending order; equal ones as they were added; the ends of the range are the ends",
      gives: "first c d1 d2 d3 e last →timedOut"
    ) { s in
      s.source("source")
      for (name, order) in [("e", 5), ("last", Int.max), ("d1", 0), ("first", .min), ("d2", 0), ("c", -7), ("d3", 0)] {
        s.observer(name, .beforeSources, order: order)
      }
      s.run()
    },
    Scenario(
      [20], "one that does not repeat is called once, for the first of its activities",
      gives: "once:true false →timedOut →timedOut"
    ) { s in
      s.source("source")
      s.observer("once:true", [.beforeTimers, .beforeSources, .exit], repeats: false) { s in
        if !s.isValid("once:true") { s.log("invalid") }
      }
      s.observer(".look", .beforeSources, repeats: false) { s in s.log("\(s.isValid("once:true"))") }
      s.run()
      s.run()
    },
    Scenario([21], "it belongs to one loop, until it is removed from all its modes", gives: "false true true") { s in
      s.observer("call", .all, in: "default")
      s.add("call", to: "other")
      s.onOtherLoop { other in
        other.loop.add(s.item("call"), to: "default")
        s.log("\(other.loop.contains(s.item("call"), in: "default"))")
        s.remove("call", from: "default")
        s.remove("call", from: "other")
        other.loop.add(s.item("call"), to: "default")
        s.log("\(other.loop.contains(s.item("call"), in: "default"))")
      }
      s.log("\(s.isValid("call"))")
    },
    Scenario(
      [24], "a source that signals itself for ever starves beforeWaiting, timers it does not", gives: "timer 0 →stopped"
    ) { s in
      s.observer(".sleep", .beforeWaiting)
      s.source(".again") { s in
        s.signal(".again")
        if s.count(".again") >= 1_000, s.count("timer") == 1 { s.stop() }
      }
      s.signal(".again")
      s.timer("timer", at: 1)
      s.observer(".end", .exit) { s in s.log("\(s.count(".sleep"))") }
      s.run(for: 5_000)
    },
    Scenario([24], "a timer that is always due does not starve it", gives: "all →stopped") { s in
      s.observer(".sleep", .beforeWaiting)
      s.timer(".due", at: 0, every: 1_000) { s in
        s.move(".due", to: 0)
        if s.count(".due") == 100 { s.stop() }
      }
      s.observer(".end", .exit) { s in s.log(s.count(".sleep") >= 100 ? "all" : "\(s.count(".sleep"))") }
      s.run(for: 5_000)
    },
    Scenario([24], "nor does a block that queues itself with a wake-up", gives: "many →stopped") { s in
      s.observer(".sleep", .beforeWaiting)
      s.source("source")
      @Sendable func again(_ s: Stage) {
        if s.count(".again") == 100 { return s.stop() }
        s.block(".again", again)
        s.wakeUp()
      }
      s.block(".again", again)
      s.observer(".end", .exit) { s in s.log(s.count(".sleep") >= 40 ? "many" : "\(s.count(".sleep"))") }
      s.run(for: 5_000)
    },
  ]
}
