internal import CImageFiles
internal import Glibc
internal import LinuxSystem
internal import Raster

/// An SVG file, drawn by librsvg in a process of its own, `rsvg-convert`: a few kilobytes can ask the library for more stack, memory
/// or time than there is, which would end this process.
struct SVGFile {
  /// The size that the file states, in pixels of 96 an inch, rounded up.
  let size: PixelSize
  private let bytes: UnsafeRawBufferPointer
  private let name: String

  /// The program, and the Debian package that has it.
  private static let program = (name: "rsvg-convert", package: "librsvg2-bin")
  /// The bytes of addresses that the program has before it reads a file: twice what it was seen to need.
  private static let programMemory = 192 << 20

  /// Reads the element at the root. The bytes must stay while the value is used.
  init(_ bytes: UnsafeRawBufferPointer, name: String) throws(ImageFileError) {
    guard let root = SVGRoot(of: bytes), let size = root.size else {
      throw .damaged(name: name, format: .svg, reason: "it states no size: neither width and height nor viewBox")
    }
    (self.bytes, self.name, self.size) = (bytes, name, size)
  }

  func decode(to result: PixelSize, watch: DecodingWatch) throws(ImageFileError) -> Image {
    guard max(result.width, result.height) <= Bitmap.maximumSide else {
      throw .tooLarge(name: name, size: result, maximumPixels: watch.limits.pixels)
    }
    // As a PNG that is not compressed.
    let largest = result.pixels * 4 + result.pixels / 64 + 65_536
    try watch.take(result.pixels * 4 + largest)
    let drawn = try draw(result, largest, watch)
    return try drawn.withUnsafeBufferPointer { (drawn) throws(ImageFileError) in
      var limits = watch.limits
      limits.pixels = max(limits.pixels, result.pixels)
      let picture = try PNGFile(UnsafeRawBufferPointer(drawn), limits: limits, name: name)
      guard picture.size == result else { throw damaged("it was drawn as \(picture.size), not \(result)") }
      return try picture.decode(to: result, watch: watch)
    }
  }

  /// The file drawn by the program, as PNG.
  private func draw(_ result: PixelSize, _ largest: Int, _ watch: DecodingWatch) throws(ImageFileError) -> [UInt8] {
    let input = try memoryFile()
    let output = try memoryFile()
    let messages = try memoryFile()
    try write(bytes, to: input)
    let words = [Self.program.name, "--width=\(result.width)", "--height=\(result.height)", "--format=png"]
    var arguments: [UnsafePointer<CChar>?] = words.map { UnsafePointer(strdup($0)) }
    defer { for argument in arguments { free(UnsafeMutablePointer(mutating: argument)) } }
    arguments.append(nil)
    var program = cimagefiles_program()
    let seconds = max(watch.limits.duration.seconds.rounded(.up), 0) + 1
    let error = cimagefiles_program_start(
      &program, arguments, input.number, output.number, messages.number, Self.programMemory + watch.limits.memory, largest,
      Int(min(seconds, 1e6)))
    guard error == 0 else {
      throw .file(SystemError(call: "posix_spawn", subject: "\(Self.program.name) of \(Self.program.package)", errno: error))
    }
    while !cimagefiles_program_wait(&program, 5) {
      if watch.shouldStop() { break }
    }
    let status = cimagefiles_program_end(&program)
    try watch.check()
    guard status == 0 else { throw failure(status, try? read(messages, limit: 65_536), watch) }
    do throws(SystemError) {
      return try read(output, limit: largest)
    } catch {
      throw .file(error)
    }
  }

  private func failure(_ status: Int32, _ messages: [UInt8]?, _ watch: DecodingWatch) -> ImageFileError {
    let message = String(decoding: (messages ?? []).prefix(200).prefix { $0 != 10 }, as: UTF8.self)
    // The words of Rust and of librsvg.
    if message.contains("memory allocation") || message.contains("NoMemory") {
      return .needsMemory(name: name, limit: watch.limits.memory)
    }
    if !message.isEmpty { return damaged(message) }
    return damaged(status > 255 ? "drawing it ended by signal \(status - 256)" : "drawing it ended with status \(status)")
  }

  private func damaged(_ reason: String) -> ImageFileError { .damaged(name: name, format: .svg, reason: reason) }

  private func memoryFile() throws(ImageFileError) -> OwnedDescriptor {
    let number = cimagefiles_memory_file()
    guard number >= 0 else { throw .file(.last(call: "memfd_create", subject: name)) }
    return OwnedDescriptor(owning: number)
  }

  private func write(_ bytes: UnsafeRawBufferPointer, to file: borrowing OwnedDescriptor) throws(ImageFileError) {
    var count = 0
    while count < bytes.count {
      let written = pwrite(file.number, bytes.baseAddress.map { $0 + count }, bytes.count - count, count)
      guard written > 0 else { throw .file(.last(call: "write", subject: name)) }
      count += written
    }
  }

  private func read(_ file: borrowing OwnedDescriptor, limit: Int) throws(SystemError) -> [UInt8] {
    // The program has left its end of what it wrote.
    lseek(file.number, 0, SEEK_SET)
    return try file.contents(of: name, limit: limit, waits: false)
  }
}
