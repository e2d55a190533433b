import Glibc
import LinuxSystem
import Testing

@Suite struct SystemThreadTests {
  /// The kernel's name of a thread that was started with `name`.
  private func name(ofThreadStartedAs name: String) throws -> String {
    let seen = Lock("")
    try SystemThread(name: name) { seen.withLock { $0 = SystemThread.currentName } }.join()
    return seen.withLock { $0 }
  }

  @Test func namesAreShortenedToWholeCharacters() throws {
    #expect(try name(ofThreadStartedAs: "render") == "render")
    #expect(try name(ofThreadStartedAs: "exactly-fifteen") == "exactly-fifteen")
    #expect(try name(ofThreadStartedAs: "exactly-sixteen!") == "exactly-sixteen")
    // Each character has two bytes: the eighth would need a sixteenth byte.
    #expect(try name(ofThreadStartedAs: "ääääääää") == "äääääää")
    // The last character has eleven bytes; it is kept or dropped as a whole.
    #expect(try name(ofThreadStartedAs: "family 👩‍👩‍👧") == "family ")
    #expect(try name(ofThreadStartedAs: "") == "")
  }

  @Test func signalsAreLeftToOthersUnlessAskedFor() throws {
    var (signals, former) = (sigset_t(), sigset_t())
    sigaddset(&signals, SIGWINCH)
    pthread_sigmask(SIG_UNBLOCK, &signals, &former)
    defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
    for blocks in [true, false] {
      let isBlocked = Lock(!blocks)
      let thread = try SystemThread(name: "signals", blocksSignals: blocks) {
        var mask = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &mask)
        isBlocked.withLock { $0 = sigismember(&mask, SIGWINCH) == 1 }
      }
      #expect(!thread.isCurrent)
      thread.join()
      #expect(isBlocked.withLock { $0 } == blocks)
    }
    var mask = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &mask)
    #expect(sigismember(&mask, SIGWINCH) == 0)
  }
}
