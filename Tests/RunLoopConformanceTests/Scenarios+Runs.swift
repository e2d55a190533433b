import LoopTestSupport
import RunLoops

extension Scenario {
  /// The beginning of a run, the conditions for it, and its end.
  static let runs: [Scenario] = [
    Scenario([1], "a loop cannot run in the common modes", gives: "→finished") { s in
      s.observe(in: "common")
      s.source("source", in: "common")
      s.run("common", for: 1_000)
    },
    Scenario(
      [2], "the mode is current from entry to exit, and none is before and after",
      gives: "nil at:default call at:default at:default →timedOut nil"
    ) { s in
      s.log(s.loop.currentMode ?? "nil")
      s.observer("at:default", [.entry, .exit]) { s in
        if s.loop.currentMode != "default" { s.log("but:\(s.loop.currentMode ?? "nil")") }
      }
      s.timer("call") { s in
        s.log("at:\(s.loop.currentMode ?? "nil")")
      }
      s.timer("later", at: Stage.never)
      s.run(for: 3)
      s.log(s.loop.currentMode ?? "nil")
    },
    Scenario(
      [2, 53, 54], "a nested run has a mode and a stop of its own",
      gives: "outer inner:b →stopped back:a later →finished"
    ) { s in
      s.timer("outer", in: "a") { s in
        s.run("b", for: 1_000)
        s.log("back:\(s.loop.currentMode ?? "nil")")
      }
      s.timer("inner:b", in: "b") { s in s.stop() }
      s.timer("never", at: Stage.never, in: "b")
      s.timer("later", at: 3, in: "a")
      s.run("a", for: 1_000)
    },
    Scenario([4], "run() goes on until it is stopped", gives: "tick tick tick back") { s in
      s.timer("tick", every: 1) { s in
        if s.count("tick") == 3 { s.stop() }
      }
      s.loop.run()
      s.log("back")
    },
    Scenario([4], "run() goes on after a source was handled, and ends when nothing is left", gives: "source timer back") {
      s in
      s.source("source") { s in s.timer("timer", at: 2) { s in s.invalidate("source") } }
      s.signal("source")
      s.loop.run()
      s.log("back")
    },
    Scenario([5], "a negative limit is like none ahead", gives: "entry timers sources exit →timedOut") { s in
      s.observe()
      s.source("source")
      s.run(for: -1_000)
    },
    Scenario(
      [5, 12], "a run sleeps to its limit, and not longer", gives: "sleep wake →timedOut slept"
    ) { s in
      s.observe([.beforeWaiting, .afterWaiting])
      s.source("source")
      s.run(for: 10)
      let time = s.now
      s.log(time >= 10 && time < 200 ? "slept" : "slept:\(time)")
    },
    Scenario([5], "a limit beyond sixteen years is none", gives: "timer →finished") { s in
      s.timer("timer", at: 2)
      s.run(for: 1e15)
    },
    Scenario([22, 53], "stopped at entry there is no pass, but an exit", gives: "entry stop exit →stopped") { s in
      s.observe()
      s.source("source")
      s.observer("stop", .entry) { s in s.stop() }
      s.run(for: 1_000)
    },
  ]

  /// The order of a pass.
  static let passes: [Scenario] = [
    Scenario(
      [12, 14], "a wake-up does nothing but begin another pass",
      gives: "entry timers sources sleep wake timers sources sleep wake exit →stopped"
    ) { s in
      s.observe()
      s.source("source")
      s.whileAsleep { s in s.wakeUp() }
      s.onThread { s in
        s.spin { s.count("sleep") == 2 && s.loop.isWaiting }
        s.stop()
      }
      s.run(for: 1_000)
    },
    Scenario(
      [11, 16], "one descriptor a pass, in the order in which they became ready",
      gives: "timers b timers a timers c →stopped"
    ) { s in
      s.observe(.beforeTimers)
      for name in ["a", "b", "c"] { s.descriptor(name) { s in if name == "c" { s.stop() } } }
      for name in ["b", "a", "c"] { s.post(name) }
      s.run(for: 1_000)
    },
    Scenario(
      [16], "a timer and a descriptor that are ready take a pass each", gives: "timers timer timers descriptor →stopped"
    ) { s in
      s.observe(.beforeTimers)
      s.timer("timer", at: 1)
      s.descriptor("descriptor") { s in s.stop() }
      s.observer(".post", .beforeWaiting, repeats: false) { s in
        s.spin { s.now > 3 }
        s.post("descriptor")
      }
      s.run(for: 1_000)
    },
    Scenario(
      [16], "a descriptor that became ready before a timer became due",
      coreFoundation: "timers descriptor timers timer →stopped",
      ours: "timers timer timers descriptor →stopped",
      because:
        "a timer that is due before the wait needs no system call to be found; ports that are ready come in turn with it"
    ) { s in
      s.observe(.beforeTimers)
      s.descriptor("descriptor") { s in if s.count("timer") == 1 { s.stop() } }
      s.post("descriptor")
      s.burn(until: 1)
      s.timer("timer") { s in if s.count("descriptor") == 1 { s.stop() } }
      s.burn(until: 2)
      s.run(for: 1_000)
    },
    Scenario(
      [16, 51], "a wake-up by the loop's own thread while something is ready",
      coreFoundation: "timers timers descriptor →stopped",
      ours: "timers descriptor →stopped",
      because: "it writes to no descriptor, and so needs no pass of its own when another port is ready"
    ) { s in
      s.observe(.beforeTimers)
      s.descriptor("descriptor") { s in s.stop() }
      s.observer(".wake", .beforeSources, repeats: false) { s in
        s.wakeUp()
        s.post("descriptor")
      }
      s.run(for: 1_000)
    },
  ]
}
