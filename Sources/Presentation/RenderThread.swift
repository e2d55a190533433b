import LinuxSystem
import RenderTree
import RunLoops
import Synchronization

/// Renders the frames of one output on another thread, one at a time, while the main thread goes on.
///
/// Nobody changes the tree meanwhile, and nobody else has the buffer: an output starts no frame before it took the one before.
@MainActor
final class RenderThread {
  /// True from `start` until `takeEnd` has returned the frame's end.
  private(set) var isBusy = false
  /// How long a frame takes from its start to its end: the shorter one of the last two, so that a single long one says nothing.
  private(set) var usualDuration = Nanoseconds.zero
  private var lastDuration = Nanoseconds.zero

  private let threads: WorkerPool
  private let job: Job
  /// The closure is kept, so that it is not made for each frame.
  private let run: @Sendable () -> Void
  /// Signalled when a frame is rendered.
  private let finished: FrameLoop.Source
  private var loop: FrameLoop?

  /// - Parameters:
  ///   - threads: of which one at a time renders.
  ///   - onFinish: called on the loop when a frame is rendered, to take it.
  init(
    threads: WorkerPool, renderer: any Renderer, clock: SystemClock, onFinish: @escaping @MainActor () -> Void
  ) {
    self.threads = threads
    let job = Job(renderer: renderer, clock: clock)
    self.job = job
    run = { job.run() }
    finished = FrameLoop.Source(.onMain { _ in onFinish() })
  }

  /// Lets `loop` tell of rendered frames while it runs in `mode`.
  func add(to loop: FrameLoop, mode: FrameLoop.Mode) {
    self.loop = loop
    loop.add(finished, to: mode)
  }

  /// Begins to render a frame. None may be under way.
  ///
  /// - Parameter isMeasured: true to measure the thread.
  func start(_ tree: TreeSnapshot, change: FrameChange, into target: any RenderTarget, isMeasured: Bool = false) {
    precondition(!isBusy, "a frame was rendered while another one was")
    isBusy = true
    job.frame = Job.Frame(
      tree: tree, change: change, target: target, started: job.clock.now, isMeasured: isMeasured, finished: finished,
      loop: loop)
    // Threads that have ended take no more.
    if !threads.submit(.compositing, run) { run() }
  }

  /// Takes the rendered frame back.
  ///
  /// - Returns: nil while it is not rendered, or if none was started.
  func takeEnd() -> End? {
    guard isBusy, job.isDone.exchange(false, ordering: .acquiring) else { return nil }
    isBusy = false
    let duration = job.end.time - (job.frame?.started ?? job.end.time)
    (usualDuration, lastDuration) = (min(duration, lastDuration), duration)
    // The thread never holds the last reference to a tree or a buffer.
    job.frame = nil
    return job.end
  }

  /// Tells of no frame any more. The one under way is rendered to its end, in memory that it keeps alive.
  func invalidate() { finished.invalidate() }

  /// The end of a frame's rendering.
  struct End {
    var time = MonotonicTime.zero
    /// The times of the thread; nil unless they were measured.
    var usage: ThreadUsage?
    var work = RenderWork()
  }

  /// The work of the thread.
  ///
  /// Safe to share although unchecked: the main actor writes `frame` and reads `end` only while `isDone` is false and no frame is
  /// under way, or after it has seen `isDone`; in between the thread alone uses them.
  private final class Job: @unchecked Sendable {
    struct Frame {
      var tree: TreeSnapshot
      var change: FrameChange
      var target: any RenderTarget
      var started: MonotonicTime
      var isMeasured: Bool
      var finished: FrameLoop.Source
      var loop: FrameLoop?
    }

    let renderer: any Renderer
    let clock: SystemClock
    let isDone = Atomic<Bool>(false)
    var frame: Frame?
    var end = End()
    /// The meter of the one thread that runs the job, which makes it.
    private var meter: ThreadMeter?

    init(renderer: any Renderer, clock: SystemClock) {
      (self.renderer, self.clock) = (renderer, clock)
    }

    func run() {
      guard let (finished, loop) = render() else { return }
      isDone.store(true, ordering: .releasing)
      finished.signal()
      loop?.wakeUp()
    }

    private func render() -> (FrameLoop.Source, FrameLoop?)? {
      guard let frame else { return nil }
      if frame.isMeasured, meter == nil { meter = ThreadMeter(clock: clock) }
      let begin = frame.isMeasured ? meter?.markWoken(at: clock.now) : nil
      switch renderer.render(frame.tree, change: frame.change, into: frame.target) {
      case .signaled: break
      }
      end.time = clock.now
      end.work = renderer.work
      end.usage = begin.flatMap {
        meter?.usage(since: $0, at: end.time, lateness: $0.time - frame.started, waited: end.work.runDelay)
      }
      return (frame.finished, frame.loop)
    }
  }
}
