import AllocationCounter
import Geometry
import Interaction
import LinuxSystem
import Testing

#if DEBUG
  private let isOptimized = false
#else
  private let isOptimized = true
#endif

/// A gesture allocates nothing after the machine's first one. (Without optimization generic accessors allocate.)
@Suite(.enabled(if: isOptimized && allocation_counter_is_available(), "a debug build, or a sanitizer's allocator"))
struct GestureAllocationTests {
  private func allocations(_ machine: some GestureMachine) -> UInt64 {
    var random = SplitMix64(seed: 1)
    let contacts = (0..<20).flatMap { _ in RandomContacts.fingers(&random) }
    var machine = machine
    func play() {
      for contact in contacts {
        machine.handle(contact)
        if machine.state.isFinal { machine.reset() }
      }
    }
    play()
    allocation_counter_begin()
    play()
    return allocation_counter_end().allocations
  }

  @Test func aGestureAllocatesNothing() {
    #expect(allocations(TapMachine(taps: 2)) == 0)
    #expect(allocations(LongPressMachine(taps: 1)) == 0)
    #expect(allocations(PanMachine()) == 0)
    #expect(allocations(PinchMachine()) == 0)
    #expect(allocations(RotationMachine()) == 0)
    #expect(allocations(SwipeMachine()) == 0)
  }
}
