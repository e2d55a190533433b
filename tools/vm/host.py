"""What the guest may ask of its host, as one asks who stands beside a machine: for a picture of a display, another monitor,
a card pulled and put in again, a hand at the keyboard, a machine that stands still."""

import array
import json
import os
import re
import signal
import socket
import struct
import time

from initramfs import Failure

# How long QEMU may take to answer, in seconds. A busy host can make much of little.
PATIENCE = 30


class Host:
    """Serves one machine. Each request is answered before the next, and QEMU does nothing for us in between: its monitor
    (QMP) and its display (VNC) are spoken to by question and answer."""

    def __init__(self, qmp, process, displays, output):
        self.process = process
        self.displays = displays
        self.output = output
        self.qmp = qmp
        self.qmp.settimeout(PATIENCE)
        self.rest = b""
        self.viewer = None
        self._execute("qmp_capabilities")

    def answer(self, line):
        """Does what a line asks for: "ok". A `Failure` says why not."""
        requests = {
            "screendump": self._screendump, "monitor": self._monitor, "unplug": self._unplug, "plug": self._plug,
            "stop": self._stop, "key": self._key, "tablet": self._tablet, "point": self._point,
        }  # fmt: skip
        name, *arguments = line.split() or [""]
        if name not in requests:
            raise Failure(f"the host is asked for {', '.join(requests)}, not for '{name}'")
        try:
            requests[name](*arguments)
        except (TypeError, ValueError):
            raise Failure(f"usage: {requests[name].__doc__}") from None
        return "ok"

    # Requests

    def _screendump(self, name, display=None):
        """screendump NAME [DRIVER]"""
        display = self._display(display)
        if not self.output:
            raise Failure("there is nowhere to put it; run with --output DIR")
        if not re.fullmatch(r"\w[\w.+-]*", name):
            raise Failure(f"{name} cannot be the name of a file here")
        self._execute("screendump", device=display, filename=os.path.abspath(f"{self.output}/{name}.ppm"))

    def _monitor(self, size):
        """monitor WIDTHxHEIGHT, or monitor off: what is plugged into a virtio-gpu"""
        width, height = (0, 0) if size == "off" else map(int, size.split("x"))
        sizes = [(width, height)]
        if self.viewer is None:
            self.viewer = self._connect_viewer()
            # The size that it has. To QEMU it has none, and none is then no change.
            sizes.insert(0, (1280, 800))
        self._resize(sizes)

    def _unplug(self, display=None):
        """unplug [DRIVER]"""
        name = self._display(display)
        self._execute("device_del", id=name)

    def _plug(self, display=None):
        """plug [DRIVER]"""
        name = self._display(display)
        # In another port: QEMU keeps the name of its memory, which tells where it was.
        self._execute("device_add", driver=self.displays[name], id=name, bus=f"{name}-port-2")

    def _stop(self, seconds):
        """stop SECONDS"""
        # By no command of QEMU's, which would stop the guest's clock, too.
        duration = float(seconds)
        self.process.send_signal(signal.SIGSTOP)
        time.sleep(duration)
        self.process.send_signal(signal.SIGCONT)

    def _key(self, first, *others):
        """key NAME...: presses and releases keys, by QEMU's names"""
        for name in (first, *others):
            for is_down in True, False:
                self._send({"type": "key", "data": {"down": is_down, "key": {"type": "qcode", "data": name}}})

    def _tablet(self, display=None):
        """tablet [DRIVER]"""
        # In the other port of the display's card.
        self._execute("device_add", driver="virtio-tablet-pci", id="tablet", bus=f"{self._display(display)}-port-2")

    def _point(self, x, y, button=None):
        """point X Y [down|up]: parts of the tablet, from 0 to 1"""
        if button not in (None, "down", "up"):
            raise ValueError(button)
        # QEMU's own range.
        places = [min(round(float(part) * 0x8000), 0x7FFF) for part in (x, y)]
        events = [{"type": "abs", "data": {"axis": axis, "value": place}} for axis, place in zip("xy", places)]
        if button:
            events.append({"type": "btn", "data": {"down": button == "down", "button": "left"}})
        self._send(*events)

    def _display(self, name):
        if not self.displays:
            raise Failure("there is no display that QEMU can see; run with --driver bochs or --driver virtio-gpu")
        if name not in (None, *self.displays):
            raise Failure(f"there is no display {name}; there is {', '.join(self.displays)}")
        return name or next(iter(self.displays))

    # QEMU

    def _send(self, *events):
        self._execute("input-send-event", events=events)

    def _resize(self, sizes):
        """SetDesktopSize, with one screen, for each size. QEMU reads them at once, and tells the guest of the last: Linux's
        virtio-gpu misses a change that comes while it handles another."""
        self.viewer.sendall(b"".join(struct.pack("!BxHHBxIHHHHI", 251, *size, 1, 0, 0, 0, *size, 0) for size in sizes))

    def _execute(self, command, descriptor=None, **arguments):
        """A command of QMP. Events that come meanwhile are of no interest."""
        line = json.dumps({"execute": command, "arguments": arguments}).encode() + b"\n"
        attached = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [descriptor]))] if descriptor is not None else []
        self.qmp.sendmsg([line], attached)
        while True:
            answer = json.loads(self._line())
            if "error" in answer:
                raise Failure(answer["error"]["desc"])
            if "return" in answer:
                return answer["return"]

    def _line(self):
        while b"\n" not in self.rest:
            if not (data := self.qmp.recv(1 << 16)):
                raise Failure("QEMU has gone")
            self.rest += data
        line, self.rest = self.rest.split(b"\n", 1)
        return line

    def _connect_viewer(self):
        """A client of QEMU's display that looks at nothing. (RFC 6143; its size is an extension.)"""
        ours, theirs = socket.socketpair()
        with theirs:
            self._execute("getfd", descriptor=theirs.fileno(), fdname="viewer")
            self._execute("add_client", protocol="vnc", fdname="viewer", skipauth=True)
        ours.settimeout(PATIENCE)
        stream = ours.makefile("rb")
        ours.sendall(stream.read(12))  # the server's version suits us
        stream.read(stream.read(1)[0])
        ours.sendall(b"\1")  # no security
        stream.read(4)
        ours.sendall(b"\1")  # others may look, too
        *_, length = struct.unpack("!HH16sI", stream.read(24))
        stream.read(length)
        return ours
