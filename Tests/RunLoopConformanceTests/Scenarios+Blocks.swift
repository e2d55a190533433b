import LoopTestSupport
import RunLoops

extension Scenario {
  /// Blocks.
  static let blocks: [Scenario] = [
    Scenario([47], "queueing wakes nothing", gives: "timer block →timedOut") { s in
      s.timer("timer", at: 6)
      s.timer(".never", at: Stage.never)
      s.whileAsleep { s in s.block("block") }
      s.run(for: 12)
    },
    Scenario([47], "a block is let go before the next one runs", gives: "one released two →timedOut") { s in
      s.source("source")
      s.hand(Witness(s.words)) { s, witness in s.block("one") { _ in _ = witness } }
      s.block("two")
      s.run()
    },
    Scenario(
      [47], "a block makes its modes, in which nothing else was ever added",
      gives: "one →timedOut two three →timedOut →finished"
    ) { s in
      s.block("one", in: ["new"])
      s.block("two", in: ["a", "b"])
      s.block("three", in: ["b"])
      s.run("new", for: 1)
      s.run("b", for: 1)
      s.run("a", for: 1)
    },
    Scenario(
      [48, 49], "a block makes its mode common: the round includes common blocks after it, none before it and no new one",
      gives: "maker nested →timedOut three four five sleep one new →finished"
    ) { s in
      s.observe(.beforeWaiting, in: "a")
      s.timer(".timer", at: 1, in: "a")
      s.block("one", in: ["common"])
      s.block("maker", in: ["a"]) { s in
        s.block("nested", in: ["b"]) { s in s.addCommonMode("a") }
        s.run("b")
        s.block("new", in: ["common"])
      }
      s.block("three", in: ["common"])
      s.block("four", in: ["a"])
      s.block("five", in: ["common", "b"])
      s.run("a", for: 6)
    },
  ]

  /// Waking, stopping, nesting.
  static let wakeUps: [Scenario] = [
    Scenario(
      [51], "at entry, before timers, before sources and before waiting it counts",
      gives: "sleep sleep sleep sleep sleep →finished"
    ) { s in
      s.observe(.beforeWaiting)
      s.timer(".timer", at: 30)
      s.observer(".one", [.entry], repeats: false) { s in s.wakeUp() }
      s.observer(".two", [.beforeTimers]) { s in if s.count("sleep") == 1 { s.wakeUp() } }
      s.observer(".three", [.beforeSources]) { s in if s.count("sleep") == 2 { s.wakeUp() } }
      s.observer(".four", [.beforeWaiting]) { s in if s.count("sleep") == 4 { s.wakeUp() } }
      s.run(for: 1_000)
    },
    Scenario(
      [51], "in afterWaiting, a timer, and a block after the wait it is ignored",
      gives: "sleep wake timer block sleep wake →timedOut"
    ) { s in
      s.observe([.beforeWaiting, .afterWaiting])
      s.observer(".wake", .afterWaiting, repeats: false) { s in s.wakeUp() }
      s.timer("timer", at: 1) { s in
        s.wakeUp()
        s.block("block") { s in s.wakeUp() }
      }
      s.timer(".never", at: Stage.never)
      s.run(for: 6)
    },
    Scenario([51], "ten wake-ups from another thread before a wait are one more pass", gives: "2 →stopped") { s in
      s.observer(".sleep", .beforeWaiting)
      s.source("source")
      s.observer(".hold", .beforeSources, repeats: false) { s in s.spin { s.count(".woken") == 1 } }
      s.onThread { s in
        s.spin { s.count(".hold") == 1 }
        for _ in 0..<10 { s.wakeUp() }
        s.log(".woken")
        s.spin { s.count(".sleep") >= 2 && s.loop.isWaiting }
        s.stop()
      }
      s.observer(".exit", .exit) { s in s.log("\(s.count(".sleep"))") }
      s.run(for: 1_000)
    },
    Scenario(
      [51, 54], "a wake-up that a nested run got", coreFoundation: "outer inner →stopped timer source →timedOut",
      ours: "outer inner →stopped source timer →timedOut",
      because: "it may have been meant for the run outside, which would sleep over it"
    ) { s in
      s.source("source")
      s.timer("timer", at: 8)
      s.timer(".never", at: Stage.never)
      s.source(".inner", in: "inner")
      s.observer("outer", .beforeWaiting, repeats: false) { s in s.run("inner", for: 1_000) }
      s.observer("inner", .beforeWaiting, repeats: false, in: "inner") { s in
        s.signal("source")
        s.wakeUp()
        s.stop()
      }
      s.run(for: 12)
    },
    Scenario(
      [51, 53], "the wake-up of a stop at entry", coreFoundation: "→stopped sleep sleep →timedOut",
      ours: "→stopped sleep →timedOut",
      because: "the run that it was meant for is over; CoreFoundation's next run finds it in the descriptor"
    ) { s in
      s.observe(.beforeWaiting)
      s.source("source")
      s.observer(".stop", .entry, repeats: false) { s in s.stop() }
      s.run(for: 1_000)
      s.run(for: 3)
    },
    Scenario([52], "removing the last item from another thread does not end a sleeping run", gives: "→timedOut") { s in
      s.source("source")
      s.whileAsleep { s in s.remove("source", from: "default") }
      s.run(for: 6)
    },
    Scenario([52], "with a wake-up it does", gives: "→finished") { s in
      s.source("source")
      s.whileAsleep { s in
        s.remove("source", from: "default")
        s.wakeUp()
      }
      s.run(for: 1_000)
    },
    Scenario([53], "stop() from another thread wakes and ends the run", gives: "sleep wake →stopped") { s in
      s.observe([.beforeWaiting, .afterWaiting])
      s.source("source")
      s.whileAsleep { s in s.stop() }
      s.run(for: 1_000)
    },
    Scenario([55], "a sleeping loop says so to other threads", gives: "false asleep false →stopped false") { s in
      s.log("\(s.loop.isWaiting)")
      s.source("source")
      s.whileAsleep { s in
        s.log("asleep")
        s.stop()
      }
      s.observer(".exit", .exit) { s in s.log("\(s.loop.isWaiting)") }
      s.run(for: 1_000)
      s.log("\(s.loop.isWaiting)")
    },
    Scenario([55], "it does not wait in callbacks", gives: "false false false false →timedOut") { s in
      s.timer(".never", at: Stage.never)
      s.block(".block") { s in s.log("\(s.loop.isWaiting)") }
      s.observer(".before", .beforeWaiting, repeats: false) { s in s.log("\(s.loop.isWaiting)") }
      s.observer(".after", .afterWaiting, repeats: false) { s in s.log("\(s.loop.isWaiting)") }
      s.timer(".timer", at: 1) { s in s.log("\(s.loop.isWaiting)") }
      s.run(for: 4)
    },
  ]
}
