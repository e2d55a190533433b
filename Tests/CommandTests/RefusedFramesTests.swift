import Testing

@testable import FramepaceCLI

struct RefusedFramesTests {
  /// A display that is busy now and then is kept; one that refuses frame after frame is not.
  @Test func onlyRefusalsInARowCount() {
    var refused = RefusedFrames()
    for _ in 0..<100 {
      for _ in 0..<RefusedFrames.limit {
        let isTooMany = refused.refused()
        #expect(!isTooMany)
      }
      refused.accepted()
    }
    for _ in 0..<RefusedFrames.limit { _ = refused.refused() }
    let isTooMany = refused.refused()
    #expect(isTooMany)
  }
}
