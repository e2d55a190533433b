// swift-tools-version: 6.2
import PackageDescription

// The reference with its articles, as a static site. `tools/documentation` builds it. A package of its own, so that nobody
// who uses framepace fetches the plugin.

let package = Package(
  name: "Documentation",
  dependencies: [
    .package(name: "framepace", path: "../.."),
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"),
  ],
  targets: [
    // Only names the products whose targets are documented.
    .target(
      name: "Reference",
      dependencies: [
        .product(name: "Framepace", package: "framepace"),
        .product(name: "FramepaceDisplays", package: "framepace"),
        .product(name: "FramepaceDownloads", package: "framepace"),
        .product(name: "FramepaceImages", package: "framepace"),
        .product(name: "FramepaceInput", package: "framepace"),
        .product(name: "FramepaceKMS", package: "framepace"),
        .product(name: "FramepaceKMSTesting", package: "framepace"),
        .product(name: "FramepaceMetrics", package: "framepace"),
        .product(name: "FramepaceParts", package: "framepace"),
        .product(name: "FramepaceTesting", package: "framepace"),
        .product(name: "FramepaceTypesetting", package: "framepace"),
        .product(name: "FramepaceWayland", package: "framepace"),
        .product(name: "FramepaceWaylandTesting", package: "framepace"),
        .product(name: "RunLoops", package: "framepace"),
      ])
  ]
)
