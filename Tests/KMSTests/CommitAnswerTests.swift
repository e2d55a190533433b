import Glibc
import Testing

@testable import KMS

@Suite struct CommitAnswerTests {
  @Test func table() {
    typealias Answers = (
      errno: Int32, flip: CommitAnswer, flipWithExtras: CommitAnswer, modeSet: CommitAnswer, modeSetWithExtras: CommitAnswer
    )
    let table: [Answers] = [
      (EBUSY, .retryAtVBlank, .retryAtVBlank, .refused, .refused),
      (ENOMEM, .retryAtVBlank, .retryAtVBlank, .refused, .retryWithoutExtras),
      (EINVAL, .refused, .retryWithoutExtras, .refused, .retryWithoutExtras),
      (ENOSPC, .refused, .retryWithoutExtras, .refused, .retryWithoutExtras),
      (ERANGE, .refused, .retryWithoutExtras, .refused, .retryWithoutExtras),
      (EACCES, .lost, .lost, .lost, .lost),
      (ENODEV, .lost, .lost, .lost, .lost),
      (EIO, .refused, .refused, .refused, .refused),
      (ENOENT, .refused, .refused, .refused, .refused),
    ]
    for row in table {
      #expect(CommitAnswer(errno: row.errno, isFlip: true, hasExtras: false) == row.flip, "\(row.errno)")
      #expect(CommitAnswer(errno: row.errno, isFlip: true, hasExtras: true) == row.flipWithExtras, "\(row.errno)")
      #expect(CommitAnswer(errno: row.errno, isFlip: false, hasExtras: false) == row.modeSet, "\(row.errno)")
      #expect(CommitAnswer(errno: row.errno, isFlip: false, hasExtras: true) == row.modeSetWithExtras, "\(row.errno)")
    }
  }
}
