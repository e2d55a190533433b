import Testing

@testable import Seats

/// Recorded uevents and their `DeviceEvent`.
struct DeviceTests {
  @Test func `a property that the kernel has changed, and a device's seat`() {
    var device = Device(syspath: "/sys/devices/pci0000:00/0000:00:02.0/drm/card0", subsystem: "drm")
    #expect((device.name, device.seatName, device.propertyID) == ("card0", "seat0", nil))
    device.properties = ["HOTPLUG": "1", "CONNECTOR": "95", "PROPERTY": "102", "ID_SEAT": "seat1"]
    #expect((device.seatName, device.propertyID) == ("seat1", 102))
  }

  @Test func `coming and going`() {
    let properties = ["ACTION": "add", "DEVNAME": "input/event3"]
    let device = Device(syspath: "/sys/devices/virtual/input/input3/event3", subsystem: "input", properties: properties)
    #expect(DeviceEvent(device) == .added(device))
    var gone = device
    gone.properties["ACTION"] = "remove"
    #expect(DeviceEvent(gone) == .removed(gone))
    gone.properties["ACTION"] = "move"
    #expect(DeviceEvent(gone) == .rescan)
    // Actions of later kernels, and no action at all.
    for verb in ["bind", "online", "frobnicate", nil] {
      gone.properties["ACTION"] = verb
      #expect(DeviceEvent(gone) == .changed(gone))
    }
  }

  @Test func `cards, and what else the subsystem has`() {
    func isCard(_ name: String, node: String?, subsystem: String = "drm") -> Bool {
      Device(syspath: "/sys/devices/x/drm/\(name)", subsystem: subsystem, node: node).isGraphicsCard
    }
    #expect(isCard("card0", node: "/dev/dri/card0"))
    #expect(isCard("card12", node: "/dev/dri/card12"))
    #expect(!isCard("card0-HDMI-A-1", node: nil))
    #expect(!isCard("card0", node: nil))
    #expect(!isCard("card", node: "/dev/dri/card"))
    #expect(!isCard("card²", node: "/dev/dri/card²"))
    #expect(!isCard("renderD128", node: "/dev/dri/renderD128"))
    #expect(!isCard("card0", node: "/dev/snd/card0", subsystem: "sound"))
    #expect(!isCard("version", node: nil))
    #expect(Device(syspath: "", subsystem: "drm").name.isEmpty)
  }

  @Test func `libseat's messages without their places`() {
    #expect(SeatLog.withoutPlace("[../libseat/backend/seatd.c:64] Could not connect") == "Could not connect")
    #expect(SeatLog.withoutPlace("No backend was able to open a seat") == "No backend was able to open a seat")
    #expect(SeatLog.withoutPlace("[unfinished") == "[unfinished")
    #expect(SeatLog.withoutPlace("[]").isEmpty)
  }
}
