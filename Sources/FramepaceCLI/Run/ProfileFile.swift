import ArgumentParser
import Framepace
import Metering

/// A profile that `framepace profile --json` wrote, or a program for `FRAMEPACE_PROFILE`, as far as a comparison needs it.
struct ProfileFile {
  let path: String
  let scene: String
  let display: String
  let size: String
  let refreshRate: Double
  let budget: Nanoseconds
  let late: Int
  let environment: RunEnvironment
  /// The phases of each frame.
  let frames: [FrameRecord.PhaseDurations]

  /// 100,000 frames.
  private static let largestFile = 1 << 27

  /// - Throws: a sentence about a file that cannot be read, or is no profile with all that a comparison needs.
  @MainActor
  init(_ path: String) throws {
    let bytes = try InputFile.contents(of: path, limit: Self.largestFile)
    if RecordedProfile.isOne(bytes) {
      let run = try RecordedRun(path: path, bytes: bytes, budget: nil)
      if let phase = run.missingPhases.first {
        throw Refusal(
          "'\(path)' is no profile that can be compared: it has no '\(phase.name)', as an earlier framepace recorded it. Record it anew."
        )
      }
      self.init(path, run.figures)
    } else {
      let kind = FileKind(bytes)
      guard kind == .figures || kind == nil && bytes.first(where: { $0 > 32 }) == UInt8(ascii: "{") else {
        throw Refusal(
          "'\(path)' is \(kind?.name ?? "no profile"): compare two files that profile --json or FRAMEPACE_PROFILE wrote")
      }
      try self.init(path, json: bytes)
    }
    guard frames.count >= ProfileComparison.leastFrames else {
      throw Refusal("'\(path)' has \(frames.count) frames: a comparison takes \(ProfileComparison.leastFrames) or more.")
    }
  }

  @MainActor
  private init(_ path: String, _ recorded: ProfileFigures) {
    let (profile, subject) = (recorded.profile, recorded.subject)
    self.path = path
    (scene, display, size) = (subject.scene, subject.display, "\(subject.width)x\(subject.height)")
    // As JSON has it.
    refreshRate = (profile.refreshRate.hertz * 1000).rounded() / 1000
    (budget, late, environment) = (profile.budget, profile.lateFrames, subject.environment)
    frames = recorded.phases
  }

  private init(_ path: String, json bytes: [UInt8]) throws {
    self.path = path
    let tree: JSONTree
    do {
      tree = try JSONReader.read(bytes)
    } catch {
      throw Refusal("cannot read '\(path)': \(error)")
    }
    func member<Value>(_ key: String, of tree: JSONTree?, as value: (JSONTree) -> Value?) throws -> Value {
      guard let found = tree?[key].flatMap(value) else {
        throw Refusal("'\(path)' is no profile that can be compared: it has no '\(key)'. Write it anew with profile --json.")
      }
      return found
    }
    scene = try member("scene", of: tree, as: \.string)
    display = try member("display", of: tree, as: \.string)
    let (width, height) = (try member("width", of: tree, as: \.integer), try member("height", of: tree, as: \.integer))
    size = "\(width)x\(height)"
    refreshRate = try member("refreshRate", of: tree, as: \.double)
    budget = .seconds(try member("budget", of: tree, as: \.double) / 1000)
    late = Int(try member("late", of: tree, as: \.integer))
    let machine = try member("environment", of: tree) { $0 }
    environment = RunEnvironment(
      processor: try member("processor", of: machine, as: \.string),
      cores: Int(try member("cores", of: machine, as: \.integer)),
      kernel: try member("kernel", of: machine, as: \.string), build: try member("build", of: machine, as: \.string),
      version: try member("version", of: machine, as: \.string))
    let durations = try member("durations", of: tree) { $0 == .null ? nil : $0 }
    var frames: [FrameRecord.PhaseDurations] = []
    for phase in FrameRecord.Phase.allCases {
      let values = try member(phase.name, of: durations) { $0.elements?.map { $0.integer ?? -1 } }
      if phase == FrameRecord.Phase.allCases.first {
        frames = Array(repeating: FrameRecord.PhaseDurations(), count: values.count)
      }
      // A day: sums of phases stay far from the largest number.
      guard values.count == frames.count, values.allSatisfy({ (0...86_400_000_000_000).contains($0) }) else {
        throw Refusal(
          "'\(path)' is no profile that can be compared: its durations of \(phase.name) are not one for each frame.")
      }
      for index in frames.indices { frames[index][phase] = Nanoseconds(values[index]) }
    }
    self.frames = frames
  }

  /// Throws if the two are not of the same kind.
  ///
  /// - Returns: differences that may matter.
  func requireComparable(with other: ProfileFile) throws -> [String] {
    let texts: [(String, KeyPath<ProfileFile, String>)] = [
      ("scene", \.scene), ("display", \.display), ("size", \.size),
      ("processor", \.environment.processor), ("build", \.environment.build),
    ]
    var differences = texts.filter { self[keyPath: $1] != other[keyPath: $1] }.map { name, path in
      "\(name) '\(self[keyPath: path])' and '\(other[keyPath: path])'"
    }
    if refreshRate != other.refreshRate { differences.append("refresh rate \(refreshRate) and \(other.refreshRate) Hz") }
    if environment.cores != other.environment.cores {
      differences.append("\(environment.cores) and \(other.environment.cores) cores")
    }
    guard differences.isEmpty else {
      throw Refusal(
        "'\(path)' and '\(other.path)' cannot be compared: they differ in more than the program: "
          + differences.joined(separator: ", ").withoutControlCharacters)
    }
    var notes: [String] = []
    if frames.count != other.frames.count {
      notes.append("unequal lengths: \(frames.count) and \(other.frames.count) frames")
    }
    // JSON has microseconds.
    if abs((budget - other.budget).count) > 1_000 {
      let budgets = "\(Text.decimal(budget.milliseconds, 3)) and \(Text.decimal(other.budget.milliseconds, 3)) ms"
      notes.append("unequal budgets: \(budgets); too small is what is below a hundredth of the first one's")
    }
    if environment.kernel != other.environment.kernel {
      notes.append("unequal kernels: \(environment.kernel) and \(other.environment.kernel)")
    }
    return notes
  }
}
