import Glibc

/// The programs that the loop's tests run as separate processes: `loop-programs NAME [ARGUMENT…]`.
@main
struct LoopPrograms {
  @MainActor
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "echo": EchoProgram.run(path: arguments.dropFirst().first)
    case "foreign": ForeignPrograms.run(seconds: arguments.dropFirst().first.flatMap(Double.init) ?? 3)
    case "crowd": exit(CrowdProgram.run(share: max(arguments.dropFirst().first.flatMap { Int($0) } ?? 1, 1)))
    case "closed-descriptors": ClosedDescriptorProgram.run()
    case "fork": exit(ForkProgram.run())
    case "daemon": exit(ForkProgram.runDaemon())
    case "no-descriptors": exit(NoDescriptorsProgram.run())
    case "first-use": exit(FirstUseProgram.run(question: arguments.dropFirst().first))
    default:
      print(
        "usage: loop-programs echo [PATH] | foreign [SECONDS] | crowd [SHARE] | first-use QUESTION | closed-descriptors | fork "
          + "| daemon | no-descriptors")
      exit(2)
    }
  }
}
