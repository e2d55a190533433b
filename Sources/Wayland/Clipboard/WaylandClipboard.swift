/// The clipboard that the programs of a desktop share, as far as it holds text.
///
/// ```swift
/// Clipboard.shared.exchange = Clipboard.Exchange(
///   offer: { input.clipboard.offer($0) }, request: { input.clipboard.request($0) })
/// ```
///
/// The desktop tells what is there to the window that has the keyboard, and takes a text for one that people do something in. Text goes from
/// program to program through pipes. They are read and written on the loop as they are ready: a program at the other end that is
/// slow, or does nothing, holds up nobody, and is given up after some seconds.
@MainActor
public final class WaylandClipboard {
  private weak var input: WaylandInput?
  /// A text that was offered before anybody has done anything.
  private var waiting: String?

  init(of input: WaylandInput) { self.input = input }

  /// Lets other programs have a text, until one of them, or this one, copies another.
  ///
  /// The desktop wants to know what a person did to copy it: a text that is offered before the first key, button or touch is handed over with that.
  public func offer(_ text: String) {
    waiting = text
    inputCame()
  }

  /// Asks for the text that was copied last, in this program or in another.
  ///
  /// - Parameter handler: called once with the text: at once for this program's own, later for another's. Nil if there is none, if it has more
  ///   than a mebibyte, or if its program does not hand it over within two seconds.
  /// - Returns: false if the desktop has no clipboard, or is gone. The handler is not called then.
  public func request(_ handler: @escaping @MainActor (String?) -> Void) -> Bool {
    guard let selection = input?.selection else { return false }
    if let waiting { handler(waiting) } else { selection.request(handler) }
    return true
  }

  /// Something was done, with which a text can be offered.
  func inputCame() {
    guard let waiting, input?.selection?.offer(waiting) == true else { return }
    self.waiting = nil
  }

  /// The desktop is gone.
  func forget() { waiting = nil }
}
