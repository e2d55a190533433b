// swift-tools-version: 6.2
import PackageDescription

// Figures of framepace beside those of peers, in one process. `tools/benchmark` builds it with the flags of the release
// build, in the release build's folder.

let package = Package(
  name: "Benchmarks",
  dependencies: [.package(name: "framepace", path: "../..")],
  targets: [
    .systemLibrary(name: "CUV", pkgConfig: "libuv"),
    .systemLibrary(name: "CGLib", pkgConfig: "glib-2.0"),
    // What framepace is measured against: the least that a C program needs for the same, and what C has for it.
    .target(name: "CPeers", dependencies: ["CUV", "CGLib"], cSettings: [.treatAllWarnings(as: .error)]),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "CPeers",
        .product(name: "Framepace", package: "framepace"),
        .product(name: "FramepaceKMS", package: "framepace"),
        .product(name: "FramepaceKMSTesting", package: "framepace"),
        .product(name: "FramepaceParts", package: "framepace"),
        .product(name: "FramepaceTesting", package: "framepace"),
      ],
      swiftSettings: [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
      ]),
  ]
)
