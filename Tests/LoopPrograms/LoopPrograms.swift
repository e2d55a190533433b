import Glibc

/// Programs that the tests of the loop run as processes of their own: `loop-programs NAME [ARGUMENT…]`.
@main
struct LoopPrograms {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    switch arguments.first {
    case "echo": EchoProgram.run(path: arguments.dropFirst().first)
    default:
      print("usage: loop-programs echo [PATH]")
      exit(2)
    }
  }
}
