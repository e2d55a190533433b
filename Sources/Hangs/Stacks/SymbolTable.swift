import CStackSamples
import Glibc

/// The names of functions in a file (ELF, 64 bits), as far as its symbol tables have them.
enum SymbolTable {
  /// Reads the names of the functions that contain the given addresses of the file, one for each; nil where there is none.
  ///
  /// Damaged tables give no names. A file of any size is read in parts, and a table beyond 256 MB not at all.
  static func names(at addresses: [UInt64], inFile path: String) -> [String?] {
    var names = [String?](repeating: nil, count: addresses.count)
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return names }
    defer { close(file) }
    guard let sections = sections(of: file) else { return names }
    // The full table, else that for the dynamic linker.
    for type in [UInt32(2), 11] {
      for table in sections where table.type == type {
        guard table.link < sections.count, table.size <= 1 << 28, sections[Int(table.link)].size <= 1 << 28,
          let symbols = bytes(of: file, table), let strings = bytes(of: file, sections[Int(table.link)])
        else { continue }
        find(addresses, in: symbols, strings, &names)
      }
    }
    return names
  }

  private struct Section {
    var type: UInt32
    var offset: UInt64
    var size: UInt64
    var link: UInt32
  }

  private static func sections(of file: Int32) -> [Section]? {
    guard let header = bytes(of: file, at: 0, count: 64), header.prefix(6) == [0x7F, 0x45, 0x4C, 0x46, 2, 1] else {
      return nil
    }
    var reader = ByteReader(header)
    reader.index = 0x28
    let offset = reader.fixed(UInt64.self)
    reader.index = 0x3A
    let (size, count) = (reader.fixed(UInt16.self), reader.fixed(UInt16.self))
    guard size == 64, let table = bytes(of: file, at: offset, count: Int(count) * 64) else { return nil }
    return (0..<Int(count)).map { index in
      var reader = ByteReader(table)
      reader.index = index * 64 + 4
      let type = reader.fixed(UInt32.self)
      reader.index = index * 64 + 24
      let (offset, size, link) = (reader.fixed(UInt64.self), reader.fixed(UInt64.self), reader.fixed(UInt32.self))
      return Section(type: type, offset: offset, size: size, link: link)
    }
  }

  private static func find(_ addresses: [UInt64], in symbols: [UInt8], _ strings: [UInt8], _ names: inout [String?]) {
    // The function that begins last at a place is the innermost there.
    var begins = [UInt64](repeating: 0, count: addresses.count)
    let missing = addresses.indices.filter { names[$0] == nil }
    guard !missing.isEmpty else { return }
    let range = (missing.map { addresses[$0] }.min() ?? 0, missing.map { addresses[$0] }.max() ?? 0)
    symbols.withUnsafeBytes { symbols in
      for index in 0..<symbols.count / 24 {
        let value = symbols.loadUnaligned(fromByteOffset: index * 24 + 8, as: UInt64.self)
        guard value != 0, value <= range.1 else { continue }
        let size = symbols.loadUnaligned(fromByteOffset: index * 24 + 16, as: UInt64.self)
        guard symbols[index * 24 + 4] & 0xF == 2, value &+ size > range.0 else { continue }
        for place in missing where addresses[place] >= value && addresses[place] - value < size && value >= begins[place] {
          // Several names may stand for one function; the first is kept.
          if names[place] != nil, value == begins[place] { continue }
          let start = Int(symbols.loadUnaligned(fromByteOffset: index * 24, as: UInt32.self))
          guard start < strings.count else { continue }
          let name = strings[start...].prefix { $0 != 0 }
          guard !name.isEmpty else { continue }
          names[place] = String(decoding: name, as: UTF8.self)
          begins[place] = value
        }
      }
    }
  }

  private static func bytes(of file: Int32, _ section: Section) -> [UInt8]? {
    bytes(of: file, at: section.offset, count: Int(section.size))
  }

  private static func bytes(of file: Int32, at offset: UInt64, count: Int) -> [UInt8]? {
    guard offset <= UInt64(Int64.max) else { return nil }
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      while initialized < count, let base = buffer.baseAddress {
        let read = pread(file, base + initialized, count - initialized, off_t(offset) + initialized)
        if read < 0, errno == EINTR { continue }
        guard read > 0 else { return }
        initialized += read
      }
    }
    return bytes.count == count ? bytes : nil
  }
}

/// Names of Swift as people write them.
enum SwiftName {
  /// The name without Swift's encoding; the name itself if it has none.
  static func demangled(_ name: String) -> String {
    guard name.hasPrefix("$s") || name.hasPrefix("$S") || name.hasPrefix("_T") else { return name }
    guard let text = swift_demangle(name, name.utf8.count, nil, nil, 0) else { return name }
    defer { free(text) }
    return String(cString: text)
  }
}
