import Glibc

let benchmarks: [Benchmark] = [
  SystemBenchmarks.all, LoopBenchmarks.all, ThreadBenchmarks.all, LinkBenchmarks.all, PredictionBenchmarks.all,
  TickBenchmarks.all, PacingBenchmarks.all, MeteringBenchmarks.all, LayerBenchmarks.all, KernelBenchmarks.all,
  CompositingBenchmarks.all, RasterCacheBenchmarks.all, DamageBenchmarks.all, ScrollBenchmarks.all, TextBenchmarks.all,
  ShapeBenchmarks.all, GradientBenchmarks.all, PeerBenchmarks.all, PresenterBenchmarks.all, FrameBenchmarks.all,
  SceneBenchmarks.all, CommandBenchmarks.all, PictureBenchmarks.all, TraceBenchmarks.all, HangBenchmarks.all,
  BackdropBenchmarks.all, BlendingBenchmarks.all, RecordingBenchmarks.all,
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

var table = Table()
for benchmark in benchmarks where !isLeftOut(benchmark) && (wanted.isEmpty || wanted.contains(benchmark.name)) {
  do {
    table.add(try benchmark.run(), of: benchmark)
    fflush(nil)
  } catch {
    complain("error: \(benchmark.name): \(error)")
    exit(1)
  }
}
print("\(table.gates - table.failures) of \(table.gates) gates hold")
exit(gated && table.failures > 0 ? 1 : 0)
