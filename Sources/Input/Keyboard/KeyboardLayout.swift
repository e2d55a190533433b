import CXKBCommon

/// A compiled keyboard layout: what each key means together with which modifiers.
///
/// ```swift
/// let layout = try KeyboardLayout.automatic()
/// print(layout.reason)                       // layout "de", as /etc/default/keyboard says
/// let keyboard = try Keyboard(layout: layout, sequences: try? ComposeTable.automatic())
/// ```
///
/// ### Where the layout comes from
///
/// A layout is named by five words: rules, model, layout, variant and options, as in `setxkbmap`. `automatic(_:machine:)` takes those that the
/// application gives; otherwise those of the environment, `XKB_DEFAULT_RULES`, `_MODEL`, `_LAYOUT`, `_VARIANT` and `_OPTIONS`; otherwise
/// those of Debian's `/etc/default/keyboard`; otherwise "us". The first of these places that names anything is used as a whole, because
/// a variant belongs to its layout. If it cannot be used, the layout is "us" and `problem` says why. The layouts are data of
/// the package xkb-data; own ones may lie in `~/.config/xkb` and `/etc/xkb`.
///
/// A layout and all that is made with it belong to one thread.
public final class KeyboardLayout {
  /// The words that name a layout. An empty one stands for the usual value: rules "evdev", model "pc105", layout "us", and no variant or
  /// options.
  public struct Names: Hashable, Sendable, CustomStringConvertible {
    public var rules: String
    public var model: String
    /// A layout or several, separated by commas: "us", "de,us". A key that one of the options names goes from one to the next.
    public var layout: String
    /// The variant of each layout: "dvorak", "nodeadkeys,intl".
    public var variant: String
    /// Options separated by commas, such as "compose:ralt,caps:escape".
    public var options: String

    public init(
      rules: String = "", model: String = "", layout: String = "", variant: String = "", options: String = ""
    ) {
      (self.rules, self.model, self.layout) = (rules, model, layout)
      (self.variant, self.options) = (variant, options)
    }

    public var isEmpty: Bool { fields.allSatisfy(\.value.isEmpty) }

    /// The words that are given, such as `layout "de", variant "nodeadkeys"`.
    public var description: String {
      let given = fields.filter { $0.field == "layout" || !$0.value.isEmpty }
      return given.map { "\($0.field) \"\($0.value.isEmpty ? "us" : $0.value)\"" }.joined(separator: ", ")
    }

    private var fields: [(field: String, value: String)] {
      [("layout", layout), ("variant", variant), ("model", model), ("options", options), ("rules", rules)]
    }

    /// Refuses names that would leave the folders of layouts, or that C would cut off.
    fileprivate func check() throws(KeyboardLayoutError) {
      for (field, value) in fields {
        let isSuitable = value.utf8.allSatisfy { byte in
          UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            || "_-+.,:()/".utf8.contains(byte)
        }
        guard isSuitable, value.utf8.count <= 1024, !value.contains(".."), !value.hasPrefix("/") else {
          throw .unsuitable(field: field, value: value)
        }
      }
    }
  }

  public let names: Names
  /// Words that were ignored, such as an option that does not exist: messages of xkbcommon.
  public let warnings: [String]
  /// The layout and its origin, in a line for people.
  public internal(set) var reason: String
  /// Why the layout is not the one that was asked for, but "us".
  public internal(set) var problem: KeyboardLayoutError?

  let keymap: OpaquePointer
  private let context: XKBContext

  /// - Parameter folders: those with the data of layouts, the most important one first; nil for the usual places.
  public init(_ names: Names, folders: [String]? = nil) throws(KeyboardLayoutError) {
    try names.check()
    let context = try XKBContext(folders: folders)
    guard let keymap = Self.compile(names, in: context) else {
      throw .notCompiled(names, reason: context.takeMessages().first ?? "xkbcommon does not say why")
    }
    (self.names, self.context, self.keymap) = (names, context, keymap)
    warnings = context.takeMessages()
    reason = "\(names)"
  }

  /// A layout that is compiled already, as a desktop sends it: a file of XKB's text format.
  public init(text: String) throws(KeyboardLayoutError) {
    // Such a text includes no file.
    let context = try XKBContext(folders: nil)
    guard
      let keymap = xkb_keymap_new_from_string(
        context.pointer, text, XKB_KEYMAP_FORMAT_TEXT_V1, XKB_KEYMAP_COMPILE_NO_FLAGS)
    else { throw .damagedLayout(reason: context.takeMessages().first ?? "xkbcommon does not say why") }
    (names, self.context, self.keymap) = (Names(), context, keymap)
    warnings = context.takeMessages()
    reason = "the layout of the desktop"
  }

  deinit { xkb_keymap_unref(keymap) }

  private static func compile(_ names: Names, in context: XKBContext) -> OpaquePointer? {
    names.rules.withCString { rules in
      names.model.withCString { model in
        (names.layout.isEmpty ? "us" : names.layout).withCString { layout in
          names.variant.withCString { variant in
            names.options.withCString { options in
              var names = xkb_rule_names(rules: rules, model: model, layout: layout, variant: variant, options: options)
              return xkb_keymap_new_from_names(context.pointer, &names, XKB_KEYMAP_COMPILE_NO_FLAGS)
            }
          }
        }
      }
    }
  }
}
