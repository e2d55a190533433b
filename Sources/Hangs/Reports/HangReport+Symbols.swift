import CStackSamples
import Glibc

extension HangReport {
  /// Finds the file and the function of each frame. It reads files, and takes milliseconds.
  mutating func findSymbols() {
    var (files, offsets): ([String: [Int]], [UInt64]) = ([:], [])
    for index in frames.indices {
      // A call returns to the instruction behind it, which may belong to another function.
      let address = index == 0 ? frames[index].address : frames[index].address &- 1
      var module = cstack_module()
      guard cstack_module_of(address, &module) else {
        offsets.append(0)
        continue
      }
      let path = module.path.map { String(cString: $0) } ?? ""
      frames[index].file = path.isEmpty ? Self.programPath : path
      frames[index].offset = frames[index].address &- module.bias
      offsets.append(address &- module.bias)
      files[path.isEmpty ? "/proc/self/exe" : path, default: []].append(index)
    }
    for (path, indices) in files {
      let names = SymbolTable.names(at: indices.map { offsets[$0] }, inFile: path)
      for (index, name) in zip(indices, names) { frames[index].function = name.map(SwiftName.demangled) }
    }
  }

  /// The name of the running program's file.
  package static var program: String {
    let name = programPath.split(separator: "/").last.map(String.init) ?? ""
    // The kernel says so of a program that was installed anew while it runs.
    let deleted = " (deleted)"
    return name.hasSuffix(deleted) ? String(name.dropLast(deleted.count)) : name
  }

  /// The path of the running program.
  static let programPath: String = {
    let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, initialized in
      buffer.withMemoryRebound(to: CChar.self) { buffer in
        guard let base = buffer.baseAddress else { return }
        initialized = max(0, readlink("/proc/self/exe", base, buffer.count))
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }()
}
