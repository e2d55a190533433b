import LinuxSystem

extension FrameLoop {
  // MARK: Modes

  /// Makes `mode` one of the common modes, permanently: it gets all common items, present and future.
  public func addCommonMode(_ mode: Mode) {
    guard mode != .common else { return }
    let state = orFatal { () throws(SystemError) in try makeMode(mode) }
    let added: [any LoopItem] = table.withLock { table in
      guard !state.isCommon else { return [] }
      state.becomeCommon()
      return table.common.all.filter { $0.attach(to: state) }
    }
    for item in added { item.didEnter(state) }
  }

  // MARK: Items

  /// Adds an item to a mode, or with `.common` to all common modes. From any thread; a sleeping loop serves it at once.
  ///
  /// Nothing happens if the item is there already or is invalid, or if it is an observer or timer of another loop. A descriptor
  /// that the kernel cannot wait on makes its source invalid; see `DescriptorSource.error`. A loop whose thread has ended takes
  /// nothing, and says so once on the standard error output: the item stays as it was.
  ///
  /// The first item of a mode makes the mode, with two descriptors. Without a descriptor left the program ends; a descriptor
  /// source becomes invalid instead.
  public func add(_ item: some Item, to mode: Mode) {
    if thread.hasEnded { return Self.reportEndedThread }
    switch item.anyItem.kind {
    case .single(let item): item.insert(into: self, mode)
    case .group(let group): group.add(to: self, mode: mode)
    }
  }

  /// Removes an item from a mode, or with `.common` from all common modes. It stays valid, and a source stays signalled.
  public func remove(_ item: some Item, from mode: Mode) {
    switch item.anyItem.kind {
    case .single(let item): take(item, mode)
    case .group(let group): group.remove(from: self, mode: mode)
    }
  }

  /// True while an item is in a mode; with `.common`, while it is one of the common items.
  public func contains(_ item: some Item, in mode: Mode) -> Bool {
    switch item.anyItem.kind {
    case .single(let item): has(item, mode)
    case .group(let group): group.isMember(of: self, mode)
    }
  }

  // MARK: -

  func insert(_ item: some LoopItem, _ mode: Mode) {
    if item.belongsToMainActor { requireMainThreadsLoop() }
    if mode == .common {
      let entered: [ModeState] = table.withLock { table in
        guard !thread.hasEnded, item.join(table.common) else { return [] }
        return table.modes.filter { $0.isCommon && item.attach(to: $0) }
      }
      for state in entered { item.didEnter(state) }
      return
    }
    do throws(SystemError) {
      let entered: ModeState? = try table.withLock { (table) throws(SystemError) in
        guard !thread.hasEnded else { return nil }
        let state = try makeMode(mode, in: &table)
        return item.attach(to: state) ? state : nil
      }
      if let entered { item.didEnter(entered) }
    } catch {
      item.refuse(error)
    }
  }

  /// - Parameter kept: modes that the item stays in, also if `mode` includes them.
  func take(_ item: some LoopItem, _ mode: Mode, keeping kept: [Mode] = []) {
    let left: [ModeState] = table.withLock { table in
      if mode == .common {
        guard item.leave(table.common) else { return [] }
        return table.modes.filter { $0.isCommon && !$0.isOne(of: kept) && item.detach(from: $0) }
      }
      guard let state = table.mode(mode), !state.isOne(of: kept), item.detach(from: state) else { return [] }
      return [state]
    }
    for state in left { item.didLeave(state) }
  }

  func has(_ item: some LoopItem, _ mode: Mode) -> Bool {
    table.withLock { table in
      item.withMembership { membership in
        if mode == .common { return membership.commons.contains { $0 === table.common } }
        guard let state = table.mode(mode) else { return false }
        return membership.registrations.contains { $0.mode === state }
      }
    }
  }

  /// - Returns: the mode, which is made if it is new.
  /// - Throws: when no descriptor is left for it.
  @discardableResult
  func makeMode(_ mode: Mode) throws(SystemError) -> ModeState {
    try table.withLock { (table) throws(SystemError) in try makeMode(mode, in: &table) }
  }

  private func makeMode(_ mode: Mode, in table: inout Table) throws(SystemError) -> ModeState {
    if let present = table.mode(mode) { return present }
    let made = try ModeState(name: mode, loop: self, wakeUp: wakeUpState)
    table.modes.append(made)
    return made
  }

  static let reportEndedThread: Void = {
    StandardError.print(
      sentence: "framepace: the loop of a thread that has ended was given an item or a block; it is never called")
  }()
}
