import Glibc

let benchmarks: [Benchmark] = [
  SystemBenchmarks.all, LoopBenchmarks.all, ThreadBenchmarks.all, LinkBenchmarks.all, PredictionBenchmarks.all,
  TickBenchmarks.all, PacingBenchmarks.all, MeteringBenchmarks.all, LayerBenchmarks.all, KernelBenchmarks.all,
  CompositingBenchmarks.all, RasterCacheBenchmarks.all, DamageBenchmarks.all, ScrollBenchmarks.all, TextBenchmarks.all,
  ParagraphBenchmarks.all, ShapeBenchmarks.all, GradientBenchmarks.all, ParticleBenchmarks.all, PeerBenchmarks.all,
  PresenterBenchmarks.all, FrameBenchmarks.all, SceneBenchmarks.all, CommandBenchmarks.all, PictureBenchmarks.all,
  ImageFileBenchmarks.all, TraceBenchmarks.all, HangBenchmarks.all, BackdropBenchmarks.all,
  BlendingBenchmarks.all, RecordingBenchmarks.all, InputBenchmarks.all,
]

func complain(_ sentence: String) {
  var line = sentence + "\n"
  line.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
}

if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "--article" {
  do {
    try PeersArticle.write(to: CommandLine.arguments[2])
    exit(0)
  } catch {
    complain("error: \(error)")
    exit(1)
  }
}

var gated = false
var wanted: [String] = []
var isLeftOut: (Benchmark) -> Bool = { _ in false }
for argument in CommandLine.arguments.dropFirst() {
  switch argument {
  case "--gate": gated = true
  case "--simulated": isLeftOut = { !$0.isSimulated }
  case "--measured": isLeftOut = \.isSimulated
  case let name where benchmarks.contains { $0.name == name }: wanted.append(name)
  default:
    complain("'\(argument)' is no benchmark: there are \(benchmarks.map(\.name).joined(separator: ", ")).")
    exit(64)
  }
}

/// A group of measurements with a gate that does not hold is measured again after all others, twice at most. What disturbs the
/// machine is over then; a slower program exceeds its gates each time.
let attempts = 3
var table = Table()
var pending: [(benchmark: Benchmark, earlier: [Result])] =
  benchmarks.filter { !isLeftOut($0) && (wanted.isEmpty || wanted.contains($0.name)) }.map { ($0, []) }
for attempt in 1...attempts where !pending.isEmpty {
  if attempt > 1 { print("once more: \(pending.map(\.benchmark.name).joined(separator: ", "))") }
  let groups = pending
  pending = []
  for (benchmark, earlier) in groups {
    do {
      var results = try benchmark.run()
      if !earlier.isEmpty { results = zip(earlier, results).map { $0.strain < $1.strain ? $0 : $1 } }
      let isFinal = attempt == attempts || benchmark.isSimulated || results.allSatisfy(\.holds)
      table.add(results, of: benchmark, isFinal: isFinal)
      if !isFinal { pending.append((benchmark, results)) }
      fflush(nil)
    } catch {
      complain("error: \(benchmark.name): \(error)")
      exit(1)
    }
  }
}
print("\(table.gates - table.failures) of \(table.gates) gates hold")
exit(gated && table.failures > 0 ? 1 : 0)
