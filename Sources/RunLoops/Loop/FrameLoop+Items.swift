import LinuxSystem

extension FrameLoop {
  // MARK: Modes

  /// All modes that something was added to, and the default mode.
  public var modes: [Mode] { table.withLock { table in table.modes.map(\.name) } }

  /// Makes `mode` one of the common modes, for good: it gets all common items, those of now and those to come.
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

  /// Adds an observer to a mode, or with `.common` to all common modes. Nothing happens if it is there already, is invalid,
  /// or is in another loop.
  public func add(_ observer: Observer, to mode: Mode) { insert(observer, mode) }
  /// Removes an observer from a mode, or with `.common` from all common modes. It stays valid.
  public func remove(_ observer: Observer, from mode: Mode) { take(observer, mode) }
  /// Whether an observer is in a mode; with `.common`: whether it is one of the common items.
  public func contains(_ observer: Observer, in mode: Mode) -> Bool { has(observer, mode) }

  /// Adds a source to a mode, or with `.common` to all common modes. Nothing happens if it is there already or is invalid.
  public func add(_ source: Source, to mode: Mode) { insert(source, mode) }
  /// Removes a source from a mode, or with `.common` from all common modes. It stays valid, and signalled.
  public func remove(_ source: Source, from mode: Mode) { take(source, mode) }
  /// Whether a source is in a mode; with `.common`: whether it is one of the common items.
  public func contains(_ source: Source, in mode: Mode) -> Bool { has(source, mode) }

  /// Adds a descriptor to a mode, or with `.common` to all common modes. Nothing happens if it is there already or is
  /// invalid. A descriptor that the kernel cannot wait on makes its source invalid; see `DescriptorSource.error`.
  public func add(_ source: DescriptorSource, to mode: Mode) { insert(source, mode) }
  /// Removes a descriptor from a mode, or with `.common` from all common modes. The source stays valid.
  public func remove(_ source: DescriptorSource, from mode: Mode) { take(source, mode) }
  /// Whether a descriptor is in a mode; with `.common`: whether it is one of the common items.
  public func contains(_ source: DescriptorSource, in mode: Mode) -> Bool { has(source, mode) }

  /// Adds a timer to a mode, or with `.common` to all common modes. Nothing happens if it is there already, is invalid, or
  /// is in another loop.
  public func add(_ timer: Timer, to mode: Mode) { insert(timer, mode) }
  /// Removes a timer from a mode, or with `.common` from all common modes. It stays valid.
  public func remove(_ timer: Timer, from mode: Mode) { take(timer, mode) }
  /// Whether a timer is in a mode; with `.common`: whether it is one of the common items.
  public func contains(_ timer: Timer, in mode: Mode) -> Bool { has(timer, mode) }

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

  /// - Parameter kept: modes that the item stays in, those of `mode` too. It is in them already.
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
