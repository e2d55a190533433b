// swift-tools-version: 6.2
import PackageDescription

// One target, one folder, one idea. Every target declares each module that it imports; `tools/check-layering` compares
// the table of layers in `CONTRIBUTING.md` with this file and the sources, and refuses an import that it does not allow.

// Swift 6.2 does not know it.
#if compiler(>=6.3)
  let weakCaptures: [SwiftSetting] = [.enableUpcomingFeature("ImmutableWeakCaptures")]
#else
  let weakCaptures: [SwiftSetting] = []
#endif

let swiftSettings: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error, .when(configuration: .debug)),
  ] + weakCaptures

// The fast compressor of pictures, which Debian has for amd64 alone.
#if arch(x86_64)
  let compressor: [Target.Dependency] = ["CISAL"]
#else
  let compressor: [Target.Dependency] = []
#endif

func library(_ name: String, _ dependencies: [Target.Dependency] = [], path: String? = nil) -> Target {
  .target(name: name, dependencies: dependencies, path: path, swiftSettings: swiftSettings)
}

func system(_ name: String, _ pkgConfig: String? = nil, apt package: String? = nil) -> Target {
  .systemLibrary(name: name, path: "Sources/\(name)", pkgConfig: pkgConfig, providers: package.map { [.apt([$0])] })
}

func program(_ name: String, _ dependencies: [Target.Dependency], path: String, exclude: [String] = []) -> Target {
  .executableTarget(name: name, dependencies: dependencies, path: path, exclude: exclude, swiftSettings: swiftSettings)
}

func sample(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  program(name, dependencies, path: "Samples/\(name)", exclude: exclude)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: swiftSettings)
}

let package = Package(
  name: "framepace",
  products: [
    .library(name: "Framepace", targets: ["Framepace"]),
    .library(name: "FramepaceKMS", targets: ["KMS", "Seats"]),
    .library(name: "FramepaceInput", targets: ["Input", "Seats"]),
    .library(name: "FramepaceWayland", targets: ["Wayland"]),
    .library(name: "FramepaceDisplays", targets: ["AutomaticDisplays", "KMS", "Seats", "Wayland"]),
    .library(name: "FramepaceImages", targets: ["ImageFiles"]),
    .library(name: "FramepaceMetrics", targets: ["Exposition"]),
    .library(name: "FramepaceDownloads", targets: ["Downloads"]),
    .library(name: "FramepaceTypesetting", targets: ["Typesetting"]),
    .library(name: "RunLoops", targets: ["RunLoops", "LinuxSystem", "FrameArenas", "MessagePorts"]),
    // The parts by themselves with the scenes, for tools and benchmarks; an application wants `Framepace`.
    .library(
      name: "FramepaceParts",
      targets: [
        "CKernels", "CStackSamples", "Compositing", "FrameTiming", "Geometry", "Hangs", "Layers", "Layouts", "LinuxSystem",
        "Metering", "Presentation", "Raster", "RenderTree", "RunLoops", "SampleScenes", "SceneText", "Simulation",
      ]),
    .library(name: "FramepaceTesting", targets: ["FramepaceTesting", "Simulation", "AllocationCounter"]),
    .library(name: "FramepaceKMSTesting", targets: ["KMSTesting"]),
    .library(name: "FramepaceWaylandTesting", targets: ["WaylandTesting"]),
    .executable(name: "framepace", targets: ["FramepaceCLI"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ],
  targets: [
    // The system and its libraries.
    system("CLinux"),
    system("CDRM", "libdrm", apt: "libdrm-dev"),
    system("CCairo", "cairo", apt: "libcairo2-dev"),
    system("CFreeType", "freetype2", apt: "libfreetype-dev"),
    system("CFriBidi", "fribidi", apt: "libfribidi-dev"),
    system("CHarfBuzz", "harfbuzz", apt: "libharfbuzz-dev"),
    system("CPangoFT2", "pangoft2", apt: "libpango1.0-dev"),
    system("CDeflate", "libdeflate", apt: "libdeflate-dev"),
    system("CISAL", "libisal", apt: "libisal-dev"),
    system("CSpng", "spng", apt: "libspng-dev"),
    system("CLibJPEG", "libjpeg", apt: "libjpeg62-turbo-dev"),
    system("CWebP", "libwebpdemux", apt: "libwebp-dev"),
    system("CAVIF", "libavif", apt: "libavif-dev"),
    system("CGIF", "libgif", apt: "libgif-dev"),
    system("CLCMS", "lcms2", apt: "liblcms2-dev"),
    system("CSeat", "libseat", apt: "libseat-dev"),
    system("CUdev", "libudev", apt: "libudev-dev"),
    system("CLibinput", "libinput", apt: "libinput-dev"),
    system("CEvdev", "libevdev", apt: "libevdev-dev"),
    system("CXKBCommon", "xkbcommon", apt: "libxkbcommon-dev"),
    system("CCurl", "libcurl", apt: "libcurl4-openssl-dev"),
    system("CWaylandClient", "wayland-client", apt: "libwayland-dev"),
    // The server's side is for tests.
    system("CWaylandServer", "wayland-server", apt: "libwayland-dev"),
    // The protocols, generated by `tools/generate-wayland-protocols`.
    .target(
      name: "CWaylandProtocols", dependencies: ["CWaylandClient"], exclude: ["XML"],
      cSettings: [.treatAllWarnings(as: .error)]),
    .target(name: "CFatalSignals", cSettings: [.treatAllWarnings(as: .error)]),
    .target(name: "CStackSamples", cSettings: [.treatAllWarnings(as: .error)]),
    library("LinuxSystem", ["CLinux"]),

    // Time: the loop, the display link, the figures.
    library("RunLoops", ["CFatalSignals", "CLinux", "LinuxSystem"]),
    library("FrameArenas", ["LinuxSystem", "RunLoops"]),
    library("MessagePorts", ["CLinux", "LinuxSystem", "RunLoops"]),
    library("FrameTiming", ["LinuxSystem", "RunLoops"]),
    library("Metering", ["LinuxSystem", "FrameTiming"]),
    library("Hangs", ["CStackSamples", "LinuxSystem", "RunLoops"]),
    library("Exposition", ["CLinux", "Hangs", "LinuxSystem", "Metering", "RunLoops"]),

    // Pixels: drawing, the render tree, compositing.
    library("Geometry"),
    .target(
      name: "CPictures", dependencies: compressor,
      cSettings: [.treatAllWarnings(as: .error), .unsafeFlags(["-O2"], .when(configuration: .debug))]),
    library(
      "Raster",
      ["Geometry", "LinuxSystem", "CCairo", "CFreeType", "CFriBidi", "CHarfBuzz", "CDeflate", "CPictures", "CSpng"]),
    // Optimized in debug builds too, as CPictures.
    .target(
      name: "CImageFiles", dependencies: ["CLibJPEG"],
      cSettings: [.treatAllWarnings(as: .error), .unsafeFlags(["-O2"], .when(configuration: .debug))]),
    library("ImageFiles", ["CAVIF", "CDeflate", "CGIF", "CImageFiles", "CLCMS", "CWebP", "LinuxSystem", "Raster"]),
    .target(name: "CPango", dependencies: ["CFriBidi", "CPangoFT2"], cSettings: [.treatAllWarnings(as: .error)]),
    library("Typesetting", ["CPango", "Geometry", "LinuxSystem", "Raster"]),
    library("Downloads", ["CCurl", "CDeflate", "ImageFiles", "LinuxSystem", "Raster", "RunLoops"]),
    library("RenderTree", ["Geometry", "LinuxSystem", "Raster"]),
    // Optimized in debug builds too, where pictures would take seven times as long as in release. Since tools version 6.2
    // a package with such a flag can be a dependency by its version.
    .target(name: "CKernels", cSettings: [.unsafeFlags(["-O2"], .when(configuration: .debug))]),
    library("Compositing", ["CKernels", "Geometry", "LinuxSystem", "Raster", "RenderTree"]),

    // The layers that an application works with.
    library("Layers", ["Geometry", "ImageFiles", "LinuxSystem", "Raster", "RenderTree", "RunLoops", "Typesetting"]),
    library("Layouts", ["Geometry", "Layers"]),
    library(
      "SceneText",
      ["Geometry", "ImageFiles", "Layers", "LinuxSystem", "Raster", "RenderTree", "RunLoops", "Typesetting"]),

    // Displays and input devices: who may use them, and when they come and go.
    library("Seats", ["CSeat", "CUdev", "LinuxSystem", "RunLoops"]),
    library(
      "Input", ["CEvdev", "CLibinput", "CUdev", "CXKBCommon", "Geometry", "LinuxSystem", "RunLoops", "Seats"]),
    // Layers that people touch, scroll and type into.
    library(
      "Interaction",
      [
        "FrameTiming", "Geometry", "ImageFiles", "Input", "Layers", "LinuxSystem", "Raster", "RunLoops", "Typesetting",
      ]),

    // Displays and presenters: the way of a frame to the screen.
    library(
      "Presentation",
      ["Compositing", "FrameTiming", "Geometry", "LinuxSystem", "Raster", "RenderTree", "RunLoops"]),
    library("Simulation", ["FrameTiming", "LinuxSystem", "Presentation", "Raster", "RenderTree", "RunLoops"]),
    library(
      "KMS",
      [
        "CDRM", "CLinux", "FrameTiming", "Geometry", "LinuxSystem", "Presentation", "Raster", "RenderTree", "RunLoops",
        "Seats",
      ]),

    // A window on a desktop.
    library(
      "Wayland",
      [
        "CWaylandClient", "CWaylandProtocols", "FrameTiming", "Geometry", "Input", "LinuxSystem", "Presentation", "Raster",
        "RenderTree", "RunLoops",
      ]),
    // The choice between a window and a screen.
    library("AutomaticDisplays", ["FrameTiming", "KMS", "LinuxSystem", "Presentation", "Raster", "Wayland"]),
    // A Wayland compositor without a screen, in the process of its client.
    .target(
      name: "CWaylandTesting", dependencies: ["CWaylandProtocols", "CWaylandServer"],
      cSettings: [.treatAllWarnings(as: .error)]),
    library(
      "WaylandTesting",
      [
        "CWaylandServer", "CWaylandTesting", "FrameTiming", "Geometry", "LinuxSystem", "Raster", "RunLoops", "Simulation",
      ]),

    library("KMSTesting", ["CDRM", "FrameTiming", "KMS", "LinuxSystem", "Raster", "RunLoops"]),

    // All of it, wired.
    library(
      "Framepace",
      [
        "Compositing", "FrameTiming", "Geometry", "Hangs", "ImageFiles", "Input", "Interaction", "Layers", "Layouts",
        "LinuxSystem", "Metering", "Presentation", "Raster", "RenderTree", "RunLoops", "SceneText", "Simulation",
        "Typesetting",
      ]),
    library(
      "FramepaceTesting",
      [
        "Compositing", "FrameTiming", "Framepace", "Geometry", "Layers", "LinuxSystem", "Presentation", "Raster",
        "RenderTree", "RunLoops", "Simulation", "Typesetting",
      ]),
    library("SampleScenes", ["Framepace"], path: "Samples/SampleScenes"),
    sample("Modes", ["LinuxSystem", "RunLoops"]),
    sample("CommonModes", ["LinuxSystem", "RunLoops"]),
    sample("Timers", ["LinuxSystem", "RunLoops"]),
    sample("BeforeWaitingCommit", ["LinuxSystem", "RunLoops"]),
    sample("MainQueue", ["LinuxSystem", "RunLoops"]),
    sample("KeepAliveThread", ["LinuxSystem", "RunLoops"]),
    sample("Performers", ["LinuxSystem", "RunLoops"]),
    sample("ServiceThread", ["LinuxSystem", "MessagePorts", "RunLoops"]),
    sample("ActorOnThread", ["LinuxSystem", "RunLoops"]),
    sample("AsynchronousLabel", ["Framepace"]),
    sample("AsynchronousGroup", ["Framepace"]),
    sample("LineStrip", ["Framepace", "SampleScenes"]),
    sample("ImplicitAnimation", ["Framepace"]),
    sample("KeyframesAlongPath", ["Framepace"]),
    sample("Stacks", ["Framepace"]),
    sample("Grids", ["Framepace"]),
    sample("SpringInterrupted", ["Framepace"]),
    sample("DisplayLinkTicks", ["Framepace"]),
    sample("SeveralDisplays", ["Framepace"]),
    sample("DyingApplication", ["LinuxSystem", "RunLoops"]),
    sample("Kiosk", ["AutomaticDisplays", "Framepace", "KMS", "Seats"]),
    // The frame of the samples that people touch.
    library(
      "InteractivePrograms", ["AutomaticDisplays", "Framepace", "KMS", "Seats", "Wayland"],
      path: "Samples/InteractivePrograms"),
    sample("Feed", ["Framepace", "InteractivePrograms", "SampleScenes"]),
    sample("Form", ["Framepace", "InteractivePrograms", "SampleScenes"]),
    sample("Paint", ["Framepace", "InteractivePrograms", "SampleScenes"], exclude: ["rainbow.input"]),
    sample("Calibrate", ["Framepace", "InteractivePrograms", "SampleScenes"]),
    sample("Map", ["Framepace", "InteractivePrograms", "SampleScenes"], exclude: ["journey.input"]),
    sample("UnpluggedScreen", ["Framepace", "KMS", "KMSTesting"]),
    sample("TurnMemory", ["FrameArenas", "LinuxSystem", "RunLoops"]),
    sample("RunUntil", ["Framepace", "FramepaceTesting"]),
    program(
      "FramepaceCLI",
      [
        "AutomaticDisplays", "Exposition", "FrameTiming", "Framepace", "Geometry", "Hangs", "Input", "KMS", "LinuxSystem",
        "Metering", "SampleScenes", "Seats", "Simulation", "Wayland",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], path: "Sources/FramepaceCLI"),

    // Tests, and what only tests use.
    .target(name: "AllocationCounter", path: "Tests/AllocationCounter", cSettings: [.treatAllWarnings(as: .error)]),
    tests("AllocationCounterTests", ["AllocationCounter"]),
    tests("LinuxSystemTests", ["LinuxSystem"]),
    // How much a test repeats in a short and in a long run.
    .target(name: "TestLength", path: "Tests/TestLength", swiftSettings: swiftSettings),
    // Helpers of the tests of loops.
    library("LoopTestSupport", ["LinuxSystem", "RunLoops"], path: "Tests/LoopTestSupport"),
    tests(
      "RunLoopsTests",
      [
        "CLinux", "FrameArenas", "LinuxSystem", "LoopTestSupport", "MessagePorts", "RunLoops", "TestLength", "loop-programs",
      ]),
    // Programs that RunLoopsTests runs as processes of their own.
    program("loop-programs", ["LinuxSystem", "MessagePorts", "RunLoops"], path: "Tests/LoopPrograms"),
    // Also plays with the CFRunLoop of libFoundation, which importing CoreFoundation alone does not link.
    .testTarget(
      name: "RunLoopConformanceTests", dependencies: ["CLinux", "LinuxSystem", "LoopTestSupport", "RunLoops"],
      swiftSettings: swiftSettings,
      linkerSettings: [.linkedLibrary("Foundation"), .linkedLibrary("BlocksRuntime")]),
    // Programs that die of real faults, and what is seen of it.
    program("dying", ["CFatalSignals", "LinuxSystem", "RunLoops"], path: "Tests/Dying"),
    tests("FatalSignalTests", ["dying"]),
    tests("SeatsTests", ["CLinux", "LinuxSystem", "RunLoops", "Seats"]),
    tests("InputTests", ["CXKBCommon", "Geometry", "Input", "LinuxSystem", "RunLoops"], exclude: ["Recordings"]),
    tests(
      "InteractionTests",
      [
        "AllocationCounter", "Geometry", "ImageFiles", "Input", "Interaction", "Layers", "LinuxSystem", "Raster", "RunLoops",
        "TestLength", "Typesetting",
      ]),
    tests(
      "FrameTimingTests",
      ["FrameTiming", "FramepaceTesting", "LinuxSystem", "Metering", "RunLoops", "Simulation", "TestLength"],
      exclude: ["Recordings"]),
    // Programs that hang, and what is reported of it.
    program("hanging", ["CCairo", "Hangs", "LinuxSystem", "RunLoops"], path: "Tests/Hanging"),
    tests("HangTests", ["CStackSamples", "Hangs", "LinuxSystem", "RunLoops", "hanging"]),
    tests(
      "DownloadsTests",
      ["CCurl", "Downloads", "ImageFiles", "LinuxSystem", "LoopTestSupport", "Raster", "RunLoops", "TestLength"]),
    tests("ExpositionTests", ["Exposition", "Hangs", "LinuxSystem", "Metering", "RunLoops", "TestLength"]),
    tests("MeteringTests", ["FrameTiming", "LinuxSystem", "Metering", "TestLength"], exclude: ["Captures"]),
    // A program that exits while a display is in use.
    program(
      "exiting", ["Framepace", "Geometry", "KMS", "KMSTesting", "LinuxSystem", "RenderTree"], path: "Tests/Exiting"),
    tests(
      "KMSTests",
      [
        "CDRM", "Compositing", "FrameTiming", "Framepace", "FramepaceTesting", "Geometry", "KMS", "KMSTesting",
        "LinuxSystem", "Presentation", "Raster", "RenderTree", "RunLoops", "Seats", "TestLength", "exiting",
      ]),
    tests(
      "PresentationTests",
      [
        "Compositing", "FrameTiming", "Geometry", "LinuxSystem", "Presentation", "Raster", "RenderTree", "RunLoops",
        "Simulation",
      ]),
    tests(
      "WaylandTests",
      [
        "AutomaticDisplays", "CWaylandClient", "CWaylandServer", "CWaylandTesting", "FrameTiming", "Framepace",
        "FramepaceTesting", "Geometry", "Input", "Interaction", "Layers", "LinuxSystem", "Metering", "Presentation",
        "Raster", "RenderTree", "RunLoops", "Simulation", "TestLength", "Wayland", "WaylandTesting", "WindowScripts",
      ]),
    // Random scripts for windows, for tests and for the program that plays many of them.
    library(
      "WindowScripts",
      [
        "FrameTiming", "Framepace", "Geometry", "LinuxSystem", "Raster", "RunLoops", "Simulation", "Wayland",
        "WaylandTesting",
      ],
      path: "Tests/WindowScripts"),
    program("window-scripts", ["WindowScripts"], path: "Tests/WindowScriptPlayer"),
    // The program that Tests/VM runs inside the virtual machine.
    program(
      "vm-guest",
      [
        "CDRM", "CEvdev", "CLibinput", "CUdev", "Compositing", "FrameTiming", "Framepace", "Geometry", "Input", "KMS",
        "LinuxSystem", "Metering", "Presentation", "Raster", "RenderTree", "RunLoops", "SampleScenes", "Seats",
      ], path: "Tests/VMGuest"),
    // The other reader and writer of PNG, for comparison.
    .systemLibrary(name: "CPNG", path: "Tests/CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
    tests("RasterTests", ["CCairo", "CDeflate", "CPNG", "CPictures", "Geometry", "LinuxSystem", "Raster", "TestLength"]),
    // Pango's own paragraphs, for comparison.
    .target(
      name: "CPangoLayout", dependencies: ["CPangoFT2"], path: "Tests/CPangoLayout",
      cSettings: [.treatAllWarnings(as: .error)]),
    tests(
      "TypesettingTests", ["CHarfBuzz", "CPangoLayout", "Geometry", "LinuxSystem", "Raster", "TestLength", "Typesetting"]),
    // librsvg in the process itself, for comparison.
    .systemLibrary(name: "CRSVG", path: "Tests/CRSVG", pkgConfig: "librsvg-2.0", providers: [.apt(["librsvg2-dev"])]),
    tests(
      "ImageFilesTests", ["CImageFiles", "CLCMS", "CRSVG", "ImageFiles", "LinuxSystem", "Raster", "TestLength"],
      exclude: ["Pictures"]),
    tests(
      "LayersTests",
      [
        "AllocationCounter", "Compositing", "Geometry", "ImageFiles", "Layers", "LinuxSystem", "Raster", "RenderTree",
        "RunLoops", "SceneText", "TestLength", "Typesetting",
      ],
      exclude: ["Facts"]),
    tests(
      "LayoutsTests", ["Geometry", "ImageFiles", "Layers", "Layouts", "LinuxSystem", "Raster"],
      exclude: ["Cases", "README.md", "collect", "draw.py", "fixtures.py", "styles.py"]),
    tests(
      "SceneTextTests",
      [
        "Compositing", "Framepace", "FramepaceTesting", "Geometry", "ImageFiles", "Layers", "LinuxSystem", "Raster",
        "RenderTree", "SampleScenes", "SceneText", "TestLength", "Typesetting",
      ]),
    tests("RenderTreeTests", ["Geometry", "LinuxSystem", "Raster", "RenderTree", "TestLength"]),
    tests(
      "FramepaceTests",
      [
        "Compositing", "FrameTiming", "Framepace", "FramepaceTesting", "Geometry", "Interaction", "Layers", "LinuxSystem",
        "Metering", "Presentation", "Raster", "RenderTree", "Simulation", "TestLength",
      ], exclude: ["Goldens"]),
    tests(
      "SampleSceneTests", ["Framepace", "FramepaceTesting", "LinuxSystem", "SampleScenes", "TestLength"],
      exclude: ["Goldens"]),
    // A program that records its frames until a signal ends it.
    program("recorded", ["Framepace"], path: "Tests/Recorded"),
    tests(
      "CommandTests",
      [
        "CDRM", "FrameTiming", "Framepace", "FramepaceCLI", "FramepaceTesting", "Geometry", "Input", "KMS", "LinuxSystem",
        "Metering", "Presentation", "RenderTree", "Simulation", "TestLength", "Wayland", "recorded",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    tests(
      "CompositingTests",
      [
        "AllocationCounter", "CKernels", "Compositing", "FramepaceTesting", "Geometry", "Layers", "LinuxSystem", "Raster",
        "RenderTree", "SceneText", "TestLength",
      ]),
  ]
)

// `FRAMEPACE_TESTS=RunLoopsTests,LayersTests swift build --build-tests` builds these test targets and what they depend on,
// and nothing else. `tools/test` builds the suites of the thread sanitizer so.
if let names = Context.environment["FRAMEPACE_TESTS"], !names.isEmpty {
  var rest = names.split(separator: ",").map(String.init)
  var kept: Set<String> = []
  while let name = rest.popLast() {
    guard kept.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else { continue }
    for case .byNameItem(let name, _) in target.dependencies { rest.append(name) }
  }
  package.targets.removeAll { !kept.contains($0.name) }
  package.products = []
}
