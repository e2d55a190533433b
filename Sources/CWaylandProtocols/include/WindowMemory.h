#pragma once

/// Makes a file of memory that can be sent to the compositor and mapped: closed on exec, sealed against another size.
/// Returns -1 and sets errno if there is none.
int cwayland_memory_file(long size);

/// Makes a pipe whose ends are closed on exec: the first is read, and a read does not wait; the second is written. Returns -1 and sets
/// errno if there is none.
int cwayland_pipe(int ends[2]);

/// Writes to a descriptor, without the signal that a pipe without a reader sends. Returns the number of bytes that were taken, or the
/// error number, negative.
long cwayland_write(int descriptor, const void *bytes, unsigned long count);

/// Lets libwayland's messages be kept instead of printed. For the whole process; the main thread calls it.
void cwayland_keep_messages(void);

/// The last message that libwayland gave out, "" if none: the text of a protocol error. For the main thread.
const char *cwayland_last_message(void);
