public import LinuxSystem

/// Something that a client did against the rules. A strict compositor ends the connection for most of them; the scripted one notes it
/// and goes on.
public struct ProtocolViolation: Hashable, Sendable, CustomStringConvertible {
  public enum Rule: String, Hashable, Sendable, CaseIterable {
    /// libwayland found an error in a message, and ended the connection.
    case malformed
    /// A buffer came before the window was configured, or before that was acknowledged.
    case commitBeforeAck
    /// A serial was acknowledged that was not sent, or was acknowledged before.
    case unknownSerial
    /// The size is not that of the last configuration that was acknowledged.
    case wrongSize
    /// The buffer has not the size which window and scale ask for.
    case wrongScale
    /// The viewport's destination or source is not one that can be.
    case wrongViewport
    /// There were more than 32 rectangles of damage in a commit.
    case tooMuchDamage
    /// Pixels differ from the frame before that were not told as damage.
    case missingDamage
    /// A buffer was committed again that the compositor had not given back.
    case heldBuffer
    /// The pixels of a buffer changed that the compositor had not given back.
    case changedBuffer
    /// A buffer was destroyed that was to be seen and had not been given back.
    case destroyedBuffer
    /// An object was made twice for one surface, or outlived it.
    case wrongOrder
    /// The text around a caret was longer than a message, or the caret within a character.
    case wrongText
    /// A cursor was set with a serial with which no pointer arrived, or something was asked with one with which nobody did anything.
    case unknownInput
  }

  public var rule: Rule
  public var detail: String
  public var time: MonotonicTime

  public var description: String { "\(rule.rawValue) at \(time): \(detail)" }
}
