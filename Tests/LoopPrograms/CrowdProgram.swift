import Glibc
import LinuxSystem
import RunLoops

/// A loop with very many items: it serves them, releases them and leaks nothing.
enum CrowdProgram {
  /// - Parameter share: the divisor of 100,000 timers, 10,000 descriptors and 10,000 observers.
  /// - Returns: the exit status.
  static func run(share: Int) -> Int32 {
    let size = Calls(timers: 100_000 / share, descriptors: 10_000 / share, observers: 10_000 / share)
    var limit = rlimit()
    let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    getrlimit(openFiles, &limit)
    limit.rlim_cur = min(limit.rlim_max, 65_536)
    setrlimit(openFiles, &limit)
    // The second round proves that memory which the loop keeps for its whole life does not grow.
    for round in 1...2 {
      guard let calls = crowd(size) else { return 1 }
      print("round \(round): \(calls.timers) timers, \(calls.descriptors) descriptors, \(calls.observers) observers called")
      guard calls == size else { return 1 }
    }
    return 0
  }

  private struct Calls: Equatable, Sendable {
    var timers = 0
    var descriptors = 0
    var observers = 0
  }

  private static func crowd(_ size: Calls) -> Calls? {
    let clock = ManualClock()
    let loop = FrameLoop(clock: .manual(clock))
    let calls = Lock(Calls())
    let start = clock.now
    var random = SplitMix64(seed: 5)

    for _ in 0..<size.timers {
      let time = start + .microseconds(Int64.random(in: 0...1_000_000, using: &random))
      loop.add(FrameLoop.Timer(fireTime: time, .onLoop { _ in calls.withLock { $0.timers += 1 } }), to: .default)
    }
    for _ in 0..<size.observers {
      let order = Int.random(in: -100...100, using: &random)
      loop.add(
        FrameLoop.Observer(.entry, order: order, .onLoop { _, _ in calls.withLock { $0.observers += 1 } }), to: .default)
    }
    // Each descriptor is ready until it has been called once. The process opens as many as the system allows; further
    // sources share them.
    var events: [OwnedEvent] = []
    for index in 0..<size.descriptors {
      let event: OwnedEvent
      if let own = try? OwnedEvent() {
        event = own
        events.append(own)
      } else {
        guard !events.isEmpty else { return nil }
        event = events[index % events.count]
      }
      event.post()
      let source = FrameLoop.DescriptorSource(
        descriptor: event.number,
        .onLoop { source, _ in
          calls.withLock { $0.descriptors += 1 }
          source.invalidate()
        })
      loop.add(source, to: .default)
    }
    loop.run(mode: .default, until: start + .seconds(2))
    // A second crowd is never called: the loop is released with all of it.
    for _ in 0..<size.timers / 10 {
      loop.add(FrameLoop.Timer(fireTime: start + .seconds(3600), .onLoop { _ in }), to: .default)
    }
    return calls.withLock { $0 }
  }
}

/// An event descriptor that stays ready.
private final class OwnedEvent: Sendable {
  private let descriptor: OwnedDescriptor
  init() throws(SystemError) { descriptor = try .event() }
  var number: Int32 { descriptor.number }

  func post() {
    var one: UInt64 = 1
    _ = write(number, &one, 8)
  }
}
