import FrameTiming
import LinuxSystem

/// Tells what became of the frames of a window, from the compositor's feedback or without it. A pure value.
///
/// Feedback may come late, in another order, for some frames only, or never. Frames are told of in their order all the same:
/// - One whose feedback says when it was seen, or that it never was, when all before it are told of.
/// - One without an answer, while a frame two or more after it has one, or four wait behind it, or when its answer takes much longer than
///   others did, was seen when it was expected to be.
/// - After three callbacks without any answer the compositor counts as silent: from then on frames are seen at the vblanks of a clock, one at
///   each, until an answer comes after all. One that has answered before may lose answers: it counts as silent after thirty. A silent
///   compositor is asked again with every sixtieth frame; if it has never answered, until eight questions are open, since it keeps those
///   that it does not answer.
struct PresentedFrames: Sendable {
  enum Answer: Hashable, Sendable {
    case seen(MonotonicTime)
    /// Nobody tells when it was seen: at this time, as far as can be known.
    case assumed(MonotonicTime)
    case dropped
  }

  private struct Frame: Sendable {
    var serial: UInt64
    /// When it will be seen, as far as could be known when it was committed.
    var expected: MonotonicTime
    var answer: Answer?
  }

  /// Callbacks in a row without an answer after which a compositor counts as silent that has never told of a frame, and another one.
  static let patience = (atFirst: 3, later: 30)
  /// The most frames that wait for the answer of the one before them.
  private static let mostWaiting = 4
  /// The number of frames after which a silent compositor is asked again.
  private static let pause = 60
  /// The most open questions to a compositor that has never answered one.
  private static let mostOpen = 8

  private var frames: [Frame] = []
  /// The last frames that were taken for seen before their answer.
  private var unheard: [Frame] = []
  private static let mostUnheard = 4
  private var newest: UInt64 = 0
  /// Callbacks since the last answer that told of a time.
  private var unanswered = 0
  private var openQuestions = 0
  /// Frames since the last one that was asked about.
  private var unasked = 0
  /// True once the compositor does not tell when frames are seen.
  private(set) var isSilent: Bool
  /// True if the compositor has told of a frame.
  private(set) var hasTold = false
  /// How long after the time at which they were expected to be seen frames are told of: the longest of late, which fades.
  private var answerDelay: Nanoseconds?

  /// - Parameter canTell: false for a compositor without the protocol.
  init(canTell: Bool) {
    self.canTell = canTell
    isSilent = !canTell
    frames.reserveCapacity(8)
    unheard.reserveCapacity(Self.mostUnheard)
  }

  private let canTell: Bool

  /// The number of frames that nobody was told of.
  var count: Int { frames.count }
  /// True if the next commit is to ask for feedback.
  var wantsFeedback: Bool {
    canTell && (!isSilent || openQuestions == 0 || (unasked >= Self.pause && (hasTold || openQuestions < Self.mostOpen)))
  }

  /// A frame is committed, which asks for feedback if `wantsFeedback`.
  ///
  /// - Parameter expected: when it will be seen by forecast.
  /// - Returns: its serial, with which feedback answers.
  mutating func commit(expected: MonotonicTime) -> UInt64 {
    if wantsFeedback { (openQuestions, unasked) = (openQuestions + 1, 0) } else { unasked += 1 }
    newest += 1
    frames.append(Frame(serial: newest, expected: expected))
    return newest
  }

  /// Feedback has come.
  ///
  /// - Returns: true if the compositor was taken for silent, and is not.
  mutating func answer(_ serial: UInt64, _ answer: Answer, at now: MonotonicTime) -> Bool {
    openQuestions = max(openQuestions - 1, 0)
    if let index = frames.firstIndex(where: { $0.serial == serial }) {
      frames[index].answer = answer
      learnDelay(now - frames[index].expected)
    } else if let index = unheard.firstIndex(where: { $0.serial == serial }) {
      // The next one has to be waited for as long, or frames that are seen late would be taken for seen in time for ever.
      learnDelay(now - unheard.remove(at: index).expected)
    }
    guard case .seen = answer else { return false }
    let wasSilent = isSilent
    (unanswered, isSilent, hasTold) = (0, false, true)
    return wasSilent
  }

  private mutating func learnDelay(_ delay: Nanoseconds) { answerDelay = max(delay, (answerDelay ?? delay) * 15 / 16) }

  /// The number of frames that nobody was told of and that are still to be seen. Others were seen: only their answers are to come.
  func queued(at now: MonotonicTime, interval: Nanoseconds) -> Int {
    // A tick may come a little before its vblank.
    frames.count { $0.answer == nil && $0.expected - now > interval / 32 }
  }

  /// A frame callback has come: the compositor has taken the newest frame into a picture. If that was long after the vblank at which it was
  /// expected to be seen, it is seen at the next one.
  mutating func wasTaken(at now: MonotonicTime, _ forecast: VBlankForecast) {
    guard let last = frames.indices.last, now - frames[last].expected > forecast.interval / 2 else { return }
    frames[last].expected = forecast.vblank(after: now)
  }

  /// A frame callback has come.
  ///
  /// - Returns: true if the compositor counts as silent from now on.
  mutating func callback() -> Bool {
    guard !isSilent else { return false }
    unanswered += 1
    guard unanswered >= (hasTold ? Self.patience.later : Self.patience.atFirst), frames.contains(where: { $0.answer == nil })
    else { return false }
    isSilent = true
    return true
  }

  /// When a frame that is committed now will be seen: at the next vblank, or at the one after it, if it was made for a later one and the frame
  /// before is seen at the next. That had been taken into a picture, or this one would not have been allowed.
  ///
  /// - Parameters:
  ///   - target: the vblank that it was made for; nil if that was a guess.
  ///   - forecast: the clock of the window's ticks.
  func expected(at now: MonotonicTime, madeFor target: MonotonicTime?, _ forecast: VBlankForecast) -> MonotonicTime {
    let (next, half) = (forecast.vblank(after: now), forecast.interval / 2)
    guard let before = frames.last?.expected, let target, before + half > next, target - half > next else { return next }
    return forecast.vblank(after: next + half)
  }

  /// The oldest frame, if it is known what became of it. It is told of, and forgotten here.
  mutating func next(at now: MonotonicTime) -> Answer? {
    guard let first = frames.first else { return nil }
    if let answer = first.answer {
      frames.removeFirst()
      return answer
    }
    // Its callback has come since, or the next one would not have been allowed.
    if isSilent, frames.count > 1, first.expected <= now || frames.count > Self.mostWaiting {
      frames.removeFirst()
      return .assumed(first.expected)
    }
    let later = frames.dropFirst(2).first { $0.answer != nil }
    guard !isSilent, later != nil || frames.count > Self.mostWaiting else { return nil }
    frames.removeFirst()
    guard case .seen(let time)? = later?.answer else { return .assumed(first.expected) }
    return .assumed(min(first.expected, time))
  }

  /// When the answer about the oldest frame is overdue; nil if none is awaited.
  ///
  /// - Parameters:
  ///   - isTaken: true if the compositor has taken the newest frame into a picture, as its callback tells. Any before it, it has.
  ///   - interval: the refresh interval. A busy compositor shows a frame one or two late.
  func deadline(isTaken: Bool, interval: Nanoseconds) -> MonotonicTime? {
    guard !isSilent, let first = frames.first, first.answer == nil else { return nil }
    let longest = interval * 5 / 2
    guard isTaken || frames.count > 1, let answerDelay else { return first.expected + longest }
    return first.expected + min(answerDelay + interval / 4, longest)
  }

  /// Takes the oldest frame for seen when it was expected to be, as its answer is overdue.
  mutating func giveUp() {
    guard let first = frames.first, first.answer == nil else { return }
    frames[0].answer = .assumed(first.expected)
    if unheard.count == Self.mostUnheard { unheard.removeFirst() }
    unheard.append(first)
  }

  /// A vblank of the clock that stands in for a silent compositor's.
  ///
  /// - Returns: true if a frame was seen at it.
  mutating func vblank(at time: MonotonicTime, interval: Nanoseconds) -> Bool {
    guard isSilent, let first = frames.first, first.expected - time < interval / 2 else { return false }
    frames.removeFirst()
    return true
  }

  /// The window is hidden or has other buffers: its frames are not told of. Answers may still come, and a silent compositor is asked
  /// again.
  mutating func forget() {
    frames.removeAll(keepingCapacity: true)
    unheard.removeAll(keepingCapacity: true)
    (unanswered, openQuestions) = (0, 0)
  }
}
