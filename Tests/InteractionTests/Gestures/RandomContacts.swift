import Geometry
import Interaction
import LinuxSystem

/// Random contacts.
enum RandomContacts {
  static func point(_ random: inout SplitMix64, within reach: Double) -> Point {
    Point(Double.random(in: -reach...reach, using: &random), Double.random(in: -reach...reach, using: &random))
  }
}
