#pragma once

/// Makes a file of memory that can be sent to the compositor and mapped: closed on exec, sealed against another size.
/// Returns -1 and sets errno if there is none.
int cwayland_memory_file(long size);

/// Lets libwayland's messages be kept instead of printed. For the whole process; the main thread calls it.
void cwayland_keep_messages(void);

/// The last message that libwayland gave out, "" if none: the text of a protocol error. For the main thread.
const char *cwayland_last_message(void);
