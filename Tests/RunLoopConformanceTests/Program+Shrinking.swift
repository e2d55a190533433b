extension Program {
  /// A smaller program with the same property, which it loses if any operation is left out.
  func shrunk(while isStillSo: (Program) -> Bool) -> Program {
    var smallest = self
    var chunk = max(1, size / 2)
    while true {
      var hasShrunk = false
      var start = 0
      while start < smallest.size {
        let candidate = smallest.keeping { !(start..<start + chunk).contains($0) }
        if isStillSo(candidate) {
          smallest = candidate
          hasShrunk = true
        } else {
          start += chunk
        }
      }
      if chunk > 1 {
        chunk /= 2
      } else if !hasShrunk {
        break
      }
    }
    var withoutAnchors = smallest
    withoutAnchors.hasAnchors = false
    if smallest.hasAnchors, isStillSo(withoutAnchors) { smallest = withoutAnchors }
    return smallest
  }
}
