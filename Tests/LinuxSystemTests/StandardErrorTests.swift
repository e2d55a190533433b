import Glibc
import Testing

@testable import LinuxSystem

struct StandardErrorTests {
  /// A pipe without a reader sends no signal, which would end this process, and leaves none behind.
  @Test func aClosedReaderEndsNothing() {
    let before = signal(SIGPIPE, SIG_DFL)
    defer { signal(SIGPIPE, before) }
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    StandardError.write("read\n", to: ends[1])
    var bytes = [UInt8](repeating: 0, count: 10)
    #expect(read(ends[0], &bytes, bytes.count) == 5)
    close(ends[0])
    StandardError.write("not read\n", to: ends[1])
    close(ends[1])
    var pending = sigset_t()
    sigpending(&pending)
    #expect(sigismember(&pending, SIGPIPE) == 0)
  }

  /// All words are there in their order, no line is longer than its width but one of a single word, and none could take the next word.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func aParagraphFitsItsWidth(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<200 {
      let words = (0..<Int.random(in: 1...40, using: &random)).map { _ in
        String(repeating: "w", count: .random(in: 1...14, using: &random))
      }
      let width = Int.random(in: 1...60, using: &random)
      let lines = words.joined(separator: " ").paragraph(width: width).split(separator: "\n")
      #expect(lines.flatMap { $0.split(separator: " ").map(String.init) } == words, "seed \(seed)")
      #expect(lines.allSatisfy { $0.count <= width || !$0.contains(" ") }, "seed \(seed)")
      for (line, next) in zip(lines, lines.dropFirst()) {
        #expect(line.count + 1 + (next.split(separator: " ").first?.count ?? 0) > width, "seed \(seed)")
      }
    }
  }
}
