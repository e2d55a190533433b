import CXKBCommon
import Glibc
import LinuxSystem

/// A context of libxkbcommon, with its messages kept instead of printed. It takes nothing from the environment but the folders of layouts.
final class XKBContext {
  let pointer: OpaquePointer
  /// The messages since the last `takeMessages()`, oldest first.
  private var messages: [String] = []

  /// - Parameter folders: those with the data of layouts; nil for the usual places.
  /// - Throws: `noData` if none of the folders is there.
  init(folders: [String]?) throws(KeyboardLayoutError) {
    let flags = XKB_CONTEXT_NO_DEFAULT_INCLUDES.rawValue | XKB_CONTEXT_NO_ENVIRONMENT_NAMES.rawValue
    guard let pointer = xkb_context_new(xkb_context_flags(rawValue: flags)) else { throw .noMemory }
    self.pointer = pointer
    xkb_context_set_user_data(pointer, Unmanaged.passUnretained(self).toOpaque())
    xkb_context_set_log_level(pointer, XKB_LOG_LEVEL_ERROR)
    xkb_context_set_log_fn(pointer) { context, _, format, arguments in
      guard let format, let arguments, let owner = xkb_context_get_user_data(context) else { return }
      let message = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
        guard let base = buffer.baseAddress, vsnprintf(base, buffer.count, format, arguments) >= 0 else { return "" }
        return String(cString: base)
      }
      Unmanaged<XKBContext>.fromOpaque(owner).takeUnretainedValue().note(message)
    }
    if let folders {
      for folder in folders { xkb_context_include_path_append(pointer, folder) }
    } else {
      xkb_context_include_path_append_default(pointer)
    }
    messages = []
    // Without a folder, no layout could be found.
    guard xkb_context_num_include_paths(pointer) > 0 else { throw .noData(folders: folders ?? ["/usr/share/X11/xkb"]) }
  }

  deinit { xkb_context_unref(pointer) }

  func takeMessages() -> [String] {
    defer { messages = [] }
    return messages
  }

  private func note(_ message: String) {
    // Damaged data may have thousands.
    guard messages.count < 32 else { return }
    messages.append(String(message.prefix { !$0.isNewline }).withoutControlCharacters)
  }
}
