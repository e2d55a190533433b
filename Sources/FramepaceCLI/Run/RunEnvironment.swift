import ArgumentParser
import Framepace

extension RunEnvironment {
  static var current: RunEnvironment { current(version: FramepaceCommand.configuration.version) }

  var json: JSONValue {
    .object([
      ("processor", .text(processor)), ("cores", .count(cores)), ("kernel", .text(kernel)), ("build", .text(build)),
      ("version", .text(version)),
    ])
  }
}
