import RunLoops

extension Scenario {
  /// The observers that are called, and their order.
  static let observers: [Scenario] = [
    Scenario(
      [17], "ascending order; equal ones as they were added; the ends of the range are the ends",
      gives: "first c d1 d2 d3 e last →timedOut"
    ) { s in
      s.source("source")
      for (name, order) in [("e", 5), ("last", Int.max), ("d1", 0), ("first", .min), ("d2", 0), ("c", -7), ("d3", 0)] {
        s.observer(name, .beforeSources, order: order)
      }
      s.run()
    },
    Scenario([18], "one that is added during a notification is first called for the next", gives: "add early late →timedOut")
    { s in
      s.source("source")
      s.observer("early", [.beforeTimers, .beforeSources], order: -1, in: nil)
      s.observer("late", [.beforeTimers, .beforeSources], order: 9, in: nil)
      s.observer("add", .beforeTimers) { s in
        s.add("early", to: "default")
        s.add("late", to: "default")
      }
      s.run()
    },
    Scenario(
      [19], "a run that is nested in an observer's call does not call that observer, but the others",
      gives: "other nest other after →timedOut after →timedOut"
    ) { s in
      s.source("source")
      s.observer("other", .beforeTimers, order: -1)
      s.observer("nest", .beforeTimers) { s in s.run() }
      s.observer("after", .beforeTimers, order: 1)
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
        other.loop.add(s.named("call"), to: "default")
        s.log("\(other.loop.contains(s.named("call"), in: "default"))")
        s.remove("call", from: "default")
        s.remove("call", from: "other")
        other.loop.add(s.named("call"), to: "default")
        s.log("\(other.loop.contains(s.named("call"), in: "default"))")
      }
      s.log("\(s.isValid("call"))")
    },
    Scenario(
      [22], "entry and exit come once per run, nested ones included",
      gives: "entry timer entry exit →timedOut exit →timedOut"
    ) { s in
      s.observe([.entry, .exit])
      s.source("source")
      s.timer("timer", at: 1) { s in s.run() }
      s.run(for: 6)
    },
  ]

  /// The effects of observers, and the cases in which they are not called.
  static let moreObservers: [Scenario] = [
    Scenario(
      [23], "a signal in beforeWaiting waits until something else wakes the loop",
      gives: "sleep signal wake timer source sleep wake →timedOut"
    ) { s in
      s.observe([.beforeWaiting, .afterWaiting])
      s.source("source")
      s.timer("timer", at: 5)
      s.timer(".never", at: Stage.never)
      s.observer("signal", .beforeWaiting, repeats: false) { s in s.signal("source") }
      s.run(for: 10)
    },
    Scenario(
      [23], "with a wake-up it does not",
      gives: "sleep signal wake source sleep wake timer sleep wake →timedOut"
    ) { s in
      s.observe([.beforeWaiting, .afterWaiting])
      s.source("source")
      s.timer("timer", at: 5)
      s.timer(".never", at: Stage.never)
      s.observer("signal", .beforeWaiting, repeats: false) { s in
        s.signal("source")
        s.wakeUp()
      }
      s.run(for: 10)
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
    Scenario(
      [25], "the orders of a frame: pool, gestures, commit, pool",
      gives: "push gestures commit pop entered commit pop →timedOut"
    ) { s in
      s.source("source")
      s.observer("pop", [.beforeWaiting, .exit], order: 2_147_483_647)
      s.observer("commit", [.beforeWaiting, .exit], order: 2_000_000)
      s.observer("gestures", .beforeWaiting, order: 0)
      s.observer("push", .entry, order: -2_147_483_647)
      s.observer("entered", .afterWaiting)
      s.run(for: 3)
    },
  ]
}
