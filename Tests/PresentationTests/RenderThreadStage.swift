import Compositing
import FrameTiming
import Geometry
import LinuxSystem
import Presentation
import Raster
import RenderTree
import RunLoops
import Simulation
import Synchronization
import XCTest

/// An output of a tree that a program edits at every tick, and a comparison of each frame that is seen with the whole tree painted anew.
@MainActor
final class RenderThreadStage {
  static let (width, height) = (48, 32)

  let clock = ManualClock(start: .zero + .seconds(10))
  let loop: FrameLoop
  let display: any Display
  let renderer: TimedRenderer
  private(set) var output: Output?
  private(set) var shown: [FrameRecord] = []
  private(set) var faults: [String] = []
  /// The number of frames whose work was done and that were never rendered.
  private(set) var discarded = 0
  /// Those of them after the last frame that was handed over.
  private(set) var discardedSinceLastFrame = 0
  /// True to ask for frames at every tick, and to change nothing.
  var isStill = false
  /// The time that a tick's callbacks take.
  var callbackTime = Nanoseconds.zero
  /// While true the program edits the tree at every tick.
  var isEditing = true {
    didSet { link?.isPaused = !isEditing }
  }

  /// Nil to render in turns.
  private let threads: WorkerPool?
  private var random: SplitMix64
  private var records: [RenderRecord] = []
  /// The newest tree that the output asked for.
  private var newest = TreeSnapshot()
  /// The pictures of the frames that were handed over and not seen.
  private var expected: [Bitmap] = []
  private let compositor = Compositor()
  private var turnBegan: MonotonicTime?
  private var link: DisplayLink?
  private var observers: [FrameLoop.Observer] = []
  /// When a simulated thread has rendered a frame.
  private lazy var end = FrameLoop.Alarm(.onMain { [unowned self] in endRendering() })

  /// - Parameters:
  ///   - threads: nil to render in turns.
  ///   - renderTime: what rendering a frame takes, in a turn or on a simulated thread; nil for real threads.
  init(
    threads: WorkerPool?, renderTime: Nanoseconds? = nil, seed: UInt64 = 0,
    _ makeDisplay: @MainActor (SystemClock) throws -> any Display
  ) throws {
    self.threads = threads
    loop = FrameLoop(clock: .manual(clock))
    display = try makeDisplay(loop.clock)
    renderer = TimedRenderer(clock: threads == nil ? clock : nil, time: renderTime ?? .zero)
    random = SplitMix64(seed: seed)
    makeTree()
    let content = Output.Content(
      tree: { [unowned self] time in
        newest = TreeSnapshot(records: records)
        // A simulated thread begins now.
        if let renderTime, threads != nil, end.fireTime == nil { end.fireTime = clock.now + renderTime }
        return newest
      }, isAnimating: { false })
    let output = Output(
      display: display, content: content, renderer: renderer, clock: loop.clock, renderThreads: threads)
    self.output = output
    output.observe { [unowned self] in note($0) }.keep()
    output.setNeedsFrame()
    display.add(to: loop, mode: .default)
    output.add(to: loop, mode: .default)
    loop.add(end, to: .default)
    addProgram()
  }

  func run(_ duration: Nanoseconds) {
    let limit = clock.now + duration
    while clock.now < limit {
      if loop.run(mode: .default, until: limit) == .finished { clock.advance(to: limit) }
    }
  }

  /// Ends the output and its display, and lets go of the output.
  func end(_ isDisplayEnded: Bool = true) {
    link?.invalidate()
    for observer in observers { observer.invalidate() }
    output?.invalidate()
    if isDisplayEnded { display.invalidate() }
    output = nil
  }

  private func endRendering() {
    end.fireTime = nil
    while threads?.runNextJob() == true {}
  }

  /// Lets time pass on the main thread. A simulated thread may end its frame meanwhile.
  private func spend(_ time: Nanoseconds) {
    let limit = clock.now + time
    if let time = end.fireTime, time < limit {
      clock.advance(to: time)
      endRendering()
    }
    clock.advance(to: limit)
  }

  private func addProgram() {
    let link = DisplayLink(ticker: display.ticker) { [unowned self] _ in
      spend(callbackTime)
      edit()
    }
    link.add(to: loop, mode: .default)
    self.link = link
    let begin = FrameLoop.Observer([.entry, .afterWaiting], .onMain { [unowned self] _, _ in turnBegan = clock.now })
    let commit = FrameLoop.Observer(
      [.beforeWaiting, .exit], order: ObserverOrder.commit, evenWhenBusy: true,
      .onMain { [unowned self] _, _ in
        var work = TurnWork()
        work.phases[.callbacks] = clock.now - (turnBegan ?? clock.now)
        turnBegan = nil
        output?.renderIfNeeded(turn: work)
      })
    observers = [begin, commit]
    for observer in observers { loop.add(observer, to: .default) }
  }

  // MARK: - The tree

  private func makeTree() {
    records = (1...9).map { id in
      var record = RenderRecord(
        id: UInt32(id), subtreeEnd: UInt32(id == 1 ? 9 : id), bounds: Rect(x: 0, y: 0, width: 12, height: 9),
        backgroundColor: 0)
      if id == 1 { record.bounds = Rect(x: 0, y: 0, width: Double(Self.width), height: Double(Self.height)) }
      return record
    }
    for index in records.indices { change(index) }
  }

  /// Changes one to three layers, and asks for a frame.
  func edit() {
    for _ in 0..<(isStill ? 0 : Int.random(in: 1...3, using: &random)) {
      change(Int.random(in: 1..<records.count, using: &random))
    }
    output?.setNeedsFrame()
  }

  private func change(_ index: Int) {
    defer { records[index].settle(SideValues()) }
    records[index].backgroundColor = UInt32.random(in: 0...0xFFFFFF, using: &random) | 0xFF00_0000
    guard index > 0 else { return }
    let place = (Int.random(in: -6..<Self.width, using: &random), Int.random(in: -6..<Self.height, using: &random))
    records[index].bounds = Rect(x: Double(place.0), y: Double(place.1), width: 12, height: 9)
  }

  // MARK: - The frames

  private func note(_ event: FrameEvent) {
    switch event {
    case .committed:
      expected.append(picture(of: newest))
      discardedSinceLastFrame = 0
    case .presented(let frame):
      shown.append(frame)
      guard !expected.isEmpty, let bitmap = display.presenter.shownBitmap else { return faults.append("nothing is shown") }
      if !expected.removeFirst().equals(bitmap) { faults.append("frame \(frame.frameNumber) is another picture") }
    case .refused(let error): faults.append("\(error)")
    case .discarded: (discarded, discardedSinceLastFrame) = (discarded + 1, discardedSinceLastFrame + 1)
    case .tick, .idle, .lost: break
    }
  }

  /// Frames that were handed over will not be seen.
  func forgetPendingFrames() { expected = [] }

  private func picture(of tree: TreeSnapshot) -> Bitmap {
    guard let bitmap = try? Bitmap(width: Self.width, height: Self.height) else { fatalError("no memory") }
    compositor.render(
      tree, damage: DamageRegion(IntRect(x: 0, y: 0, width: Self.width, height: Self.height)), into: bitmap)
    return bitmap
  }
}

// MARK: - Displays

extension RenderThreadStage {
  static func screen(_ buffering: Buffering) -> @MainActor (SystemClock) throws -> any Display {
    { clock in
      try SimulatedScreen(
        width: width, height: height,
        vblanks: SimulatedVBlankSource(refreshRate: .hertz60, clock: clock), buffering: buffering, clock: clock)
    }
  }

  static func virtualDisplay(_ clock: SystemClock) throws -> any Display {
    try VirtualDisplay(
      width: width, height: height, refreshRate: .hertz60, reason: "a test", clock: clock)
  }
}

extension Bitmap {
  fileprivate func equals(_ other: Bitmap) -> Bool {
    (0..<height).allSatisfy { memcmp(row($0), other.row($0), width * 4) == 0 }
  }
}

/// A compositor that takes time on a manual clock, and counts its calls, and those that came while another one was under way.
final class TimedRenderer: Renderer {
  var frames: Int { count.load(ordering: .relaxed) }
  var collisions: Int { collisionCount.load(ordering: .relaxed) }

  private let compositor = Compositor()
  private let clock: ManualClock?
  private let time: Nanoseconds
  private let isRendering = Atomic<Bool>(false)
  private let count = Atomic<Int>(0)
  private let collisionCount = Atomic<Int>(0)

  /// - Parameter clock: nil to take no time.
  init(clock: ManualClock?, time: Nanoseconds) {
    (self.clock, self.time) = (clock, time)
  }

  func render(_ tree: TreeSnapshot, change: FrameChange, into target: any RenderTarget) -> RenderFence {
    if isRendering.exchange(true, ordering: .acquiringAndReleasing) { collisionCount.add(1, ordering: .relaxed) }
    defer { isRendering.store(false, ordering: .releasing) }
    clock?.advance(by: time)
    count.add(1, ordering: .relaxed)
    return compositor.render(tree, change: change, into: target)
  }
}
