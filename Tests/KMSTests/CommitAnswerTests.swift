import Glibc
import Testing

@testable import KMS

@Suite struct CommitAnswerTests {
  @Test func table() {
    let table: [(errno: Int32, flip: CommitAnswer, flipWithExtras: CommitAnswer, modeSet: CommitAnswer)] = [
      (EBUSY, .retryAtVBlank, .retryAtVBlank, .refused),
      (ENOMEM, .retryAtVBlank, .retryAtVBlank, .refused),
      (EINVAL, .refused, .retryWithoutExtras, .refused),
      (ENOSPC, .refused, .retryWithoutExtras, .refused),
      (EACCES, .lost, .lost, .lost),
      (ENODEV, .lost, .lost, .lost),
      (EIO, .refused, .refused, .refused),
      (ENOENT, .refused, .refused, .refused),
    ]
    for row in table {
      #expect(CommitAnswer(errno: row.errno, isFlip: true, hasExtras: false) == row.flip, "\(row.errno)")
      #expect(CommitAnswer(errno: row.errno, isFlip: true, hasExtras: true) == row.flipWithExtras, "\(row.errno)")
      #expect(CommitAnswer(errno: row.errno, isFlip: false, hasExtras: true) == row.modeSet, "\(row.errno)")
    }
  }
}
