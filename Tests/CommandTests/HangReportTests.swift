import Foundation
import Testing

/// `framepace view` of a report of a hang.
struct HangReportTests {
  private static let report = """
    framepace hang report 1
    kind: hang
    program: kiosk
    process: 77
    thread: 77
    loop: main
    date: 1790000000.0
    start: 5000000000
    duration: 3020000000
    over: yes
    processor share: 0.01
    wait channel: do_poll
    mode: default
    phase: woken
    samples: 56
    share: 1.0
    frame: 1.0\t0x7f001234\t0x1234\t/lib/libc.so.6\tpoll
    frame: 1.0\t0x55004321\t0x4321\t/usr/bin/kiosk\tkiosk.load() -> ()

    """

  @Test func aReportIsPrintedForPeople() throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/one.hang"
    try Self.report.write(toFile: file, atomically: true, encoding: .utf8)
    let view = try framepace("view", file)
    #expect(view.status == 0, "\(view.error)")
    #expect(view.output.hasPrefix("main hung for 3.02 s, blocked in do_poll, in kiosk.load() -> ()\n"), "\(view.output)")

    try Self.report.replacing("phase: ", with: "phase: un").write(toFile: file, atomically: true, encoding: .utf8)
    let damaged = try framepace("view", file)
    #expect(damaged.status == 1)
    #expect(damaged.error.replacing("\n", with: " ").contains("line 14, column 8: 'unwoken'"), "\(damaged.error)")
  }

  /// The scene keeps the loop busy for 3 s of the clock on the wall, when it is made and in its first frame.
  @Test func aHangOfTheRunIsReported() throws {
    let folder = try TemporaryFolder()
    let run = try shell(
      "framepace run stress --work 3s --display fallback --size 64x64 --duration 1s --json --hang-reports kept/hangs; times",
      in: folder.path)
    #expect(run.error.hasPrefix("framepace: made the folder kept/hangs for reports of hangs\n"), "\(run.error)")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/kept/hangs").sorted()
    guard let file = files.first else {
      // Others may have had the processors meanwhile, and such time does not count.
      let used = run.output.split(separator: "\n").last?.firstMatch(of: /^(\d+)m([\d.]+)s/)
      let seconds = (used.flatMap { Double($0.1) } ?? 60) * 60 + (used.flatMap { Double($0.2) } ?? 0)
      #expect(seconds < 5.5, "\(run.output)")
      return print("the host was busy: 6 s of work had \(seconds) s of a processor")
    }
    let notes = run.output.split(separator: "\n").filter { $0.contains("{\"hang\":\"the main loop hung for ") }
    #expect(!notes.isEmpty, "\(run.output)")
    let view = try framepace(["view", "kept/hangs/\(file)"], in: folder.path)
    #expect(view.output.hasPrefix("the main loop hung for "), "\(view.output)\(view.error)")
    #expect(view.output.contains(" of the time was spent in this one\n") && view.output.contains("StressScene.update("))
    let refused = try framepace(["view", "kept/hangs/\(file)", "--process", "1"], in: folder.path)
    #expect(refused.status == 1 && refused.error.contains("leave out --process"), "\(refused.error)")
  }

  @Test func whatIsNoReportIsRefused() throws {
    let folder = try TemporaryFolder()
    let missing = try framepace("view", folder.path + "/none.hang").error
    #expect(missing.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains("No such file"), "\(missing)")
    let simulated = try framepace("run", "--simulate", "steady", "--duration", "1s", "--hang-reports", folder.path)
    #expect(simulated.status == 64 && simulated.error.contains("--hang-reports"))
  }
}
