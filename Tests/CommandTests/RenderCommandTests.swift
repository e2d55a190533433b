import Foundation
import Testing

/// `framepace render`: pictures in files.
struct RenderCommandTests {
  @Test func rendersTheSameBytesTwice() throws {
    let folder = try TemporaryFolder()
    for name in ["a.png", "b.png"] {
      let result = try framepace(["render", "dashboard", "--output", name, "--size", "320x180"], in: folder.path)
      #expect(result.status == 0, "\(result.error)")
      #expect(result.output.isEmpty)
    }
    let first = try #require(FileManager.default.contents(atPath: folder.path + "/a.png"))
    let second = try #require(FileManager.default.contents(atPath: folder.path + "/b.png"))
    #expect(first == second)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["a.png", "b.png"])
  }

  /// A disk that fills up during the write leaves the old picture and no other file.
  @Test(.enabled(if: mayMount, "needs the right to mount a file system of its own"))
  func aFullDiskLeavesTheOldPicture() throws {
    let folder = try TemporaryFolder()
    let script = """
      mount -t tmpfs -o size=32k tmpfs '\(folder.path)' && cd '\(folder.path)' && printf old >orbit.png
      '\(try executable().path)' render orbit --output orbit.png --size 800x480
      echo "status $?: $(cat orbit.png | head -c 99)"
      ls -A
      """
    let result = try finish("/usr/bin/unshare", ["--user", "--map-root-user", "--mount", "/bin/sh", "-c", script])
    #expect(result.output == "status 1: old\norbit.png\n")
    #expect(result.error.contains("orbit.png") && result.error.contains("No space left"), "\(result.error)")
  }

  /// A command that is killed during the write leaves the old picture. (The limit on file sizes kills it.)
  @Test func aKillLeavesTheOldPicture() throws {
    let folder = try TemporaryFolder()
    let picture = URL(fileURLWithPath: "\(folder.path)/orbit.png")
    try Data("old".utf8).write(to: picture)
    let script = "ulimit -f 8 && exec '\(try executable().path)' render orbit --output orbit.png --size 320x200"
    let result = try finish("/bin/sh", ["-c", script], in: folder.path)
    #expect(result.status == SIGXFSZ, "\(result.error)")
    #expect(try Data(contentsOf: picture) == Data("old".utf8))
    // The unfinished file remains: it is hidden and is not named like a picture.
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0 != "orbit.png" }
    #expect(left.count == 1 && left.allSatisfy { $0.hasPrefix(".") && $0.hasSuffix(".part") }, "\(left)")
  }

  /// Picture k of a sequence equals the picture of `--time k/rate`, also at rates whose interval is not a whole number of
  /// nanoseconds.
  @Test(arguments: ["60", "59.94", "24", "30", "1", "240", "60000/1001"])
  func aSequenceShowsTheSceneAtItsTimes(rate: String) throws {
    let parts = rate.split(separator: "/").compactMap { Double($0) }
    let hertz = parts[0] / (parts.count > 1 ? parts[1] : 1)
    let folder = try TemporaryFolder()
    let size = ["--size", "96x54"]
    let result = try framepace(
      ["render", "orbit", "--output", "frames", "--frames", "5", "--rate", rate] + size, in: folder.path)
    #expect(result.status == 0, "\(result.error)")
    let pictures = try (0..<5).map { try folder.contents(of: "frames/orbit-000\($0).png") }
    #expect(Set(pictures).count == 5, "a picture comes twice")
    for (number, picture) in pictures.enumerated() {
      // The time is written to the nanosecond by hand, since a printed `Double` may have an exponent.
      let nanoseconds = String(Int((Double(number) / hertz * 1e9).rounded()))
      let padded = String(repeating: "0", count: max(10 - nanoseconds.count, 0)) + nanoseconds
      let time = "\(padded.dropLast(9)).\(padded.suffix(9))s"
      let single = try framepace(["render", "orbit", "--output", "one.png", "--time", time] + size, in: folder.path)
      #expect(single.status == 0, "\(single.error)")
      #expect(try folder.contents(of: "one.png") == picture, "picture \(number) differs from --time \(time)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/frames").count == 5)
  }

  /// A picture after a thousand hours is rendered as fast as the first one: earlier times are not played.
  @Test func aPictureFarFromTheStartCostsNoMore() throws {
    let folder = try TemporaryFolder()
    let result = try framepace(
      ["render", "--all", "--output", ".", "--time", "3600000s", "--size", "64x64"], in: folder.path)
    #expect(result.status == 0, "\(result.error)")
    #expect(try folder.files.count == 5)
  }

  /// Missing parent folders are made, and a file name may be in capitals.
  @Test func makesFoldersAndTakesCapitals() throws {
    let folder = try TemporaryFolder()
    for output in ["a/b/c", "ORBIT.PNG"] {
      let result = try framepace(["render", "orbit", "--output", output, "--size", "64x64"], in: folder.path)
      #expect(result.status == 0, "\(result.error)")
    }
    #expect(try folder.contents(of: "a/b/c/orbit.png") == folder.contents(of: "ORBIT.PNG"))
  }

  @Test func aFolderThatIsNamedAsAPictureIsRefused() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: "\(folder.path)/d.png", withIntermediateDirectories: false)
    let result = try framepace(["render", "orbit", "--output", "d.png", "--size", "64x64"], in: folder.path)
    #expect(result.status == 1)
    #expect(result.error == "framepace: cannot write to 'd.png': it is a folder; name a file\n")
  }
}
