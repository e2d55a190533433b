extension String {
  /// The number of letters to put in, take out or change to get from one word to the other.
  package func editDistance(to other: String) -> Int {
    let (own, wanted) = (Array(self), Array(other))
    var row = Array(0...wanted.count)
    for (index, letter) in own.enumerated() {
      var corner = row[0]
      row[0] = index + 1
      for place in wanted.indices {
        (corner, row[place + 1]) = (
          row[place + 1], Swift.min(corner + (letter == wanted[place] ? 0 : 1), row[place] + 1, row[place + 1] + 1)
        )
      }
    }
    return row[wanted.count]
  }
}
