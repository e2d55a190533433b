// Times, clocks and descriptors are part of every call: who imports the loop has them.
@_exported public import LinuxSystem
