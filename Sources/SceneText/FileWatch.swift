import Glibc
public import LinuxSystem
public import RunLoops

/// Calls a callback when a file changes, also when another file takes its place, as editors do on saving.
///
/// It watches the file's folder: the kernel tells of a file that was written and closed there, or renamed to the file's name. A file
/// that is a symbolic link is watched together with the file that it leads to. A folder that is moved or removed is a change of its
/// files, and so is another folder, or a link to one, that takes its name later.
///
/// ```swift
/// let watch = try FileWatch(path: "card.scene") { reload() }
/// watch.add(to: .main)
/// ```
@MainActor
public final class FileWatch {
  private let descriptor: OwnedDescriptor
  /// The names of the files in each watched folder.
  private var names: [Int32: Set<[UInt8]>] = [:]
  private let onChange: @MainActor () -> Void
  private var source: FrameLoop.DescriptorSource?

  /// - Parameter onChange: called once for all changes of a turn of the loop.
  public init(path: String, onChange: @escaping @MainActor () -> Void) throws(SystemError) {
    self.onChange = onChange
    let number = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    guard number >= 0 else { throw .last(call: "inotify_init1", subject: path) }
    descriptor = OwnedDescriptor(owning: number)
    try watch(path)
  }

  /// Watches only the files that `body` watches; if it throws, those from before too: a folder that was moved away may come back.
  func renew<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let old = names
    names = [:]
    do throws(Failure) {
      let result = try body()
      for number in old.keys where names[number] == nil { inotify_rm_watch(descriptor.number, number) }
      return result
    } catch {
      names.merge(old) { $0.union($1) }
      throw error
    }
  }

  /// Watches one more file. For one that is watched already it finds out anew where links lead.
  func watch(_ path: String) throws(SystemError) {
    var path = path
    // The kernel follows as many links.
    for _ in 0..<40 {
      let (place, name) = Self.split(path)
      try watch(name, in: place)
      let (above, folder) = Self.split(place)
      // Many a folder above may not be read.
      if !["", ".", ".."].contains(folder) { try? watch(folder, in: above) }
      guard let target = Self.target(ofLink: path) else { return }
      path = target.hasPrefix("/") ? target : "\(place)/\(target)"
    }
  }

  private func watch(_ name: Substring, in folder: String) throws(SystemError) {
    let events = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVE_SELF | IN_CREATE)
    let number = inotify_add_watch(descriptor.number, folder, events)
    guard number >= 0 else { throw .last(call: "inotify_add_watch", subject: folder) }
    names[number, default: []].insert(Array(name.utf8))
  }

  /// The folder and the name in it.
  private static func split(_ path: String) -> (folder: String, name: Substring) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path[...]) }
    return (slash == path.startIndex ? "/" : String(path[..<slash]), path[path.index(after: slash)...])
  }

  /// Nil for a file that is no link.
  private static func target(ofLink path: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let base = buffer.baseAddress else { return nil }
      let count = readlink(path, base, buffer.count)
      guard count >= 0 else { return nil }
      return String(decoding: buffer[..<count].lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }

  isolated deinit {
    // The loop must not wait on a descriptor that is closed.
    invalidate()
  }

  /// Watches in all common modes of a loop, until `invalidate()` or the watch's end. The loop must be the main thread's.
  public func add(to loop: FrameLoop) {
    source?.invalidate()
    let source = FrameLoop.DescriptorSource(
      descriptor: descriptor.number, .onMain { [weak self] _, _ in self?.readEvents() })
    self.source = source
    loop.add(source, to: .common)
  }

  public func invalidate() {
    source?.invalidate()
    source = nil
  }

  private func readEvents() {
    var hasChanged = false
    let head = MemoryLayout<inotify_event>.size
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: MemoryLayout<inotify_event>.alignment) { buffer in
      while case let count = read(descriptor.number, buffer.baseAddress, buffer.count), count > 0 {
        var offset = 0
        while offset + head <= count {
          let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          let end = min(offset + head + Int(event.len), count)
          // The name is filled up with zeros.
          let name = buffer[(offset + head)..<end].prefix { $0 != 0 }
          // After an overflow the file may have changed.
          let isOfFolder = event.mask & UInt32(IN_MOVE_SELF | IN_IGNORED) != 0
          // A new file is empty as yet. A folder may have its files before it is watched.
          let isNewFile = event.mask & UInt32(IN_CREATE) != 0 && event.mask & UInt32(IN_ISDIR) == 0
          let isWatched = !isNewFile && names[event.wd].map { isOfFolder || $0.contains(Array(name)) } ?? false
          if isWatched || event.mask & UInt32(IN_Q_OVERFLOW) != 0 { hasChanged = true }
          offset = end
        }
      }
    }
    if hasChanged { onChange() }
  }
}
