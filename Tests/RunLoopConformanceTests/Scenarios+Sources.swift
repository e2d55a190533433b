import RunLoops

extension Scenario {
  /// Sources that are signalled.
  static let sources: [Scenario] = [
    Scenario([26], "a signal does not wake the loop", gives: "timer source →timedOut") { s in
      s.source("source")
      s.timer("timer", at: 6)
      s.whileAsleep { s in s.signal("source") }
      s.run(for: 12)
    },
    Scenario([28], "one that another of the batch invalidates is not", gives: "first third →timedOut") { s in
      s.source("first", order: 1) { s in s.invalidate("second") }
      s.source("second", order: 2)
      s.source("third", order: 3)
      for name in ["first", "second", "third"] { s.signal(name) }
      s.run()
    },
    Scenario(
      [30], "a pass handled a source if any of the batch was called", coreFoundation: "timers first sleep →finished",
      ours: "timers first timers sleep →finished",
      because:
        "CoreFoundation keeps the answer of the batch's last source only, and sleeps if that was invalidated meanwhile"
    ) { s in
      s.observe([.beforeTimers, .beforeWaiting])
      s.source("first", order: 1) { s in s.invalidate("second") }
      s.source("second", order: 2)
      s.signal("first")
      s.signal("second")
      s.timer(".last", at: 4) { s in s.invalidate("first") }
      s.run(for: 1_000)
    },
    Scenario(
      [31], "adding and removing is reported for each mode, common ones and those that become common included",
      gives: "+default +own +later -default -own -later"
    ) { s in
      s.source("source", reports: true, in: "common")
      s.add("source", to: "own")
      s.addCommonMode("later")
      s.add("source", to: "own")
      s.remove("source", from: "default")
      s.remove("source", from: "default")
      s.remove("source", from: "own")
      s.invalidate("source")
      s.invalidate("source")
      s.add("source", to: "own")
    },
    Scenario(
      [31], "an invalidated source is reported removed from all its modes", gives: "+default +own -default -own false false"
    ) { s in
      s.source("source", reports: true)
      s.add("source", to: "own")
      // CoreFoundation does not define their order.
      s.inAnyOrder { s in s.invalidate("source") }
      s.log("\(s.contains("source", in: "default"))")
      s.log("\(s.contains("source", in: "own"))")
    },
    Scenario(
      [31], "a source may be in several loops; the first that runs handles the signal", gives: "source →timedOut →timedOut"
    ) { s in
      s.source("source")
      s.signal("source")
      s.onOtherLoop { other in
        other.loop.add(s.item("source"), to: "default")
        other.run()
      }
      s.run()
    },
  ]

  /// Descriptors.
  static let descriptors: [Scenario] = [
    Scenario(
      [34], "a descriptor that is added to a sleeping loop by another thread is waited for at once",
      gives: "descriptor →handledSource"
    ) { s in
      s.source("source")
      s.descriptor("descriptor", in: nil)
      s.whileAsleep { s in
        s.add("descriptor", to: "default")
        s.post("descriptor")
      }
      s.run(for: 1_000, returnAfterSourceHandled: true)
    },
    Scenario(
      [34], "a source that leaves its descriptor ready", coreFoundation: "call →timedOut", ours: "call call call →stopped",
      because:
        "our loop reads nothing and looks whether the descriptor is ready, so that pipes and sockets are whole for the handler"
    ) { s in
      s.descriptor("call", consumes: false) { s in if s.count("call") == 3 { s.stop() } }
      s.post("call")
      s.run(for: 10)
    },
    Scenario(
      [12, 34, 54], "a run that is nested in afterWaiting, when a descriptor woke the loop",
      coreFoundation: "nest →timedOut call →timedOut", ours: "nest call →timedOut →timedOut",
      because: "the descriptor has not been read, and the nested run finds it ready"
    ) { s in
      s.descriptor("call")
      s.post("call")
      s.observer("nest", .afterWaiting, repeats: false) { s in s.run() }
      s.run(for: 4)
    },
    Scenario(
      [16, 54], "a nested run serves the descriptors that the outer run has not", gives: "a b →handledSource →stopped"
    ) { s in
      s.descriptor("a") { s in
        s.run(for: 1_000, returnAfterSourceHandled: true)
        s.stop()
      }
      s.descriptor("b")
      s.post("a")
      s.post("b")
      s.run(for: 1_000)
    },
  ]
}
