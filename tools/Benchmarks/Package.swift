// swift-tools-version: 6.2
import PackageDescription

// Measures framepace beside its peers, in a single process. `tools/benchmark` builds the package with the flags of the
// release build, in the release build's folder.

let package = Package(
  name: "Benchmarks",
  dependencies: [.package(name: "framepace", path: "../..")],
  targets: [
    .systemLibrary(name: "CUV", pkgConfig: "libuv"),
    .systemLibrary(name: "CGLib", pkgConfig: "glib-2.0"),
    .systemLibrary(name: "CPNG", pkgConfig: "libpng"),
    .systemLibrary(name: "CJPEG", pkgConfig: "libjpeg"),
    .systemLibrary(name: "CCairoFont", pkgConfig: "cairo-ft"),
    .systemLibrary(name: "CPixman", pkgConfig: "pixman-1"),
    .systemLibrary(name: "CPangoFonts", pkgConfig: "pangoft2"),
    // The peers: minimal C programs for the same tasks, and C libraries.
    .target(
      name: "CPeers", dependencies: ["CUV", "CGLib", "CPNG", "CJPEG", "CCairoFont", "CPixman", "CPangoFonts"],
      cSettings: [.treatAllWarnings(as: .error)]),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "CPeers",
        .product(name: "Framepace", package: "framepace"),
        .product(name: "FramepaceImages", package: "framepace"),
        .product(name: "FramepaceKMS", package: "framepace"),
        .product(name: "FramepaceKMSTesting", package: "framepace"),
        .product(name: "FramepaceParts", package: "framepace"),
        .product(name: "FramepaceTesting", package: "framepace"),
        .product(name: "FramepaceTypesetting", package: "framepace"),
        .product(name: "RunLoops", package: "framepace"),
      ],
      swiftSettings: [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
      ]),
  ]
)
