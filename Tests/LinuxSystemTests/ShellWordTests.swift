import LinuxSystem
import Testing

struct ShellWordTests {
  @Test(arguments: [
    ("a.profile", "a.profile"), ("/tmp/x-1,2@3:4", "/tmp/x-1,2@3:4"), ("", "''"), ("two words", "'two words'"),
    ("it's", #"'it'\''s'"#), ("$(rm x)", "'$(rm x)'"), ("größe", "'größe'"),
  ])
  func pathsArePrintedForAShell(text: String, word: String) {
    #expect(text.shellWord == word)
  }
}
