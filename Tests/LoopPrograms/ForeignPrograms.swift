import Dispatch
import Glibc
import RunLoops

/// Typical programs that know nothing of this loop. They rely on a main thread that serves the main queue and the main
/// actor. They run together for some seconds, and each checks its results.
@MainActor
enum ForeignPrograms {
  /// The finished rounds of each program.
  private static var rounds: [String: Int] = [:]
  private static let mainThread = pthread_self()

  private static func round(_ program: String) {
    guard pthread_equal(pthread_self(), mainThread) != 0 else { fatalError("\(program): not on the main thread") }
    rounds[program, default: 0] += 1
  }

  static func run(seconds: Double) {
    timerThatKeepsTheProcessAlive()
    pingPong()
    tasksThatSleep()
    producer()
    streamOfEvents()
    actors()
    DispatchQueue.main.asyncAfter(deadline: .now() + seconds) { FrameLoop.main.stop() }
    FrameLoop.main.run()

    let least = Int(seconds * 10)
    for (program, count) in rounds.sorted(by: { $0.key < $1.key }) {
      print("\(program): \(count)")
      if count < least { fatalError("\(program) came to a stop: \(count) rounds in \(seconds) s") }
    }
    if rounds.count != 7 { fatalError("some programs did nothing: \(rounds.keys.sorted())") }
  }

  /// A repeating timer on the main queue, and one on its own queue that reports to the main queue.
  private static func timerThatKeepsTheProcessAlive() {
    let timer = DispatchSource.makeTimerSource(queue: .main)
    timer.schedule(deadline: .now(), repeating: .milliseconds(5))
    timer.setEventHandler { round("timer") }
    timer.resume()
    let background = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "background"))
    background.schedule(deadline: .now(), repeating: .milliseconds(7))
    background.setEventHandler { @Sendable in DispatchQueue.main.sync { round("background timer") } }
    background.resume()
    timers = [timer, background]
  }

  private static var timers: [any DispatchSourceTimer] = []

  /// The main queue and a global queue call each other in turn.
  private static func pingPong() {
    DispatchQueue.global().async {
      DispatchQueue.main.async {
        round("ping-pong")
        pingPong()
      }
    }
  }

  /// Tasks that sleep on the main actor, and tasks that wait for others.
  private static func tasksThatSleep() {
    for index in 1...5 {
      Task { @MainActor in
        while !Task.isCancelled {
          try? await Task.sleep(nanoseconds: UInt64(index) * 1_000_000)
          round("sleepers")
          let sum = await withTaskGroup(of: Int.self) { group in
            for number in 1...4 { group.addTask { number * index } }
            var sum = 0
            for await number in group { sum += number }
            return sum
          }
          guard sum == 10 * index else { fatalError("a sum of \(sum)") }
        }
      }
    }
  }

  /// A thread that makes numbers and passes each to the main thread, which must receive them in order.
  private static func producer() {
    var thread = pthread_t()
    pthread_create(&thread, nil, producerMain, nil)
    pthread_detach(thread)
  }

  nonisolated fileprivate static func produce() {
    let room = DispatchSemaphore(value: 16)
    var number = 0
    while room.wait(timeout: .distantFuture) == .success {
      hand(number, room)
      number += 1
    }
  }

  nonisolated private static func hand(_ number: Int, _ room: DispatchSemaphore) {
    DispatchQueue.main.async {
      take(number)
      room.signal()
    }
  }

  private static var expected = 0

  private static func take(_ number: Int) {
    guard number == expected else { fatalError("\(number) came, and not \(expected)") }
    expected += 1
    round("producer")
  }

  /// Events that a callback on a queue puts into a stream, and that the main actor consumes.
  private static func streamOfEvents() {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(8))
    let source = DispatchSource.makeTimerSource(queue: .global())
    source.schedule(deadline: .now(), repeating: .milliseconds(3))
    source.setEventHandler { @Sendable in continuation.yield(1) }
    source.resume()
    timers.append(source)
    Task { @MainActor in for await _ in stream { round("stream") } }
  }

  /// An actor that counts and reports to the main actor.
  private static func actors() {
    actor Counter {
      private var count = 0
      func next() -> Int {
        count += 1
        return count
      }
    }
    let counter = Counter()
    Task { @MainActor in
      var last = 0
      while !Task.isCancelled {
        let next = await counter.next()
        guard next == last + 1 else { fatalError("\(next) after \(last)") }
        last = next
        round("actors")
      }
    }
  }
}

private func producerMain(_: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  ForeignPrograms.produce()
  return nil
}
