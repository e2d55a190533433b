import LinuxSystem

extension FrameLoop {
  // MARK: Modes

  /// All modes that an item was added to, and the default mode.
  public var modes: [Mode] { table.withLock { table in table.modes.map(\.name) } }

  /// Makes `mode` one of the common modes, permanently: it gets all common items, present and future.
  public func addCommonMode(_ mode: Mode) {
    guard mode != .common else { return }
    let added: [(any LoopItem, ModeState)] = table.withLock { table in
      let state = state(of: mode, in: &table)
      guard !state.isCommon else { return [] }
      state.becomeCommon()
      return table.common.all.filter { $0.attach(to: state) }.map { ($0, state) }
    }
    for (item, state) in added { item.didEnter(state) }
  }

  // MARK: Items

  /// Adds an item to a mode, or with `.common` to all common modes. From any thread; a sleeping loop serves it at once.
  ///
  /// Nothing happens if the item is there already or is invalid, or if it is an observer or timer of another loop. A descriptor
  /// that the kernel cannot wait on makes its source invalid; see `DescriptorSource.error`.
  public func add(_ item: some Item, to mode: Mode) {
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
    let entered: [ModeState] = table.withLock { table in
      if mode == .common {
        guard item.join(table.common) else { return [] }
        return table.modes.filter { $0.isCommon && item.attach(to: $0) }
      }
      let state = state(of: mode, in: &table)
      return item.attach(to: state) ? [state] : []
    }
    for state in entered { item.didEnter(state) }
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

  private func state(of mode: Mode, in table: inout Table) -> ModeState {
    if let present = table.mode(mode) { return present }
    let made = ModeState(name: mode, loop: self, wakeUp: wakeUpState)
    table.modes.append(made)
    return made
  }
}
