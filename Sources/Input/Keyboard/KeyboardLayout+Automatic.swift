import Glibc
public import LinuxSystem

extension KeyboardLayout {
  /// The machine's settings of the keyboard.
  public struct Machine: Sendable {
    /// The file of Debian's package keyboard-configuration, keyboard(5).
    public static let path = "/etc/default/keyboard"

    /// The environment's variables.
    public var environment: [String: String]
    /// The bytes of the file at `path`, or why they cannot be read; nil if there is no such file.
    public var file: Result<[UInt8], SystemError>?

    public init(environment: [String: String] = [:], file: Result<[UInt8], SystemError>? = nil) {
      (self.environment, self.file) = (environment, file)
    }

    /// The machine's and the process's own, as they are now.
    public static var current: Machine {
      var machine = Machine()
      for name in names.map(\.variable) + ["LC_ALL", "LC_CTYPE", "LANG"] {
        if let value = getenv(name) { machine.environment[name] = String(cString: value) }
      }
      do throws(SystemError) {
        machine.file = .success(try OwnedDescriptor.contents(of: path, limit: 65_536))
      } catch {
        machine.file = error.errno == ENOENT ? nil : .failure(error)
      }
      return machine
    }

    private static var names: [(variable: String, field: WritableKeyPath<Names, String>)] {
      [
        ("XKB_DEFAULT_RULES", \.rules), ("XKB_DEFAULT_MODEL", \.model), ("XKB_DEFAULT_LAYOUT", \.layout),
        ("XKB_DEFAULT_VARIANT", \.variant), ("XKB_DEFAULT_OPTIONS", \.options),
      ]
    }

    /// The words of the environment.
    fileprivate var environmentNames: Names {
      var result = Names()
      for (variable, field) in Self.names { result[keyPath: field] = environment[variable] ?? "" }
      return result
    }

    /// The words of the file; empty without a file.
    fileprivate func fileNames() throws(KeyboardLayoutError) -> Names {
      switch file {
      case nil: return Names()
      case .failure(let error): throw .unreadable(error)
      case .success(let bytes): return try Names(keyboardFile: bytes)
      }
    }
  }

  /// The layout that the application asks for, or else the machine's, or else "us"; "us" too if that one cannot be used, and then `problem`
  /// and `reason` say why.
  ///
  /// - Throws: the reason why there is not even "us".
  public static func automatic(
    _ application: Names = Names(), machine: Machine = .current, folders: [String]? = nil
  ) throws(KeyboardLayoutError) -> KeyboardLayout {
    do throws(KeyboardLayoutError) {
      let (names, origin) = try choose(application, machine)
      let layout = try KeyboardLayout(names, folders: folders)
      layout.reason = (["\(names), \(origin)"] + layout.warnings).joined(separator: "; ")
      return layout
    } catch {
      let layout = try KeyboardLayout(Names(), folders: folders)
      layout.problem = error
      layout.reason = "\(Names()), because \(error)"
      return layout
    }
  }

  private static func choose(
    _ application: Names, _ machine: Machine
  ) throws(KeyboardLayoutError) -> (Names, origin: String) {
    if !application.isEmpty { return (application, "as the application says") }
    let environment = machine.environmentNames
    if !environment.isEmpty { return (environment, "as XKB_DEFAULT_… in the environment says") }
    let file = try machine.fileNames()
    if !file.isEmpty { return (file, "as \(Machine.path) says") }
    return (Names(), "as neither XKB_DEFAULT_LAYOUT nor \(Machine.path) names one")
  }
}
