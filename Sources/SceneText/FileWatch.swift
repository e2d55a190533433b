import Glibc
public import LinuxSystem
public import RunLoops

/// Calls a callback when a file changes, also when another file takes its place, as editors do on saving.
///
/// It watches the file's folder: the kernel tells of a file that was written and closed there, renamed to the file's name, or linked
/// to it. A file that is a symbolic link is watched together with the file that it leads to. A folder that is moved or removed is a
/// change of its files, and so is another folder, or a link to one, that takes its name later. A file that is moved away or removed
/// has changed if no other takes its place within ``patience``: many editors save in these two steps.
///
/// ```swift
/// let watch = try FileWatch(path: "card.scene") { reload() }
/// watch.add(to: .main)
/// ```
@MainActor
public final class FileWatch {
  /// The time that a file may be missing before that is a change.
  public static let patience = Nanoseconds.milliseconds(250)

  /// A watched folder.
  private struct Folder {
    let path: String
    /// The names of the watched files.
    var names: Set<[UInt8]> = []
  }

  private let descriptor: OwnedDescriptor
  private var folders: [Int32: Folder] = [:]
  private let onChange: @MainActor () -> Void
  private var source: FrameLoop.DescriptorSource?
  private var loop: FrameLoop?
  /// Runs while a file is missing.
  private var loss: FrameLoop.Timer?

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
    let old = folders
    folders = [:]
    do throws(Failure) {
      let result = try body()
      for number in old.keys where folders[number] == nil { inotify_rm_watch(descriptor.number, number) }
      return result
    } catch {
      folders.merge(old) { Folder(path: $0.path, names: $0.names.union($1.names)) }
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
      // A folder above may be one that this user cannot read; the file is watched all the same.
      if !["", ".", ".."].contains(folder) { try? watch(folder, in: above) }
      guard let target = Self.target(ofLink: path) else { return }
      path = target.hasPrefix("/") ? target : "\(place)/\(target)"
    }
  }

  private func watch(_ name: Substring, in folder: String) throws(SystemError) {
    let events = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVE_SELF | IN_CREATE | IN_MOVED_FROM | IN_DELETE)
    let number = inotify_add_watch(descriptor.number, folder, events)
    guard number >= 0 else { throw .last(call: "inotify_add_watch", subject: folder) }
    folders[number, default: Folder(path: folder)].names.insert(Array(name.utf8))
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
    invalidate()
    let source = FrameLoop.DescriptorSource(
      descriptor: descriptor.number, .onMain { [weak self] _, _ in self?.readEvents() })
    (self.source, self.loop) = (source, loop)
    loop.add(source, to: .common)
  }

  public func invalidate() {
    source?.invalidate()
    loss?.invalidate()
    (source, loss, loop) = (nil, nil, nil)
  }

  private func readEvents() {
    var (hasChanged, isLost) = (false, false)
    let head = MemoryLayout<inotify_event>.size
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: MemoryLayout<inotify_event>.alignment) { buffer in
      while case let count = read(descriptor.number, buffer.baseAddress, buffer.count), count > 0 {
        var offset = 0
        while offset + head <= count {
          let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          let end = min(offset + head + Int(event.len), count)
          // The name is filled up with zeros.
          let name = Array(buffer[(offset + head)..<end].prefix { $0 != 0 })
          switch news(of: event, name) {
          case .none: break
          case .change: hasChanged = true
          case .loss: isLost = true
          }
          offset = end
        }
      }
    }
    if hasChanged { change() } else if isLost { wait() }
  }

  private enum News {
    case none, change, loss
  }

  private func news(of event: inotify_event, _ name: [UInt8]) -> News {
    func has(_ flags: Int32...) -> Bool { flags.contains { event.mask & UInt32(bitPattern: $0) != 0 } }
    // After an overflow the file may have changed.
    if has(IN_Q_OVERFLOW) { return .change }
    guard let folder = folders[event.wd] else { return .none }
    if has(IN_MOVE_SELF, IN_IGNORED) { return .change }
    guard folder.names.contains(name) else { return .none }
    if has(IN_MOVED_FROM, IN_DELETE) { return .loss }
    // A new file is empty as yet. A folder may have its files before it is watched.
    let isNewFile = has(IN_CREATE) && !has(IN_ISDIR)
    return isNewFile && !Self.isLink("\(folder.path)/\(String(decoding: name, as: UTF8.self))") ? .none : .change
  }

  /// True for a symbolic link, and for a file that has other names too.
  private static func isLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && (status.st_mode & S_IFMT == S_IFLNK || status.st_nlink > 1)
  }

  private func change() {
    loss?.invalidate()
    loss = nil
    onChange()
  }

  /// Waits for what takes the place of a file that is missing.
  private func wait() {
    guard let loop, loss == nil else { return }
    let timer = FrameLoop.Timer(fireTime: loop.clock.now + Self.patience, .onMain { [weak self] _ in self?.change() })
    loss = timer
    loop.add(timer, to: .common)
  }
}
