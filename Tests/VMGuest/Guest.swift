import Glibc
import KMS

/// What the tests in the virtual machine have in common: expectations, and the way out.
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

  /// Runs a command of the guest's shell.
  @discardableResult
  static func shell(_ command: String) -> Bool {
    let status = system(command)
    expect(status == 0, "\(command): status \(status)")
    return status == 0
  }

  /// Writes a picture's rows without padding, as the host compares them.
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
  /// The card, which there must be.
  @MainActor
  var card: DRMDevice {
    guard let device else {
      Guest.expect(false, "\(name) has no card any more")
      Guest.finish()
    }
    return device
  }
}
