import LinuxSystem

extension FrameLoop {
  /// Something that a loop serves in the modes that it was added to: an observer, a source, a timer, or several of them.
  ///
  /// A type made of several items conforms by naming the group that holds them. It can then be added like any item:
  ///
  ///     final class Heartbeat: FrameLoop.Item {
  ///       private let items = FrameLoop.ItemGroup()
  ///       var anyItem: FrameLoop.AnyItem { items.anyItem }
  ///       func invalidate() { items.invalidate() }
  ///     }
  public protocol Item: AnyObject, Sendable {
    /// The item in the form that loops take.
    var anyItem: AnyItem { get }
    /// Ends the item: it leaves its modes in all loops, is never called again and cannot be added again.
    func invalidate()
  }

  /// Something on the main actor that a loop serves by items of its own: a source of vblanks, a session, a monitor.
  ///
  ///     final class Thermometer: FrameLoop.ItemOwner {
  ///       private let reader: FrameLoop.DescriptorSource
  ///       var loopItem: any FrameLoop.Item { reader }
  ///     }
  ///
  ///     thermometer.add(to: .main, mode: .common)
  @MainActor
  public protocol ItemOwner: AnyObject {
    /// The owner's item, or the group of them. Always the same one.
    var loopItem: any Item { get }
  }

  /// An item in the form that loops take; see `Item`.
  public struct AnyItem: Sendable {
    enum Kind {
      case single(any LoopItem)
      case group(ItemGroup)
    }

    let kind: Kind
  }

  /// Several items with one membership: they are added to modes, and removed, together.
  ///
  /// Items can be put in and taken out at any time. An item that is put in enters the modes that the group is in, one that is
  /// taken out leaves them.
  ///
  ///     let items = FrameLoop.ItemGroup([reader, timeout])
  ///     loop.add(items, to: .common)
  ///     items.insert(writer)  // is in the common modes now
  ///
  /// Everything may be called from any thread. A source's `scheduled` and `cancelled` closures must not use the group that the
  /// source is in, nor must the captures of a descriptor source when the kernel refuses it.
  public final class ItemGroup: Item {
    private struct State {
      var items: [any Item]
      var places: [Place] = []
    }

    private struct Place {
      weak let loop: FrameLoop?
      let mode: Mode

      func isIn(_ loop: FrameLoop, _ mode: Mode) -> Bool { self.loop === loop && self.mode == mode }
    }

    /// Nil after the group's end.
    private let state: Lock<State?>

    public init(_ items: [any Item] = []) {
      state = Lock(State(items: items))
    }

    /// Puts an item in, and into the modes that the group is in.
    public func insert(_ item: any Item) {
      state.withLock { state in
        guard let places = state?.places, state?.items.contains(where: { $0 === item }) == false else { return }
        state?.items.append(item)
        for place in places { place.loop?.add(item, to: place.mode) }
      }
    }

    /// Takes an item out, and out of the modes that the group is in. The item stays valid.
    public func remove(_ item: any Item) {
      state.withLock { state in
        guard let places = state?.places, let index = state?.items.firstIndex(where: { $0 === item }) else { return }
        state?.items.remove(at: index)
        for place in places { place.loop?.remove(item, from: place.mode) }
      }
    }

    func add(to loop: FrameLoop, mode: Mode) {
      state.withLock { state in
        guard let items = state?.items else { return }
        state?.places.removeAll { $0.isIn(loop, mode) }
        state?.places.append(Place(loop: loop, mode: mode))
        for item in items { loop.add(item, to: mode) }
      }
    }

    func remove(from loop: FrameLoop, mode: Mode) {
      state.withLock { state in
        guard let items = state?.items else { return }
        state?.places.removeAll { $0.isIn(loop, mode) }
        for item in items { loop.remove(item, from: mode) }
      }
    }

    func isMember(of loop: FrameLoop, _ mode: Mode) -> Bool {
      state.withLock { state in
        guard let state else { return false }
        if state.items.isEmpty { return state.places.contains { $0.isIn(loop, mode) } }
        return state.items.allSatisfy { loop.contains($0, in: mode) }
      }
    }

    /// Ends the group and all its items.
    public func invalidate() {
      // Outside the lock: an item's end releases its callback, and what that captured may use the group.
      for item in state.withLock({ exchange(&$0, with: nil)?.items ?? [] }) { item.invalidate() }
    }

    public var anyItem: AnyItem { AnyItem(kind: .group(self)) }
  }
}

extension FrameLoop.ItemOwner {
  /// Lets `loop`, a loop of the main thread, serve the owner in `mode`, or with `.common` in all common modes.
  public func add(to loop: FrameLoop, mode: FrameLoop.Mode) { loop.add(loopItem, to: mode) }
  /// Stops serving the owner in `mode`, or with `.common` in all common modes. What waits to be served waits on.
  public func remove(from loop: FrameLoop, mode: FrameLoop.Mode) { loop.remove(loopItem, from: mode) }
}
