import LinuxSystem

/// Makes what a loop cannot work without, and nobody could do anything about: its descriptors, a thread for tasks that must go on.
///
/// - Parameter advice: what to do about it, as a sentence.
func orFatal<Value: ~Copyable>(
  _ advice: String = "Raise the process's limit of open files (ulimit -n).", _ make: () throws(SystemError) -> Value
) -> Value {
  do {
    return try make()
  } catch {
    fatalError("framepace: a loop cannot go on: \(error). \(advice)")
  }
}
