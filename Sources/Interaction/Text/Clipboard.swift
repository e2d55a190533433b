/// The text that was cut or copied last, for the text fields of a program: a program that has the screen to itself shares it with no other.
@MainActor
public final class Clipboard {
  /// The clipboard that text fields use by themselves.
  public static let shared = Clipboard()

  public var string: String?

  public init(_ string: String? = nil) { self.string = string }
}
