import AutomaticDisplays
import Framepace
import Glibc
import WaylandTesting
import WindowScripts
import XCTest

@testable import Wayland

/// Connections that cannot be made, and several windows on one.
final class ConnectionTests: XCTestCase {
  @MainActor
  private static func failure(of socket: String?) -> WaylandError? {
    do throws(WaylandError) {
      try WaylandConnection.open(socket: socket).close()
      return nil
    } catch {
      return error
    }
  }

  /// Runs with this `WAYLAND_DISPLAY`; nil for none.
  private static func withDesktop(_ name: String?, _ body: @MainActor () throws -> Void) throws {
    let before = getenv("WAYLAND_DISPLAY").map { String(cString: $0) }
    if let name { setenv("WAYLAND_DISPLAY", name, 1) } else { unsetenv("WAYLAND_DISPLAY") }
    defer { if let before { setenv("WAYLAND_DISPLAY", before, 1) } else { unsetenv("WAYLAND_DISPLAY") } }
    try MainActor.assumeIsolated { try body() }
  }

  func testSocketsThatAreNone() throws {
    try Self.withDesktop(nil) {
      XCTAssertFalse(WaylandConnection.isNamedByEnvironment)
      XCTAssertEqual(Self.failure(of: nil), .noDesktop)
      let missing = "/nowhere/wayland-7"
      let error = SystemError(call: "connect", subject: missing, errno: ENOENT)
      XCTAssertEqual(Self.failure(of: missing), .cannotConnect(socket: missing, error))
      let long = "/" + String(repeating: "x", count: 200)
      XCTAssertEqual(
        Self.failure(of: long),
        .cannotConnect(socket: long, SystemError(call: "connect", subject: long, errno: ENAMETOOLONG)))
    }
  }

  /// A name of a socket is no place without its folder: the error names the variable that lacks.
  func testASocketWithoutItsFolder() throws {
    let before = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) }
    unsetenv("XDG_RUNTIME_DIR")
    defer { if let before { setenv("XDG_RUNTIME_DIR", before, 1) } }
    try Self.withDesktop("wayland-7") {
      XCTAssertEqual(Self.failure(of: nil), .noFolder(socket: "wayland-7"))
      XCTAssertTrue(WaylandError.noFolder(socket: "wayland-7").description.contains("XDG_RUNTIME_DIR"))
      let found = try Displays.automatic(window: WindowOptions(width: 30, height: 20), folder: "/nowhere")
      XCTAssertTrue(
        found.reason.hasPrefix("no window and no screen: the desktop's socket 'wayland-7' is not found"), found.reason)
      found.display.invalidate()
    }
  }

  /// The screens of a desktop are known without a window.
  func testTheScreensOfADesktop() throws {
    try MainActor.assumeIsolated {
      let stage = try WindowStage(outputs: [
        CompositorOutput("SIM-1", width: 640, height: 480), CompositorOutput("SIM-2", width: 300, height: 200, scale: 240),
      ])
      XCTAssertEqual(stage.display.connection.screens, [])
      stage.run(for: .milliseconds(10))
      XCTAssertEqual(
        stage.display.connection.screens,
        [
          DesktopScreen(name: "SIM-1", width: 640, height: 480, refreshRate: .hertz60, scale: 1),
          DesktopScreen(name: "SIM-2", width: 300, height: 200, refreshRate: .hertz60, scale: 2),
        ])
      try stage.end()
    }
  }

  /// A screen without a current mode is not listed, and nobody waits for it; one of the first version is known with its mode.
  func testScreensOfWhichLessIsTold() throws {
    try MainActor.assumeIsolated {
      for version in [1, 4] {
        var other = CompositorOutput("SIM-2")
        other.isModeCurrent = version == 1
        let stage = try WindowStage(
          globals: .all.with("wl_output", version: version), outputs: [CompositorOutput("SIM-1"), other])
        stage.run(for: .milliseconds(10))
        let connection = stage.display.connection
        let all = ["SIM-1", "SIM-2"].map {
          DesktopScreen(name: version == 1 ? "" : $0, width: 640, height: 480, refreshRate: .hertz60, scale: 1)
        }
        XCTAssertEqual(connection.screens, version == 1 ? all : [all[0]])
        try connection.waitForScreens(upTo: .zero)
        try stage.end()
      }
    }
  }

  func testWithoutDesktopAndScreenThereIsADisplayOfMemory() throws {
    let rate = try XCTUnwrap(RefreshRate(hertz: 50))
    for (name, folder, noWindow, noScreen) in [
      (nil, "/nowhere", "WAYLAND_DISPLAY is not set", "no DRM device"),
      ("/nowhere/wayland-7", "/dev/null", "no Wayland desktop at /nowhere/wayland-7", "/dev/null: open: Not a directory"),
    ] {
      try Self.withDesktop(name) {
        let window = WindowOptions(width: 30, height: 20)
        let found = try Displays.automatic(window: window, refreshRate: rate, folder: folder)
        XCTAssertEqual(found.display.name, "virtual display 30x20@50.00")
        XCTAssertTrue(found.reason.contains(noWindow), found.reason)
        XCTAssertTrue(found.display.reason.contains(noScreen), found.display.reason)
        XCTAssertNil(found.session)
        found.display.invalidate()
      }
    }
  }

  func testTwoWindowsOnOneConnection() throws {
    try MainActor.assumeIsolated {
      let stage = try WindowStage()
      let second = WaylandDisplay(connection: stage.display.connection, options: WindowOptions(width: 30, height: 20))
      let root = Layer()
      root.backgroundColor = .black
      let output = stage.engine.addOutput(display: second, root: root)
      stage.animate()
      var bright = false
      let link = stage.engine.makeDisplayLink(for: output) { _ in
        bright.toggle()
        Transaction.withoutActions { root.backgroundColor = bright ? .white : .black }
      }
      stage.run(for: .seconds(1))
      stage.forget()
      stage.run(for: .seconds(1))
      XCTAssertEqual(stage.compositor.windows.count, 2)
      XCTAssertEqual(stage.shown.count, 120)
      // The one goes on without the other.
      link.invalidate()
      stage.engine.remove(output)
      stage.forget()
      stage.run(for: .seconds(1))
      XCTAssertEqual(stage.compositor.windows.count, 1)
      XCTAssertEqual(stage.shown.count, 60)
      try stage.end()
    }
  }
}
