import Raster

extension TreeSnapshot {
  /// What is wrong with the order of the records: nil for a tree that every reader understands the same.
  ///
  /// Checked are the ranges of descendants, which must nest, the ids, which must differ and not be 0, and the contents,
  /// which must be as many as the records and each the image that its record names.
  public var inconsistency: String? {
    guard contents.count == records.count else {
      return "\(records.count) records, but contents for \(contents.count)"
    }
    if let root = records.first, Int(root.subtreeEnd) != records.count {
      return "the root, layer \(root.id), ends at \(root.subtreeEnd) and not at the last of \(records.count) records"
    }
    var ids: Set<UInt32> = [0]
    var ends: [UInt32] = []
    for (index, record) in records.enumerated() {
      while let end = ends.last, index >= Int(end) { ends.removeLast() }
      guard ids.insert(record.id).inserted else { return "id \(record.id) at \(index) is 0 or has been used before" }
      guard record.subtreeEnd > index, record.subtreeEnd <= ends.last ?? record.subtreeEnd else {
        return "layer \(record.id) at \(index) ends at \(record.subtreeEnd), outside of its parent's range"
      }
      guard contents[index]?.id ?? 0 == record.contentsID else {
        return "layer \(record.id) at \(index) names contents \(record.contentsID), not those that it has"
      }
      ends.append(record.subtreeEnd)
    }
    return nil
  }
}
