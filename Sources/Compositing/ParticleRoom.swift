import CKernels

/// The memory for the particles of one emitter that are about to be painted. It grows, and is used again.
struct ParticleRoom {
  /// The number of particles that are found before they are painted.
  static let runLength = 256

  /// Those that were found; behind them, room for a run of them in another order.
  private var particles: ContiguousArray<ckernels_particle> = []
  /// The ranks of those that were found, and their numbers; and the same memory once more, to sort them.
  private var places: ContiguousArray<Place> = []
  private var others: ContiguousArray<Place> = []
  /// How many places have each value of each byte of their keys.
  private var counts: ContiguousArray<Int32> = []
  /// The emissions in a row that needed less than a quarter of the memory.
  private var smallCount = 0

  /// The place of a particle among others.
  private struct Place: BitwiseCopyable {
    /// The rank as a number that is ordered like it.
    var key: UInt64
    var index: Int32
  }

  /// Finds particles, at most `runLength` of them, and keeps them from an index on. Returns how many.
  mutating func find(
    _ emission: ckernels_emission, _ kernels: UnsafePointer<ckernels_table>, _ box: ckernels_box, _ next: inout Int64,
    _ end: Int64, at start: Int
  ) -> Int {
    reserve(start + Self.runLength)
    return particles.withUnsafeMutableBufferPointer { memory in
      guard let base = memory.baseAddress else { return 0 }
      return withUnsafePointer(to: emission) {
        Int(kernels.pointee.find_particles($0, box, &next, end, base + start, Int64(Self.runLength)))
      }
    }
  }

  private mutating func reserve(_ count: Int) {
    if particles.count >= count { return }
    let empty = ckernels_particle(
      rank: 0, sprite: nil, x0: 0, y0: 0, u: 0, ux: 0, uy: 0, v: 0, vx: 0, vy: 0, box: ckernels_box(), tint: 0)
    particles.append(contentsOf: repeatElement(empty, count: count - particles.count))
  }

  /// Gives `body` the first particles as they were found.
  func paint(_ count: Int, _ body: (UnsafeBufferPointer<ckernels_particle>) -> Void) {
    particles.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[..<count])) }
  }

  /// Gives `body` the first particles by rank, in runs. Those of one rank stay in order.
  mutating func paintSorted(_ count: Int, _ body: (UnsafeBufferPointer<ckernels_particle>) -> Void) {
    reserve(count + Self.runLength)
    sort(count)
    let places = places
    particles.withUnsafeMutableBufferPointer { particles in
      for start in stride(from: 0, to: count, by: Self.runLength) {
        let length = min(Self.runLength, count - start)
        for number in 0..<length { particles[count + number] = particles[Int(places[start + number].index)] }
        body(UnsafeBufferPointer(rebasing: particles[count..<count + length]))
      }
    }
    trim(count)
  }

  /// Sorts the places of the first particles by the bytes of their keys, the lowest byte first. Nothing is allocated for it, and those of
  /// one rank stay in order.
  private mutating func sort(_ count: Int) {
    let bytes = MemoryLayout<UInt64>.size
    if places.count < count {
      let more = repeatElement(Place(key: 0, index: 0), count: count - places.count)
      places.append(contentsOf: more)
      others.append(contentsOf: more)
    }
    if counts.isEmpty { counts = ContiguousArray(repeating: 0, count: bytes << 8) }
    for index in counts.indices { counts[index] = 0 }
    for index in 0..<count {
      // The zeros are one number.
      let bits = (particles[index].rank + 0.0).bitPattern
      let key = bits ^ (bits >> 63 == 0 ? 1 << 63 : .max)
      places[index] = Place(key: key, index: Int32(index))
      for byte in 0..<bytes { counts[byte << 8 | Int(key >> UInt64(8 * byte) & 255)] += 1 }
    }
    for byte in 0..<bytes {
      func value(_ place: Place) -> Int { byte << 8 | Int(place.key >> UInt64(8 * byte) & 255) }
      // Most ranks have the highest bytes in common.
      guard let first = places.first, Int(counts[value(first)]) < count else { continue }
      var start: Int32 = 0
      for index in byte << 8..<(byte + 1) << 8 { (counts[index], start) = (start, start + counts[index]) }
      for index in 0..<count {
        let value = value(places[index])
        others[Int(counts[value])] = places[index]
        counts[value] += 1
      }
      swap(&places, &others)
    }
  }

  /// Gives back the memory of very many once they have not been there for long.
  private mutating func trim(_ count: Int) {
    smallCount = count < particles.count / 4 ? smallCount + 1 : 0
    if smallCount > 256, particles.count > 16 * Self.runLength { self = ParticleRoom() }
  }
}
