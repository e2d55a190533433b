"""A pointer of sway's that a program moves: Debian 12 has no tool that makes one. It speaks the few messages of the protocol
wlr-virtual-pointer-unstable-v1 itself: https://wayland.app/protocols/wlr-virtual-pointer-unstable-v1"""

import socket
import struct
import time

LEFT = 0x110
# The objects of the connection, as they are made.
DISPLAY, REGISTRY, SYNC, MANAGER, POINTER = range(1, 6)


class VirtualPointer:
    """There as long as the connection; used as a context."""

    def __init__(self, path, width, height):
        (self.width, self.height) = (width, height)
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.connect(path)
        self.connection.settimeout(5)
        self._send(DISPLAY, 1, REGISTRY)
        self._send(DISPLAY, 0, SYNC)
        name = self._find("zwlr_virtual_pointer_manager_v1")
        text = b"zwlr_virtual_pointer_manager_v1\0"
        self._send(REGISTRY, 0, name, len(text), text.ljust(-len(text) % 4 + len(text), b"\0"), 1, MANAGER)
        # Without a seat it is the first one's.
        self._send(MANAGER, 0, 0, POINTER)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.connection.close()

    def _send(self, target, request, *arguments):
        body = b"".join(part if isinstance(part, bytes) else struct.pack("=I", part & 0xFFFFFFFF) for part in arguments)
        self.connection.sendall(struct.pack("=II", target, (len(body) + 8) << 16 | request) + body)

    def _find(self, interface):
        """The name of a global in the registry."""
        data, found = b"", None
        while True:
            data += self.connection.recv(1 << 16)
            while len(data) >= 8:
                sender, word = struct.unpack_from("=II", data)
                size = word >> 16
                if len(data) < size:
                    break
                if sender == SYNC:
                    if found is None:
                        raise RuntimeError(f"the compositor has no {interface}")
                    return found
                if sender == REGISTRY:
                    name, length = struct.unpack_from("=II", data, 8)
                    if data[16 : 16 + length - 1].decode() == interface:
                        found = name
                data = data[size:]

    @staticmethod
    def _now():
        return int(time.monotonic() * 1000)

    def move(self, x, y):
        """To a pixel of the output."""
        self._send(POINTER, 1, self._now(), int(x), int(y), self.width, self.height)
        self._send(POINTER, 4)

    def press(self, is_down=True):
        self._send(POINTER, 2, self._now(), LEFT, int(is_down))
        self._send(POINTER, 4)

    def scroll(self, steps):
        """Turns the wheel; down for above 0."""
        self._send(POINTER, 5, 0)
        # 15 is the distance of a step, in 256ths.
        self._send(POINTER, 7, self._now(), 0, 15 * 256 * steps, steps)
        self._send(POINTER, 4)

    def drag(self, start, end, steps=10):
        self.move(*start)
        self.press()
        for step in range(1, steps + 1):
            self.move(*(a + (b - a) * step / steps for a, b in zip(start, end)))
            time.sleep(0.016)
        self.press(False)
