import Glibc
import LinuxSystem
import RunLoops

/// A program that closes descriptors that it does not own, the loop's among them.
enum ClosedDescriptorProgram {
  static func run() {
    // A loop that does not notice would try to sleep again and again; this ends it.
    alarm(60)
    guard let thread = try? LoopThread(name: "closes") else { exit(2) }
    let loop = thread.loop
    loop.add(
      FrameLoop.Timer(fireTime: loop.clock.now, .onLoop { _ in for number: Int32 in 3..<64 { close(number) } }), to: .default
    )
    thread.waitUntilEnded()
  }
}
