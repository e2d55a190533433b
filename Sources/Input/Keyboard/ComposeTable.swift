import CXKBCommon

/// The sequences of keys that compose a character, such as a dead acute and e for é: the classic Compose files of libX11.
///
/// A table and all that is made with it belong to one thread.
public final class ComposeTable {
  /// The locale whose table it is.
  public let locale: String
  /// Lines that were ignored: messages of xkbcommon.
  public let warnings: [String]
  let pointer: OpaquePointer
  private let context: XKBContext

  /// The table of a locale, such as "de_DE.UTF-8": `XCOMPOSEFILE` or `~/.XCompose` if they are there, otherwise that of libx11-data.
  public init(locale: String) throws(KeyboardLayoutError) {
    let context = try XKBContext(folders: nil)
    guard let table = xkb_compose_table_new_from_locale(context.pointer, locale, XKB_COMPOSE_COMPILE_NO_FLAGS) else {
      throw .noSequences(locale: locale, reason: context.takeMessages().first ?? "xkbcommon does not say why")
    }
    (self.locale, self.context, pointer) = (locale, context, table)
    warnings = context.takeMessages()
  }

  /// The table that a text in the form of Compose(5) has.
  ///
  /// - Parameter locale: names the file that `include "%L"` means.
  public init(text: String, locale: String = utf8Locale) throws(KeyboardLayoutError) {
    let context = try XKBContext(folders: nil)
    var text = text
    let table = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        xkb_compose_table_new_from_buffer(
          context.pointer, $0.baseAddress, $0.count, locale, XKB_COMPOSE_FORMAT_TEXT_V1, XKB_COMPOSE_COMPILE_NO_FLAGS)
      }
    }
    guard let table else {
      throw .damagedSequences(reason: context.takeMessages().first ?? "xkbcommon does not say why")
    }
    (self.locale, self.context, pointer) = (locale, context, table)
    warnings = context.takeMessages()
  }

  deinit { xkb_compose_table_unref(pointer) }

  /// The locale with the table that holds sequences for most scripts.
  public static let utf8Locale = "en_US.UTF-8"

  /// The table of the environment's locale; that of `utf8Locale` if the locale has no table, or if it is none of Unicode's.
  public static func automatic(
    machine: KeyboardLayout.Machine = .current
  ) throws(KeyboardLayoutError) -> ComposeTable {
    // As in locale(7): the first that is set.
    let variables = ["LC_ALL", "LC_CTYPE", "LANG"]
    let locale = variables.lazy.compactMap { machine.environment[$0] }.first { !$0.isEmpty } ?? ""
    let encoding = locale.split(separator: ".").last?.lowercased() ?? ""
    guard encoding.hasPrefix("utf-8") || encoding.hasPrefix("utf8") else { return try ComposeTable(locale: utf8Locale) }
    do throws(KeyboardLayoutError) {
      return try ComposeTable(locale: locale)
    } catch {
      return try ComposeTable(locale: utf8Locale)
    }
  }
}
