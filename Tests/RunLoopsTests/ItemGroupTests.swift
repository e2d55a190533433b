import LinuxSystem
import LoopTestSupport
import RunLoops
import Testing

@Suite struct ItemGroupTests {
  let loop = FrameLoop(clock: .manual(ManualClock()))
  let timer = FrameLoop.Timer(fireTime: .zero, .onLoop { _ in })
  let source = FrameLoop.Source(.onLoop { _ in })
  let alarm = FrameLoop.Alarm(.onLoop {})

  @Test func itsItemsEnterAndLeaveTogether() {
    let group = FrameLoop.ItemGroup([timer, alarm])
    loop.add(group, to: .common)
    loop.add(group, to: .tracking)
    #expect(loop.contains(timer, in: .default) && loop.contains(timer, in: .tracking))
    #expect(loop.contains(alarm, in: .default) && loop.contains(group, in: .common))
    loop.remove(group, from: .common)
    #expect(!loop.contains(timer, in: .default) && !loop.contains(group, in: .common))
    #expect(loop.contains(alarm, in: .tracking))
  }

  @Test func itemsFollowItsMembershipWhenTheyAreInsertedAndRemoved() {
    let group = FrameLoop.ItemGroup()
    loop.add(group, to: .default)
    group.insert(source)
    group.insert(source)
    #expect(loop.contains(source, in: .default))
    group.remove(source)
    #expect(!loop.contains(source, in: .default) && source.isValid)
    loop.add(group, to: .tracking)
    #expect(!loop.contains(source, in: .tracking))
  }

  @Test func groupsNest() {
    let outer = FrameLoop.ItemGroup([FrameLoop.ItemGroup([timer])])
    loop.add(outer, to: .default)
    #expect(loop.contains(timer, in: .default))
    outer.invalidate()
    #expect(!timer.isValid)
  }

  @Test func endsWithAllItsItemsEvenIfACallbackHoldsTheGroup() {
    let group = FrameLoop.ItemGroup([timer])
    final class Holder: Sendable {
      let group: FrameLoop.ItemGroup
      init(_ group: FrameLoop.ItemGroup) { self.group = group }
      deinit { group.invalidate() }
    }
    group.insert(FrameLoop.Source(.onLoop { [holder = Holder(group)] _ in withExtendedLifetime(holder) {} }))
    loop.add(group, to: .default)
    group.invalidate()
    #expect(!timer.isValid && !loop.contains(group, in: .default))
    group.insert(alarm)
    loop.add(group, to: .default)
    #expect(!loop.contains(alarm, in: .default))
  }
}
