import FrameTiming
import Glibc
import LinuxSystem
import RunLoops
import Simulation

/// The outputs' vblanks, and what clients are told of them.
extension ScriptedCompositor {
  /// Something is to be seen: pictures are taken for the next vblank of the output that it is on.
  func changed() {
    for index in grids.indices where nextVBlanks[index] == nil {
      guard surfaces.contains(where: { $0.output == index && $0.isWaiting && $0.window?.isHidden != true }) else { continue }
      if policy.restsWhenIdle { wake(output: index) }
      let grid = grids[index]
      let vblank = max(grid.vblank(after: loop.clock.now + policy.compositionTime), lastVBlanks[index] &+ 1)
      nextVBlanks[index] = vblank
      schedule(at: grid.time(ofVBlank: vblank) - policy.compositionTime) { [weak self] in
        self?.takePictures(vblank, of: index)
      }
    }
  }

  /// Begins anew with the vblank after the last one, if it is too late to take a picture for that.
  private func wake(output index: Int) {
    let (now, next) = (loop.clock.now, lastVBlanks[index] &+ 1)
    let missed = now + policy.compositionTime - grids[index].time(ofVBlank: next)
    if missed > .zero { delay(missed + policy.compositionTime, after: next, ofOutput: index) }
  }

  private func takePictures(_ vblank: UInt64, of output: Int) {
    (nextVBlanks[output], lastVBlanks[output]) = (nil, vblank)
    let time = grids[output].time(ofVBlank: vblank)
    for surface in surfaces where surface.output == output { surface.takePicture(vblank: vblank, at: time) }
    if policy.lateness > .zero {
      delay(
        SplitMix64.lateness(mean: policy.lateness, seed: grids[output].seed, index: vblank), after: vblank, ofOutput: output)
    }
    changed()
  }

  // MARK: Buffers

  /// Follows a buffer from its first use on; nil for one that is not in shared memory.
  func buffer(_ resource: Resource) -> ClientBuffer? {
    if let buffer = buffers[resource] { return buffer }
    let buffer = ClientBuffer(resource) { [weak self] buffer in
      guard let self else { return }
      buffers[resource] = nil
      for surface in surfaces { surface.forget(buffer) }
    }
    buffers[resource] = buffer
    return buffer
  }

  /// Gives back a buffer that is not to be seen.
  func giveBack(_ buffer: ClientBuffer) {
    guard buffer.isHeld else { return }
    if policy.release == .withheld { return withheldBuffers.append(buffer) }
    if !buffer.release() { note(.changedBuffer, "\(buffer.width)x\(buffer.height)") }
  }

  /// - Parameters:
  ///   - old: the buffer that was seen up to the vblank; nil if it is still.
  ///   - new: the one that is seen from then on.
  ///   - grid: that of the vblank.
  func giveBack(old: ClientBuffer?, new: ClientBuffer?, vblank: UInt64, of grid: SimulatedGrid) {
    switch policy.release {
    case .copied:
      if let old { giveBack(old) }
      if let new { giveBack(new) }
    case .replaced(let later):
      guard let old, old.isHeld else { return }
      schedule(at: grid.time(ofVBlank: vblank &+ UInt64(max(later, 0)))) { [weak self] in self?.giveBack(old) }
    case .withheld:
      if let old, old.isHeld { withheldBuffers.append(old) }
    }
  }

  // MARK: Answers

  func policyChanged() {
    if policy.callbacks != .withheld {
      for callback in exchange(&withheldCallbacks, with: []) { answer(callback: callback) }
    }
    if policy.release != .withheld {
      for buffer in exchange(&withheldBuffers, with: []) { giveBack(buffer) }
    }
  }

  func answer(callback: ServerObject) {
    guard case .sent(let delay) = policy.callbacks else { return withheldCallbacks.append(callback) }
    schedule(at: loop.clock.now + delay) { [weak self] in
      guard let self else { return }
      callback.send("done", .uint(milliseconds))
      callback.destroy()
    }
  }

  /// The time in input events and callbacks, which begins anew after 49 days.
  var milliseconds: UInt32 { UInt32(truncatingIfNeeded: loop.clock.now.nanoseconds / 1_000_000) }

  /// - Parameter output: the place of the one that shows the frame from this time on.
  func answer(feedback: ServerObject, vblank: UInt64, of output: Int, at time: MonotonicTime, isSeen: Bool) {
    let grid = grids[output]
    func answer(at time: MonotonicTime, _ body: @escaping @MainActor (ScriptedCompositor) -> Void) {
      schedule(at: time) { [weak self] in
        guard let self else { return }
        body(self)
        feedback.destroy()
      }
    }
    guard isSeen else { return answer(at: time) { _ in feedback.send("discarded") } }
    if grid.losesEvent(ofVBlank: vblank) || SplitMix64.chance(policy.lostFeedback, seed: grid.seed, index: vblank) { return }
    switch policy.feedback {
    case .withheld: break
    case .discarded: answer(at: time) { _ in feedback.send("discarded") }
    case .told(let delay): answer(at: time + delay) { $0.tell(feedback, grid.told(ofVBlank: vblank), output) }
    case .swapped:
      let told = grid.told(ofVBlank: vblank)
      guard let (earlier, toldEarlier) = exchange(&swappedFeedback, with: nil) else {
        swappedFeedback = (feedback, told)
        return
      }
      answer(at: time) { compositor in
        compositor.tell(feedback, told, output)
        compositor.tell(earlier, toldEarlier, output)
        earlier.destroy()
      }
    }
  }

  private func tell(_ feedback: ServerObject, _ told: VBlank, _ output: Int) {
    let stamp = UInt64(max(presentationClock.time(at: told.timestamp).nanoseconds, 0))
    let (seconds, rest) = (stamp / 1_000_000_000, stamp % 1_000_000_000)
    let refresh = policy.toldRefresh ?? outputs[output].rate.interval
    for output in feedback.client.outputs[output] { feedback.send("sync_output", .object(output)) }
    feedback.send(
      "presented", .uint(UInt32(truncatingIfNeeded: seconds >> 32)), .uint(UInt32(truncatingIfNeeded: seconds)),
      .uint(UInt32(rest)), .uint(UInt32(clamping: refresh.count)), .uint(UInt32(truncatingIfNeeded: told.sequence >> 32)),
      .uint(UInt32(truncatingIfNeeded: told.sequence)), .uint(7))
  }
}

extension SplitMix64 {
  /// An exponentially distributed time.
  fileprivate static func lateness(mean: Nanoseconds, seed: UInt64, index: UInt64) -> Nanoseconds {
    let unit = Double(hash(seed: seed &+ 78, index: index) >> 11) * 0x1p-53
    return .seconds(-log(1 - unit) * mean.seconds)
  }

  fileprivate static func chance(_ part: Double, seed: UInt64, index: UInt64) -> Bool {
    part > 0 && Double(hash(seed: seed &+ 77, index: index) >> 11) * 0x1p-53 < part
  }
}

/// Puts a value in a variable and returns the one that was there.
func exchange<Value>(_ variable: inout Value, with value: Value) -> Value {
  let old = variable
  variable = value
  return old
}
