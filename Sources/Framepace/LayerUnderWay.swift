import Layers
import Synchronization

/// The layer that a commit lays out or displays, for other threads to read: its class, and the first bytes of its name.
///
/// The main thread writes, without a lock. A reader that meets a write finds nothing: in a hang nothing is written.
///
/// Safe to share although unchecked: the words are made once, and are atomic.
final class LayerUnderWay: @unchecked Sendable {
  /// Odd while the rest is written.
  private let version = Atomic<UInt>(0)
  /// The address of the class; 0 for no layer.
  private let kind = Atomic<UInt>(0)
  private let isLayout = Atomic<Bool>(false)
  private let name = UnsafeMutablePointer<Atomic<UInt64>>.allocate(capacity: LayerUnderWay.words)

  /// A name of 40 bytes is enough to know it by.
  private static let words = 5

  init() {
    for index in 0..<Self.words { (name + index).initialize(to: Atomic(0)) }
  }

  deinit {
    name.deinitialize(count: Self.words)
    name.deallocate()
  }

  @MainActor
  func enter(_ layer: Layer, isLayout: Bool) {
    var bytes = InlineArray<5, UInt64>(repeating: 0)
    if var text = layer.name {
      text.withUTF8 { text in
        withUnsafeMutableBytes(of: &bytes) { $0.copyBytes(from: text.prefix($0.count)) }
      }
    }
    let number = version.load(ordering: .relaxed)
    version.store(number &+ 1, ordering: .relaxed)
    atomicMemoryFence(ordering: .releasing)
    for index in bytes.indices { name[index].store(bytes[index], ordering: .relaxed) }
    self.isLayout.store(isLayout, ordering: .relaxed)
    kind.store(UInt(bitPattern: ObjectIdentifier(type(of: layer))), ordering: .relaxed)
    version.store(number &+ 2, ordering: .releasing)
  }

  func leave() { kind.store(0, ordering: .relaxed) }

  /// The layer and its work, for people; nil between layers. From any thread.
  var text: String? {
    let number = version.load(ordering: .acquiring)
    let kind = UnsafeRawPointer(bitPattern: kind.load(ordering: .relaxed))
    let work = isLayout.load(ordering: .relaxed) ? "laid out" : "displayed"
    var bytes: [UInt8] = []
    for index in 0..<Self.words {
      withUnsafeBytes(of: name[index].load(ordering: .relaxed)) { bytes += $0 }
    }
    atomicMemoryFence(ordering: .acquiring)
    guard let kind, number & 1 == 0, version.load(ordering: .relaxed) == number else { return nil }
    // The description of a class lives for ever.
    let type = "\(unsafeBitCast(kind, to: Any.Type.self))"
    let name = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    return name.isEmpty ? "a \(type), which is \(work)" : "`\(name)`, a \(type), which is \(work)"
  }
}
