import Glibc
import KMS

/// The shared helpers of the tests in the virtual machine: expectations and the end of the program.
@MainActor
enum Guest {
  private static var failures = 0

  static func expect(_ condition: Bool, _ claim: @autoclosure () -> String) {
    if condition { return }
    failures += 1
    say("FAILED: \(claim())")
  }

  static func say(_ line: String) {
    print(line)
    fflush(nil)
  }

  /// Runs a shell command in the guest and expects it to succeed.
  @discardableResult
  static func shell(_ command: String) -> Bool {
    let status = system(command)
    expect(status == 0, "\(command): status \(status)")
    return status == 0
  }

  /// Writes the rows of a picture without padding, in the host's format for comparing.
  static func write(_ path: String, _ rows: [UnsafeRawBufferPointer]) {
    guard let file = fopen(path, "wb") else { return expect(false, "cannot write \(path)") }
    for row in rows { expect(fwrite(row.baseAddress, 1, row.count, file) == row.count, "cannot write \(path)") }
    expect(fclose(file) == 0, "cannot write \(path)")
  }

  static func finish() -> Never {
    exit(failures == 0 ? 0 : 1)
  }
}

extension KMSDisplay {
  /// The open card; the test fails if there is none.
  @MainActor
  var card: DRMDevice {
    guard let device else {
      Guest.expect(false, "\(name) has no card any more")
      Guest.finish()
    }
    return device
  }
}
