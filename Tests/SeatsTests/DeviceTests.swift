import Testing

@testable import Seats

/// Recorded uevents and their `DeviceEvent`.
struct DeviceTests {
  private func event(_ subsystem: String, _ syspath: String, node: String? = nil, _ lines: String) -> DeviceEvent {
    var properties: [String: String] = [:]
    for line in lines.split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      properties[String(parts[0])] = String(parts[1])
    }
    return DeviceEvent(Device(syspath: syspath, subsystem: subsystem, node: node, properties: properties))
  }

  private let card = "/sys/devices/pci0000:00/0000:00:02.0/drm/card0"

  @Test func `a screen is plugged in, and the kernel says where`() throws {
    let event = event(
      "drm", card, node: "/dev/dri/card0",
      """
      ACTION=change
      DEVPATH=/devices/pci0000:00/0000:00:02.0/drm/card0
      SUBSYSTEM=drm
      HOTPLUG=1
      CONNECTOR=95
      DEVNAME=/dev/dri/card0
      DEVTYPE=drm_minor
      SEQNUM=4251
      MAJOR=226
      MINOR=0
      ID_SEAT=seat1
      """)
    guard case .changed(let device) = event else {
      Issue.record("\(event)")
      return
    }
    #expect(device.isHotplug)
    #expect(device.connectorID == 95)
    #expect(device.propertyID == nil)
    #expect(device.isGraphicsCard)
    #expect(device.name == "card0")
    #expect(device.seatName == "seat1")
  }

  @Test func `a driver that does not say which connector`() {
    let event = event("drm", card, node: "/dev/dri/card0", "ACTION=change\nHOTPLUG=1\nCONNECTOR=none")
    guard case .changed(let device) = event else {
      Issue.record("\(event)")
      return
    }
    #expect(device.isHotplug)
    #expect(device.connectorID == nil)
    #expect(device.seatName == "seat0")
  }

  @Test func `a property that the kernel has changed`() {
    guard
      case .changed(let device) = event(
        "drm", card, node: "/dev/dri/card0", "ACTION=change\nHOTPLUG=1\nCONNECTOR=95\nPROPERTY=102")
    else {
      Issue.record("no change")
      return
    }
    #expect(device.connectorID == 95)
    #expect(device.propertyID == 102)
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
