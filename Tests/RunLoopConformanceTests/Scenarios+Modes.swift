import LoopTestSupport
import RunLoops

extension Scenario {
  /// The common modes.
  static let commonModes: [Scenario] = [
    Scenario(
      [21, 56], "removed from all its modes a common item may be another loop's, and does not come back here",
      gives: "true true false"
    ) { s in
      s.observer("observer", .entry, in: "common")
      s.remove("observer", from: "default")
      s.onOtherLoop { other in
        other.loop.add(s.item("observer"), to: "default")
        s.log("\(other.loop.contains(s.item("observer"), in: "default"))")
        s.log("\(s.contains("observer", in: "common"))")
        s.addCommonMode("later")
        s.log("\(s.contains("observer", in: "later"))")
      }
    },
    Scenario(
      [56], "a timer that is a common item, but in no mode", coreFoundation: "false true", ours: "true true",
      because: "CoreFoundation asks for the timer's loop first, and says of sources and observers what we say of all"
    ) { s in
      s.timer("timer", at: Stage.never, in: "common")
      s.remove("timer", from: "default")
      s.log("\(s.contains("timer", in: "common"))")
      s.addCommonMode("later")
      s.log("\(s.contains("timer", in: "later"))")
    },
    Scenario(
      [56], "an invalid item that was in no mode", coreFoundation: "true", ours: "false",
      because: "invalid is invalid; CoreFoundation does not find the loop that still has it among the common items"
    ) { s in
      s.source("source", in: "common")
      s.remove("source", from: "default")
      s.invalidate("source")
      s.log("\(s.contains("source", in: "common"))")
    },
  ]

  /// Threads.
  static let threads: [Scenario] = [
    Scenario([57], "what another thread adds and asks is the loop's at once", gives: "default true timer →finished") { s in
      s.timer(".keeper", at: Stage.never)
      s.whileAsleep { s in
        s.log(s.loop.currentMode ?? "nil")
        s.timer("timer", at: s.now + 2, in: nil)
        s.add("timer", to: "default")
        s.log("\(s.contains("timer", in: "default"))")
        s.invalidate(".keeper")
      }
      s.run(for: 1_000)
    },
    Scenario(
      [58], "a thread's end takes its loop's sources out, and tells them; everything stays valid and can be added again",
      gives: "+default -default true true true observer source timer →timedOut"
    ) { s in
      s.onOtherLoop { other in
        other.source(".source", reports: true) { s in s.log("source") }
        other.timer(".timer", at: 0) { s in s.log("timer") }
        other.observer(".observer", .entry) { s in s.log("observer") }
      }
      s.source(".keeper")
      s.burn(until: 2)
      for name in [".source", ".timer", ".observer"] {
        s.log("\(s.isValid(name))")
        s.loop.add(s.item(name), to: "other")
      }
      s.words.drop("+other")
      s.signal(".source")
      s.run("other")
      s.inAnyOrder { s in s.invalidate(".source") }
      s.words.drop("-other")
    },
    Scenario([58], "blocks that wait are let go unrun", gives: "released end") { s in
      s.onOtherLoop { other in
        other.hand(Witness(other.words)) { other, witness in
          other.block("block") { _ in _ = witness }
          other.block("other", in: ["other"]) { _ in _ = witness }
        }
      }
      s.log("end")
    },
    Scenario([59], "a run is of the calling thread's loop, however the others do", gives: "→finished stop →stopped") { s in
      s.source("source")
      s.whileAsleep { s in
        s.onOtherLoop { other in other.run(for: 1_000) }
        s.log("stop")
        s.stop()
      }
      s.run(for: 1_000)
    },
  ]

  /// The main queue, on the main thread.
  static let mainQueue: [Scenario] = [
    Scenario([3, 60], "a common mode of the main thread is never empty", on: .mainThread, gives: "→timedOut →timedOut") {
      s in
      s.run()
      s.run(for: 2)
    },
    Scenario([14, 60], "another thread's block wakes the loop", on: .mainThread, gives: "sleep wake block →handledSource") {
      s in
      s.observe([.beforeWaiting, .afterWaiting])
      s.whileAsleep { s in s.onMainQueue("block") }
      s.run(for: 1_000, returnAfterSourceHandled: true)
    },
    Scenario(
      [60], "a mode that is not common leaves it alone, and may be empty", on: .mainThread,
      gives: "→finished timer →finished block →handledSource"
    ) { s in
      s.onMainQueue("block")
      s.run("own", for: 1_000)
      s.timer("timer", at: 0, in: "own")
      s.run("own", for: 1_000)
      s.run(for: 1_000, returnAfterSourceHandled: true)
    },
    Scenario(
      [60], "a run that is nested in one of its blocks does not serve it, nor is its mode never empty there",
      on: .mainThread, gives: "outer →finished timer →finished back inner →stopped"
    ) { s in
      s.onMainQueue("outer") { s in
        s.onMainQueue("inner") { s in s.stop() }
        s.run(for: 1_000)
        s.timer("timer")
        s.run(for: 1_000)
        s.log("back")
      }
      s.run(for: 1_000)
    },
    Scenario([60], "one that is nested in a timer does", on: .mainThread, gives: "timer block →handledSource →stopped") {
      s in
      s.timer("timer") { s in
        s.onMainQueue("block")
        s.run(for: 1_000, returnAfterSourceHandled: true)
        s.stop()
      }
      s.run(for: 1_000)
    },
    Scenario([61], "one drain is what was queued by then", on: .mainThread, gives: "timers one two timers three →stopped") {
      s in
      s.observe(.beforeTimers)
      s.onMainQueue("one") { s in s.onMainQueue("three") { s in s.stop() } }
      s.onMainQueue("two")
      s.run(for: 1_000)
    },
    Scenario(
      [9, 61], "the queue is looked at first in every other pass at most, never in the first, and nothing waits then",
      on: .mainThread,
      gives: "sleep wake timer timers block timers sleep wake next →stopped"
    ) { s in
      s.timer("timer", at: 1) { s in
        s.onMainQueue("block") { s in s.onMainQueue("next") { s in s.stop() } }
        s.observe(.beforeTimers)
      }
      s.observe([.beforeWaiting, .afterWaiting])
      s.burn(until: 3)
      s.run(for: 1_000)
    },
    Scenario([9], "the first pass sleeps first", on: .mainThread, gives: "sleep wake block →stopped") { s in
      s.observe([.beforeWaiting, .afterWaiting])
      s.onMainQueue("block") { s in s.stop() }
      s.run(for: 1_000)
    },
    Scenario(
      [51, 60], "a wake-up in a block of the queue is ignored", on: .mainThread, gives: "sleep block sleep →timedOut"
    ) { s in
      s.observe(.beforeWaiting)
      s.onMainQueue("block") { s in s.wakeUp() }
      s.run(for: 4)
    },
  ]
}
