import FrameTiming
import Framepace
import Glibc
import KMS
import LinuxSystem
import Metering
import RunLoops
import SampleScenes

/// The time from a vblank to a link's callback, compared in turns with the shortest possible loop.
@MainActor
func latency(_ count: Int) throws {
  let display = openDisplay()
  Animation.show(1, on: display)
  let bare = try BareLoop(card: display.card.path, crtc: display.crtc)
  // Short ones, so that what else the host does is shared.
  let rounds = max(1, count / 20)
  var (bareDelays, linkDelays): ([Nanoseconds], [Nanoseconds]) = ([], [])
  for _ in 0..<rounds {
    bareDelays += bare.arrivals(count / rounds).map { $0.handled - $0.stamp }
    linkDelays += delays(count / rounds, on: display)
  }
  Guest.expect(
    bareDelays.count == linkDelays.count && bareDelays.count > count / 2, "\(bareDelays.count), \(linkDelays.count)")
  let (bareMedian, linkMedian) = (percentile(50, of: bareDelays), percentile(50, of: linkDelays))
  let ratio = linkMedian / bareMedian
  Guest.say(
    "\(count) vblanks each, us to the handler: bare p50 \(bareMedian) p95 \(percentile(95, of: bareDelays)), "
      + "link p50 \(linkMedian) p95 \(percentile(95, of: linkDelays)); ratio of the medians \(ratio)")
  if getenv("exact") != nil {
    // Instructions of 4 ns each: a vblank passes loop, model and ticker. 26 us were measured, which are 2 us in real time.
    Guest.expect(linkMedian - bareMedian <= 30, "a link is called \(linkMedian - bareMedian) us after a bare loop's handler")
  }
  display.invalidate()
}

/// From each vblank to the callback of a link.
@MainActor
private func delays(_ count: Int, on display: KMSDisplay) -> [Nanoseconds] {
  var delays: [Nanoseconds] = []
  delays.reserveCapacity(count)
  let link = DisplayLink(ticker: display.ticker) { link in
    let now = SystemClock.monotonic.now
    if let tick = link.tick { delays.append(now - tick.timestamp) }
    if delays.count == count { FrameLoop.main.stop() }
  }
  link.add(to: .main, mode: .default)
  FrameLoop.main.run(mode: .default, until: FrameLoop.main.clock.now + .seconds(10))
  link.invalidate()
  return delays
}

/// In microseconds.
private func percentile(_ percent: Int, of delays: [Nanoseconds]) -> Double {
  let sorted = delays.sorted()
  return sorted.isEmpty ? .infinity : sorted[(sorted.count - 1) * percent / 100].microseconds
}

/// Plays a scene, in turns with a bare loop: in exact time none is missed, else no more than vblanks by the latter, and one
/// percent; each with a cause. In real time the loop works as long as a frame takes, for the host takes time away from both.
@MainActor
func misses(_ name: String, frames count: Int, mode: String) throws {
  let display = openDisplay(mode: mode)
  guard let name = SceneName(rawValue: name) else { return Guest.expect(false, "no scene \(name)") }
  Animation.show(1, on: display)
  let playback = try ScenePlayback(name, on: display)
  // The mode-set, and the first painting of each buffer, which is whole.
  playback.play(60)
  let work = playback.shown.dropFirst(10).map(\.work).sorted()
  // In exact time nothing is missed.
  let chore = getenv("exact") != nil || work.isEmpty ? nil : Chore(lasting: work[work.count / 2])
  let bare = try BareLoop(card: display.card.path, crtc: display.crtc)
  let interval = display.ticker.refreshRate.interval
  let rounds = 5
  var (bareMissed, missed, shown, late, unexplained): (UInt64, UInt64, Int, Int, Int) = (0, 0, 0, 0, 0)
  var causes: [String: Int] = [:]
  var classifier = LateFrameClassifier()
  for _ in 0..<rounds {
    bareMissed += bare.arrivals(count / rounds, chore: chore).missed
    let (firstFrame, firstTick) = (playback.shown.count, playback.ticks.count)
    playback.play(count / rounds)
    // The first comes out of rest.
    let frames = playback.shown.dropFirst(firstFrame + 1)
    let ticks = playback.ticks.dropFirst(firstTick)
    shown += frames.count
    for (before, frame) in zip(frames, frames.dropFirst()) {
      let gap = UInt64(max(0, ((frame.presented - before.presented).seconds / interval.seconds).rounded() - 1))
      missed += gap
      let cause = classifier.causes(of: frame, interval: interval)?.main
      if let cause {
        late += 1
        causes[cause.name, default: 0] += 1
      } else if gap > 0 {
        // In time for its tick: then it was the tick that did not come.
        let tick = ticks.first { $0.timestamp == frame.tickTimestamp }
        if let tick, tick.missed >= gap { causes["tick missed", default: 0] += 1 } else { unexplained += 1 }
      }
    }
  }
  Guest.say(
    "\(name.rawValue) at \(display.mode): \(shown) frames, \(missed) intervals missed, bare loop \(bareMissed) of \(count); "
      + "work p50 \(percentile(50, of: playback.shown.map(\.work))) us; \(late) late, causes \(causes.sorted { $0.key < $1.key }), without a cause \(unexplained)"
  )
  Guest.expect(shown >= count / 3, "\(shown) frames of \(count) are too few to tell anything")
  let most = getenv("exact") != nil ? 0 : bareMissed + UInt64(count / 50)
  Guest.expect(missed <= most, "\(missed) intervals missed, \(bareMissed) by a bare loop")
  Guest.expect(unexplained == 0, "\(unexplained) missed intervals without a cause")
  playback.end()
}

/// Every event that the kernel sent is a tick's or a frame's, and each of them has had one, at vblanks that follow one
/// another. At rest the kernel is asked for nothing.
@MainActor
func events(_ name: String, frames count: Int, mode: String) throws {
  let display = openDisplay(mode: mode)
  guard let name = SceneName(rawValue: name) else { return Guest.expect(false, "no scene \(name)") }
  Animation.show(1, on: display)
  let playback = try ScenePlayback(name, on: display)
  playback.play(10)
  let trace = KernelTrace()
  let (firstFrame, firstTick) = (playback.shown.count, playback.ticks.count)
  playback.play(count)
  let delivered = trace.delivered
  let (frames, ticks) = (playback.shown.dropFirst(firstFrame), playback.ticks.dropFirst(firstTick))

  // A vblank's number from its stamp.
  guard let last = display.ticker.lastVBlank else { return Guest.expect(false, "no vblank") }
  let interval = display.ticker.refreshRate.interval.seconds
  func sequence(_ stamp: MonotonicTime) -> UInt64 {
    UInt64(Int64(last.sequence) + Int64(((stamp - last.timestamp).seconds / interval).rounded()))
  }
  var expected: [UInt64: Int] = [:]
  for stamp in ticks.map(\.timestamp) + frames.map(\.presented) { expected[sequence(stamp), default: 0] += 1 }
  // The tick that was asked for before everything came to rest, and which found nobody that wanted it.
  let spare = delivered.filter { $0.value != expected[$0.key, default: 0] }
  Guest.expect(
    spare.count <= 1 && spare.keys.allSatisfy { $0 >= sequence(ticks.last?.timestamp ?? .zero) },
    "events \(spare.sorted { $0.key < $1.key }) are not those of ticks and frames")
  // The first tick's may have been sent, and not yet read, when the tracer began.
  let unheard = expected.keys.filter { delivered[$0] == nil && $0 > sequence(ticks.first?.timestamp ?? .zero) }
  Guest.expect(unheard.isEmpty, "at \(unheard.sorted()) there were ticks or frames without an event")
  Guest.expect(Set(frames.map { sequence($0.presented) }).count == frames.count, "two frames at one vblank")
  let numbers = ticks.map { sequence($0.timestamp) }
  let skips = zip(numbers, numbers.dropFirst()).filter { $0.1 != $0.0 + 1 }.count
  Guest.expect(skips == 0, "\(skips) vblanks without a tick")
  Guest.expect(frames.count >= count / 2, "\(frames.count) frames of \(count) ticks are too few to tell anything")

  // At rest.
  playback.rest(.milliseconds(100))
  trace.clear()
  var before = rusage()
  getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &before)
  playback.rest(.seconds(2))
  var after = rusage()
  getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &after)
  let (sent, ioctls, switches) = (trace.delivered.count, trace.ioctls, after.ru_nvcsw - before.ru_nvcsw)
  Guest.expect(sent == 0, "\(sent) vblanks were told of at rest")
  Guest.expect(ioctls == 0, "\(ioctls) ioctls at rest")
  Guest.expect(switches <= 5, "\(switches) times woken at rest")
  Guest.say(
    "\(name.rawValue): \(delivered.values.reduce(0, +)) events of the kernel for \(ticks.count) ticks and \(frames.count) frames; "
      + "2 s at rest: \(sent) events, \(ioctls) ioctls, \(switches) context switches")
  playback.end()
}
