import CPeers
import Foundation
import Framepace
import FramepaceTesting
import SampleScenes

/// Plays whole scenes at 1920×1080, a frame after the other as fast as they come, beside what a user would take instead: Cairo
/// drawing the whole frame, and Qt Quick's software renderer playing an equal scene. Cairo and Qt work on one thread.
@MainActor
enum SceneBenchmarks {
  nonisolated static let names = ["Cairo", "Qt Quick"]

  static let all = Benchmark(name: "scenes", peers: names) { try measure(picturesIn: nil).results }

  /// - Parameter picturesIn: a folder for what each shows at two seconds.
  static func measure(picturesIn folder: String?) throws -> (results: [Result], versions: [String]) {
    let fonts = try SceneFonts()
    let canvas = try Pixels(.opaque, seed: 1)
    let faces = [SystemFonts.Name.regular, .medium, .bold]
    let paths = try faces.map { try SystemFonts.face($0).path }
    guard let cairo = peer_scenes_make(canvas.base, paths[0], paths[1], paths[2]) else {
      throw BenchmarkError("Cairo cannot read the fonts")
    }
    defer { peer_scenes_free(cairo) }
    var results: [Result] = []
    var versions = ["Cairo \(String(cString: peer_cairo_version()))"]
    for name in [SceneName.dashboard, .swarm] {
      let scene = try PlayedScene(name, fonts)
      defer { scene.end() }
      let draw = name == .dashboard ? peer_scenes_dashboard : peer_scenes_swarm
      let quick =
        try Harness.measuresGatesOnly
        ? nil : PeerPrograms.quick(name.rawValue.capitalized, fonts: URL(fileURLWithPath: paths[0]))
      defer { quick?.end() }
      if let quick, !versions.contains(quick.version) { versions.append(quick.version) }
      if let folder {
        try PNG.write(PlayedScene.picture(name, fonts), to: "\(folder)/\(name)-framepace.png")
        draw(cairo, 2)
        try PNG.write(canvas.copy(), to: "\(folder)/\(name)-cairo.png")
        _ = try quick?.ask("picture 2 \(folder)/\(name)-quick.png")
      }
      results += try compare(name, ours: scene.play, cairo: { frame in draw(cairo, Double(frame) / 60) }, quick: quick)
    }
    for name in [SceneName.dashboard, .swarm, .orbit] {
      let scene = try PlayedScene(name, fonts)
      defer { scene.end() }
      // Each number and each arc of the dashboard that changed is a new content, since a renderer may still paint the old one: two
      // allocations for a number, its glyphs and the content; four for an arc, its path, the content and two for its strips.
      let limit: Double = name == .dashboard ? 75 : 0
      results.append(try Harness.allocations("\(name): allocations", limit: limit) { try scene.play(1) })
    }
    return (results, versions)
  }

  /// The times of one frame, in nanoseconds.
  private struct Times {
    /// The time on the clock.
    var all: Double
    /// The processor time of all threads.
    var processor: Double

    /// Measures something that this process does.
    init(frames: Int, _ body: () throws -> Void) rethrows {
      let processor = peer_process_time()
      all = try Harness.nanoseconds(body) / Double(frames)
      self.processor = Double(peer_process_time() - processor) / Double(frames)
    }

    /// Reads both from the answer of a peer.
    init(ofFrame answer: String) throws {
      let figures = answer.split(separator: " ").compactMap { Double($0) }
      guard figures.count == 2 else { throw BenchmarkError("Qt Quick does not say its times") }
      (all, processor) = (figures[0], figures[1])
    }
  }

  /// Medians of five rounds in which all alternate, each of half a second.
  private static func compare(
    _ name: SceneName, ours: @escaping @MainActor (Int) throws -> Void, cairo: @escaping @MainActor (Int) -> Void,
    quick: PeerProcess?
  ) throws -> [Result] {
    var frame = 0
    var players: [(@MainActor (Int) throws -> Times)?] = [
      { frames in try Times(frames: frames) { try ours(frames) } },
      { frames in
        Times(frames: frames) {
          for _ in 0..<frames {
            frame += 1
            cairo(frame)
          }
        }
      },
    ]
    if let quick {
      players.append { frames in try Times(ofFrame: quick.ask("play \(frames)")) }
    } else {
      players.append(nil)
    }
    let lengths = try players.map { player in
      // The first frames are painted whole.
      guard let player else { return 0 }
      _ = try player(3)
      return min(max(Int(0.5e9 / (try player(3).all)), 3), 120)
    }
    var times = players.map { _ in [Times]() }
    for _ in 0..<Harness.rounds {
      for (index, player) in players.enumerated() {
        if let player { times[index].append(try player(lengths[index])) }
      }
    }
    let processor = times.map { $0.isEmpty ? nil : Harness.median($0.map(\.processor)) }
    let rates = times.map { $0.isEmpty ? nil : (1e9 / Harness.median($0.map(\.all))).rounded() }
    return [
      Result(
        name: "\(name): processor time", unit: .nanoseconds, ours: processor[0] ?? .nan, peers: Array(processor.dropFirst()),
        gates: [Gate(peer: 0, limit: limits[name] ?? 1)]),
      Result(
        name: "\(name): frames a second", unit: .count, ours: rates[0] ?? .nan, peers: Array(rates.dropFirst()), gates: []),
    ]
  }

  /// The largest share of Cairo's processor time.
  private static let limits: [SceneName: Double] = [.dashboard: 0.7, .swarm: 0.6]
}

/// A scene on an engine that runs on manual time, with a display in memory.
@MainActor
final class PlayedScene {
  private let stage: ManualStage<VirtualDisplay>
  private let player: ScenePlayer

  init(_ name: SceneName, _ fonts: SceneFonts) throws {
    let scene = try name.makeScene(settings: SceneSettings(size: Size(1920, 1080), fonts: fonts))
    stage = try ManualStage(width: 1920, height: 1080, root: scene.root, rate: .hertz60, workers: WorkerPool(threads: 2))
    // The stage would keep every frame's record, which the engine does not do.
    stage.recordsFrames = false
    player = ScenePlayer(scene: scene, engine: stage.engine, start: stage.clock.now)
    stage.run(for: .milliseconds(500))
  }

  /// Plays frames, each of which must be shown.
  func play(_ frames: Int) throws {
    let shown = stage.display.shownFrames
    for _ in 0..<frames { stage.run(for: RefreshRate.hertz60.interval) }
    guard stage.display.shownFrames - shown >= frames - 1 else { throw BenchmarkError("frames were not shown") }
  }

  func end() {
    player.invalidate()
    stage.engine.invalidate()
  }

  /// The scene as it is at two seconds.
  static func picture(_ name: SceneName, _ fonts: SceneFonts) throws -> Image {
    let scene = try name.makeScene(settings: SceneSettings(size: Size(1920, 1080), fonts: fonts))
    let renderer = try OfflineRenderer(root: scene.root, width: 1920, height: 1080, frames: 1, from: .seconds(2))
    let player = ScenePlayer(scene: scene, engine: renderer.engine, start: renderer.start)
    defer {
      player.invalidate()
      renderer.invalidate()
    }
    guard let frame = try renderer.nextFrame() else { throw BenchmarkError("the scene has no picture") }
    return frame.image
  }
}
