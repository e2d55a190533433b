import RunLoops

extension Scenario {
  /// The times at which timers fire, and how often.
  static let timers: [Scenario] = [
    Scenario(
      [35, 37], "a timer that is made with a time in the past", coreFoundation: "older younger →finished",
      ours: "younger older →finished",
      because:
        "it keeps the time that it was given, and so its phase and its place among others; CoreFoundation takes now instead"
    ) { s in
      s.timer("older", at: -5)
      s.timer("younger", at: -10)
      s.run(for: 1_000)
    },
    Scenario([37], "a late repeating timer fires once and keeps its phase", gives: "tick →timedOut 40 tick →timedOut 50") {
      s in
      s.timer("tick", at: 10, every: 10) { s in if s.count("tick") == 1 { s.burn(until: 34) } }
      s.run(for: 25)
      s.log("\(s.fireTime("tick"))")
      s.burn(until: 44)
      s.run(for: 0)
      s.log("\(s.fireTime("tick"))")
    },
    Scenario([37], "its next time is that of the call while it is called", gives: "tick 5 tick 15 →stopped 25") { s in
      s.timer("tick", at: 5, every: 10) { s in
        s.log("\(s.fireTime("tick"))")
        if s.count("tick") == 2 { s.stop() }
      }
      s.run(for: 1_000)
      s.log("\(s.fireTime("tick"))")
    },
    Scenario([40], "an interval of nothing, or below, fires once", gives: "zero negative →finished false false") { s in
      s.timer("zero", at: 1, every: 0)
      s.timer("negative", at: 2, every: -5)
      s.run(for: 1_000)
      s.log("\(s.isValid("zero"))")
      s.log("\(s.isValid("negative"))")
    },
    Scenario([40], "the shortest interval repeats", gives: "tick tick tick →stopped true") { s in
      s.timer("tick", at: 0, every: 2e-6) { s in if s.count("tick") == 3 { s.stop() } }
      s.run(for: 1_000)
      s.log("\(s.isValid("tick"))")
    },
    Scenario([41], "a timer has one time in all its modes", gives: "7 7 timer →finished →finished") { s in
      s.timer("timer", at: 50)
      s.add("timer", to: "other")
      s.move("timer", to: 7)
      s.log(s.nextFireTime(in: "default"))
      s.log(s.nextFireTime(in: "other"))
      s.run("other", for: 1_000)
      s.run(for: 1_000)
    },
    Scenario([41], "it belongs to one loop until it is removed from all its modes", gives: "false false timer →finished") {
      s in
      s.timer("timer", at: 1)
      s.add("timer", to: "other")
      s.onOtherLoop { other in
        other.loop.add(s.item("timer"), to: "default")
        s.log("\(other.loop.contains(s.item("timer"), in: "default"))")
        s.remove("timer", from: "default")
        other.loop.add(s.item("timer"), to: "default")
        s.log("\(other.loop.contains(s.item("timer"), in: "default"))")
        s.remove("timer", from: "other")
        other.loop.add(s.item("timer"), to: "default")
        other.run(for: 1_000)
      }
    },
    Scenario(
      [12, 42, 54], "a run that is nested in afterWaiting, when a timer woke the loop",
      coreFoundation: "nest →timedOut call →timedOut", ours: "nest call →timedOut →timedOut",
      because: "the timer is due, which is all that counts"
    ) { s in
      s.timer("call", at: 1)
      s.timer(".never", at: Stage.never)
      s.observer("nest", .afterWaiting, repeats: false) { s in s.run() }
      s.run(for: 5)
    },
    Scenario(
      [44], "timers with a tolerance are called together", coreFoundation: "sleep wake early sleep wake late →finished",
      ours: "sleep wake early late →finished",
      because: "tolerance is CoreFoundation's on Apple's systems; on Linux it does nothing there"
    ) { s in
      s.observe([.beforeWaiting, .afterWaiting])
      s.timer("early", at: 4, tolerance: 20)
      s.timer("late", at: 12)
      s.run(for: 1_000)
    },
    Scenario(
      [45], "a mode whose last timer is removed when due", coreFoundation: "sleep wake sleep wake →timedOut",
      ours: "sleep wake →timedOut",
      because: "our loop disarms the kernel's timer; CoreFoundation is woken by it once more"
    ) { s in
      s.observe([.beforeWaiting, .afterWaiting])
      s.source("source")
      s.timer("timer", at: 1)
      s.burn(until: 3)
      s.remove("timer", from: "default")
      s.run(for: 6)
    },
    Scenario(
      [45, 52], "a mode that loses its only item, a timer, before the wait: the run ends at the old fire time",
      gives: "sleep wake →finished sleep wake →finished sleep wake →timedOut"
    ) { s in
      s.observe([.beforeWaiting, .afterWaiting])
      s.observer(".before timers", .beforeTimers) { s in if s.count("→finished") == 0 { s.remove("timer", from: "default") }
      }
      s.observer(".before waiting", .beforeWaiting) { s in s.invalidate("timer") }
      for time in [2, 4, 1_000.0] {
        s.timer("timer", at: time)
        s.run(for: time == 1_000 ? 6 : 500)
      }
    },
    Scenario([46], "the next time of a mode is that of its first timer", gives: "none 5 none 9") { s in
      s.log(s.nextFireTime(in: "default"))
      s.timer("late", at: 9)
      s.timer("early", at: 5)
      s.log(s.nextFireTime(in: "default"))
      s.log(s.nextFireTime(in: "other"))
      s.invalidate("early")
      s.log(s.nextFireTime(in: "default"))
    },
    Scenario(
      [46], "the next time while the only timer is called", coreFoundation: "timer 2 →finished",
      ours: "timer none →finished",
      because: "a timer that is being called does not count: when it fires next is decided after the call"
    ) { s in
      s.timer("timer", at: 2) { s in s.log(s.nextFireTime(in: "default")) }
      s.run(for: 1_000)
    },
  ]

  /// Timers whose time is changed.
  static let movedTimers: [Scenario] = [
    Scenario([38], "a later time that is set in the call is a new phase", gives: "tick →timedOut 30 tick →timedOut 40") {
      s in
      s.timer("tick", at: 5, every: 10) { s in if s.count("tick") == 1 { s.move("tick", to: 30) } }
      s.run(for: 12)
      s.log("\(s.fireTime("tick"))")
      s.run(for: 24)
      s.log("\(s.fireTime("tick"))")
    },
    Scenario(
      [38, 41], "a timer of two modes that moves itself in its call",
      coreFoundation: "tick →timedOut sleep sleep tick sleep →timedOut",
      ours: "tick →timedOut sleep tick sleep →timedOut",
      because: "in its other modes CoreFoundation leaves the kernel's timer at the time that was served, and is woken by it"
    ) { s in
      s.observe(.beforeWaiting, in: "other")
      s.timer("tick", at: 1, every: 1_000) { s in s.move("tick", to: s.count("tick") == 1 ? 8 : Stage.never) }
      s.add("tick", to: "other")
      s.run(for: 4)
      s.run("other", for: 8)
    },
    Scenario(
      [38, 41], "a timer that moves itself in its call to a time that has passed, and to another mode",
      coreFoundation: "tick poll →timedOut →timedOut →timedOut",
      ours: "tick poll tick →timedOut →timedOut →timedOut",
      because: "it is due there; CoreFoundation sets the kernel's timer of the mode that it was called in only"
    ) { s in
      s.timer(".never", at: Stage.never)
      s.timer(".never in other", at: Stage.never, in: "other")
      s.timer("tick", at: s.overdue, every: Stage.never) { s in
        guard s.count("tick") == 1 else { return }
        s.move("tick", to: s.overdue)
        s.remove("tick", from: "default")
        s.add("tick", to: "other")
      }
      s.timer("poll", at: s.overdue) { s in s.run("other") }
      s.run(for: 4)
      s.run("other", for: 4)
    },
    Scenario([39], "moving a timer from another thread wakes the loop", gives: "sleep wake sleep wake timer →finished") {
      s in
      s.timer("timer", at: Stage.never)
      s.observe([.beforeWaiting, .afterWaiting])
      s.whileAsleep { s in s.move("timer", to: s.now + 5) }
      s.run(for: 1_000)
    },
    Scenario(
      [39], "adding one from another thread is effective without a wake-up", gives: "sleep wake timer sleep wake →timedOut"
    ) { s in
      s.source("source")
      s.observe([.beforeWaiting, .afterWaiting])
      s.timer("timer", at: 2, in: nil)
      s.timer(".never", at: Stage.never)
      s.whileAsleep { s in s.add("timer", to: "default") }
      s.run(for: 8)
    },
  ]
}
