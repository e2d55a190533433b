public import LinuxSystem

/// The times of one frame, from its tick to the vblank that showed it.
///
/// An output makes one for each frame; meters, reports and diagrams read them:
///
///     if let cause = record.causes(interval: display.ticker.refreshRate.interval)?.main { print("late:", cause.name) }
public struct FrameRecord: BitwiseCopyable, Sendable {
  /// The phases of a frame's work, in their order.
  public enum Phase: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    /// Telling responders and gesture recognizers of input, and what these do about it, see `Engine.inputRouter`.
    case input
    /// Link callbacks, timers, sources, blocks and the main queue, from the loop's waking to the commit, without input.
    case callbacks
    case layout
    /// Drawing dirty bitmaps on the main thread, or handing drawings to the workers.
    case display
    /// Waiting for drawings of other threads in the commit, where that was asked for, see `Engine.waitForDrawings(upTo:)`.
    case wait
    /// Taking the tree for the time at which the frame will be seen: evaluating the animations that run.
    case animate
    /// Finding the damage.
    case diff
    case composite
    /// Handing the buffer to the presenter.
    case present

    /// The phase's name in tables and files.
    public var name: String { self == .wait ? "async wait" : "\(self)" }

    /// The name's form where names are single words: the columns of files.
    package var column: String { self == .wait ? "asyncWait" : name }
  }

  /// Counts refresh intervals of the output's ticker: two frames in neighbouring intervals differ by 1.
  public var frameNumber: UInt64 = 0
  /// The vblank of the frame's tick. For a frame without a tick, such as the first after a pause, the vblank before
  /// its target.
  public var tickTimestamp: MonotonicTime = .zero
  /// The `targetTimestamp` of the frame's tick, which link callbacks were promised: the vblank of the next tick. Nil for a frame
  /// that no tick asked for. Lateness counts from it.
  public var promised: MonotonicTime?
  /// The vblank at which the frame was to be shown when it was composited: the promised one, or a later one if that had passed
  /// for it or was taken by a frame before it.
  public var target: MonotonicTime = .zero
  /// The time for which its animations were evaluated: the target as it was predicted, or an even step towards it (see
  /// `AnimationTime`).
  public var animationTime: MonotonicTime = .zero
  /// True if the target was more than a guess when the frame was made. A guess is replaced by the vblank at which the frame was
  /// shown: a frame cannot be late for a vblank that was not known.
  public var isTargetKnown = true
  /// True if the display told `presented`, false if that is assumed: some desktops do not tell when frames of a window are seen.
  public var isPresentedKnown = true
  /// When the frame was to be begun: at its tick's vblank, or later if the tick was delayed to a deadline before the target. A
  /// frame without a tick was not due before it was begun.
  public var start: MonotonicTime = .zero
  /// When it was begun: when link callbacks were called, or when the loop woke to the turn that made it without a tick.
  public var delivered: MonotonicTime = .zero
  /// The refresh intervals right before its tick that had none although frames were wanted, as a time; zero for a frame without a tick.
  public var missedTime = Nanoseconds.zero
  /// Every how many refresh intervals its link is called: of `missedTime`, each missed tick is as many.
  public var intervalsPerTick = 1
  /// The part of `missedTime` for which the display told of no vblank, see `DisplayLink.Tick.lostVBlanks`.
  public var lostVBlankTime = Nanoseconds.zero
  /// The end of `missedTime` in which the loop, which had asked for its next vblank too late for the first of these intervals, waited for
  /// it. It follows from what the loop did before, and no cause is sought in it.
  public var missedWait = Nanoseconds.zero
  /// When the buffer was handed to the presenter.
  public var submitted: MonotonicTime = .zero
  /// How long it was held back before that, ready, so as not to be seen before its target.
  public var heldBack: Nanoseconds = .zero
  /// When the earliest input event arrived of those that this frame is the first to show; nil without one. See `Engine.inputArrived(at:)`.
  public var input: MonotonicTime?
  /// The vblank at which it was shown; zero until it was.
  public var presented: MonotonicTime = .zero
  /// Pixels that may differ from the frame before and did not only move: the damage of the display.
  public var damagePixels: Int = 0
  /// Pixels painted: the damage of the buffer, without those that were copied inside of it.
  public var paintedPixels: Int = 0
  /// Time spent in each phase; index by `Phase.rawValue`.
  public var phases: PhaseDurations = PhaseDurations()
  /// The time for which the threads that worked on the frame had a processor, from the loop's waking to the handing over. Nil unless
  /// the engine measures it, see `Engine.measuresThreads`. Where threads share the work of a phase, the one that shared it out counts.
  /// A stretch of work that took less than 0.1 ms counts as a whole.
  public var processorTime: Nanoseconds?
  /// How long those threads could have worked meanwhile and had no processor, or waited for others that share the work of a phase and had
  /// none (of such a wait the first half millisecond does not count): the machine was busy elsewhere. Zero where that is not measured. Time
  /// that the host of a virtual machine takes counts if the thread did not sleep since the loop woke, and if the kernel knows of it; else it
  /// is processor time.
  public var runDelay: Nanoseconds = .zero
  /// The same from `start`, and in the intervals missed before it, to `delivered`.
  public var startDelay: Nanoseconds = .zero
  /// The layers whose entry in the tree was made anew: all of them where the structure of the tree changed.
  public var dirtyLayers: Int = 0
  /// The layers that were laid out.
  public var laidOutLayers: Int = 0
  /// The layers whose contents were drawn, or handed to workers to be drawn.
  public var drawnLayers: Int = 0
  /// The pictures of layers with effects, and the shadows, that were painted anew, since none was kept: cache misses.
  public var missedPictures: Int = 0
  /// The part of `composite` in which these were painted.
  public var pictureTime: Nanoseconds = .zero
  /// The pixels that were painted, each as often as layers paint it, see `overdraw`; zero where the renderer does not count them.
  public var layerPixels: Int = 0

  /// The layers of whose layout or display the commit took longest. Empty where that is not measured, see `Engine.measureLayers()`.
  public var layerTimes = LayerTimes()

  public init() {}

  /// The first of `layerTimes`; nil if that is empty.
  public package(set) var slowestLayer: LayerTime? {
    get { layerTimes.first }
    set {
      layerTimes = LayerTimes()
      if let newValue { layerTimes.add(newValue) }
    }
  }

  /// The time that one layer took in a phase.
  public struct LayerTime: Equatable, BitwiseCopyable, Sendable {
    /// The number of the layer; a `LayerCosts` knows its name.
    public var layer: UInt32
    /// `layout` or `display`.
    public var phase: Phase
    public var time: Nanoseconds

    public init(layer: UInt32, phase: Phase, time: Nanoseconds) {
      (self.layer, self.phase, self.time) = (layer, phase, time)
    }
  }

  /// The longest of many times of layers, at most `capacity`, the longest first; stored in place.
  public struct LayerTimes: RandomAccessCollection, BitwiseCopyable, Sendable {
    /// The most times that are kept.
    public static let capacity = 8

    private var values: InlineArray<8, LayerTime> = .init(repeating: LayerTime(layer: 0, phase: .layout, time: .zero))
    /// The number of times that are kept, from 0 to `capacity`.
    public private(set) var count = 0

    /// Has no times.
    public init() {}

    public var startIndex: Int { 0 }
    public var endIndex: Int { count }
    public subscript(index: Int) -> LayerTime { values[index] }

    /// Adds a time, unless as many are longer as there is room for.
    public mutating func add(_ layer: LayerTime) {
      guard count < Self.capacity || layer.time > values[count - 1].time else { return }
      count = Swift.min(count + 1, Self.capacity)
      var place = count - 1
      while place > 0, values[place - 1].time < layer.time {
        values[place] = values[place - 1]
        place -= 1
      }
      values[place] = layer
    }
  }

  /// How long the threads that worked on the frame had nothing to do before the work was over, and waited: for a file, a lock, or other
  /// threads. Nil where that is not measured.
  public var blockedTime: Nanoseconds? {
    processorTime.map { max(work - $0 - runDelay, .zero) }
  }

  /// How often a painted pixel was painted in the mean: by the backdrop, backgrounds, contents, borders, shadows, filtered backdrops,
  /// groups and the pictures of layers with effects.
  public var overdraw: Double { paintedPixels > 0 ? Double(layerPixels) / Double(paintedPixels) : 0 }

  /// Time in all phases together, the wait for drawings among them.
  public var work: Nanoseconds { phases.total }

  /// How much later the frame was shown than promised, or without a promise than its target; negative when earlier, zero while
  /// it is not known.
  public var lateness: Nanoseconds { presented == .zero ? .zero : presented - due }

  /// True if the frame was shown more than half an interval after its target: the display did not show it when it should have, or
  /// the frame was not ready.
  public func missedTarget(interval: Nanoseconds) -> Bool { presented != .zero && presented - target > interval / 2 }

  /// How much later it was shown than at the vblank that it was made for, or at a later one that was promised; zero if by no more than half
  /// an interval. A frame that was made for a later vblank than promised follows one that was late, or missed intervals: those count.
  package func hitch(interval: Nanoseconds) -> Nanoseconds {
    let hitch = presented == .zero ? .zero : presented - max(target, due)
    return hitch > interval / 2 ? hitch : .zero
  }

  /// The vblank that lateness counts from.
  package var due: MonotonicTime { promised ?? target }

  /// True if the frame was shown later than half an interval after the vblank that it was due at: at a later one. A stamp that trembles
  /// around its vblank does not make a frame late.
  public func isLate(interval: Nanoseconds) -> Bool { lateness > interval / 2 }

  /// True if the frame was shown more than half an interval before its target: at an earlier vblank.
  public func isEarly(interval: Nanoseconds) -> Bool { presented != .zero && target - presented > interval / 2 }

  /// One duration a phase, stored in place.
  public struct PhaseDurations: BitwiseCopyable, Sendable {
    private var values: InlineArray<9, Nanoseconds> = .init(repeating: .zero)

    public init() {}

    /// All phases together.
    public var total: Nanoseconds {
      var total = Nanoseconds.zero
      for index in values.indices { total += values[index] }
      return total
    }

    public subscript(phase: Phase) -> Nanoseconds {
      get { values[Int(phase.rawValue)] }
      set { values[Int(phase.rawValue)] = newValue }
    }
  }
}

extension DisplayLink.Tick {
  /// The `FrameRecord.missedWait` of its frame.
  ///
  /// - Parameters:
  ///   - missed: the intervals right before it that had no tick.
  ///   - lost: the part of them for which the display told of no vblank.
  package func missedWait(in missed: Nanoseconds, lost: Nanoseconds) -> Nanoseconds {
    requested > timestamp - missed ? max(timestamp - requested - lost, .zero) : .zero
  }
}
