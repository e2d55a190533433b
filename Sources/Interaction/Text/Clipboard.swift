/// The text that was cut or copied last, for the text fields of a program.
///
/// A program that has the screen to itself shares it with no other. On a desktop, other programs have it too, by an `exchange`:
///
/// ```swift
/// Clipboard.shared.exchange = Clipboard.Exchange(
///   offer: { input.clipboard.offer($0) }, request: { input.clipboard.request($0) })   // a WaylandInput
/// ```
@MainActor
public final class Clipboard {
  /// The clipboard that text fields use by themselves.
  public static let shared = Clipboard()

  /// The text that this program has put there last. Other programs have it from then on.
  public var string: String? {
    didSet { if let string { exchange?.offer(string) } }
  }
  /// The way to other programs; nil, as at first, if there are none.
  public var exchange: Exchange?

  /// The services of a desktop for a clipboard.
  public struct Exchange {
    /// Lets other programs have a text.
    public var offer: @MainActor (String) -> Void
    /// Asks for the text that was copied last, in whatever program, and calls the handler once, at once or later: with nil if there is
    /// none, or its program does not hand it over. Returns false, and calls nothing, while there is no desktop to ask.
    public var request: @MainActor (@escaping @MainActor (String?) -> Void) -> Bool

    public init(
      offer: @escaping @MainActor (String) -> Void,
      request: @escaping @MainActor (@escaping @MainActor (String?) -> Void) -> Bool
    ) {
      (self.offer, self.request) = (offer, request)
    }
  }

  public init(_ string: String? = nil) { self.string = string }

  /// Reads the text that was copied last, in this program or another.
  ///
  /// - Parameter handler: called with the text: at once for this program's own, later for another's, and not at all where there is none.
  public func read(_ handler: @escaping @MainActor (String) -> Void) {
    if exchange?.request({ if let text = $0 { handler(text) } }) == true { return }
    if let string { handler(string) }
  }
}
