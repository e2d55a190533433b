import LinuxSystem

extension InputScript {
  /// The longest file that is read, in bytes: some days of events.
  public static let longestFile = 256 << 20

  /// Reads the script in a file.
  ///
  /// - Throws: `SystemError` where the file cannot be read, `InputScriptError` where it is no script.
  public init(contentsOf path: String) throws {
    let bytes = try OwnedDescriptor.contents(of: path, limit: Self.longestFile)
    self = try InputScript(String(decoding: bytes, as: UTF8.self), file: path)
  }
}
