import LinuxSystem
import RunLoops
import XCTest

@testable import Seats

/// Enumeration and events of the running kernel. Every machine has its memory devices.
@preconcurrency @MainActor final class DeviceMonitorTests: XCTestCase {
  func testDevicesOfASubsystem() throws {
    guard access("/sys/class/mem/null", F_OK) == 0 else { throw XCTSkip("there is no /sys/class/mem") }
    let devices = try DeviceMonitor.devices(in: "mem")
    let null = try XCTUnwrap(devices.first { $0.name == "null" })
    XCTAssertEqual(null.syspath, "/sys/devices/virtual/mem/null")
    XCTAssertEqual(null.subsystem, "mem")
    XCTAssertEqual(null.node, "/dev/null")
    XCTAssertEqual(null.properties["MAJOR"], "1")
    XCTAssertEqual(null.seatName, "seat0")
    XCTAssertEqual(devices.map(\.syspath), devices.map(\.syspath).sorted())
    XCTAssertEqual(try DeviceMonitor.devices(in: "no-such-subsystem"), [])
  }

  /// A monitor of memory devices, and the file that makes the kernel send an event for one of them.
  @MainActor
  private final class Stage {
    let uevent: OwnedDescriptor
    var monitor: DeviceMonitor?
    var events: [DeviceEvent] = []

    init() throws {
      do { uevent = try OwnedDescriptor.open("/sys/class/mem/null/uevent", flags: O_WRONLY) } catch {
        throw XCTSkip("\(error): only root may ask the kernel for events")
      }
      monitor = try DeviceMonitor(subsystems: ["mem"], origin: .kernel) { [unowned self] in events.append($0) }
      monitor?.add(to: .main, mode: "devices")
      change()
      guard turn() == .handledSource else { throw XCTSkip("the kernel's events do not come here, as in a container") }
    }

    func change() { XCTAssertEqual(write(uevent.number, "change", 6), 6) }

    /// The events have arrived when the write has returned, so the test need not wait.
    func turn() -> FrameLoop.RunResult {
      FrameLoop.main.run(mode: "devices", until: FrameLoop.main.clock.now, returnAfterSourceHandled: true)
    }
  }

  func testEventsOfTheKernel() throws {
    let stage = try Stage()
    XCTAssertEqual(stage.monitor?.origin, .kernel)
    XCTAssertEqual(stage.events.count, 1)
    guard case .changed(let device) = stage.events.first else { return XCTFail("\(stage.events)") }
    XCTAssertEqual(device.name, "null")
    XCTAssertEqual(device.node, "/dev/null")
    XCTAssertEqual(device.properties["ACTION"], "change")
    XCTAssertEqual(stage.turn(), .timedOut)

    stage.change()
    stage.change()
    // Each pass handles one event.
    XCTAssertEqual(stage.turn(), .handledSource)
    XCTAssertEqual(stage.events.count, 2)
    XCTAssertEqual(stage.turn(), .handledSource)
    XCTAssertEqual(stage.events.count, 3)

    stage.change()
    stage.monitor?.invalidate()
    XCTAssertEqual(stage.turn(), .finished)
    XCTAssertEqual(stage.events.count, 3)
  }

  func testEventsOfOtherSubsystemsAreNotReported() throws {
    let stage = try Stage()
    var events: [DeviceEvent] = []
    let monitor = try DeviceMonitor(subsystems: ["drm", "input"], origin: .kernel) { events.append($0) }
    monitor.add(to: .main, mode: "devices")
    stage.change()
    while stage.turn() == .handledSource {}
    XCTAssertEqual(stage.events.count, 2)
    XCTAssertEqual(events, [])
  }

  func testEventsThatWereLost() throws {
    let stage = try Stage()
    // As root, libudev requests a buffer for a hundred thousand events; this buffer holds a few.
    var size: Int32 = 8192
    let descriptor = try XCTUnwrap(stage.monitor).descriptor
    XCTAssertEqual(setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size)), 0)
    let count = 100
    for _ in 1...count { stage.change() }
    while stage.turn() == .handledSource {}
    let lost = stage.events.filter { $0 == .rescan }.count
    XCTAssertEqual(lost, 1)
    XCTAssertLessThan(stage.events.count, count)
    // The monitor still works.
    let seen = stage.events.count
    stage.change()
    XCTAssertEqual(stage.turn(), .handledSource)
    XCTAssertEqual(stage.events.count, seen + 1)
  }
}
