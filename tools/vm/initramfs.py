#!/usr/bin/env python3
"""What the kernel unpacks at boot: cpio archives, and the shared libraries programs need."""

import lzma
import os
import shutil
import stat
import subprocess
import sys
import zlib

LIBRARIES = "usr/lib/x86_64-linux-gnu"

# The guest has one folder for each kind of file and links in the old places. An archive must name
# the real folder: a directory entry in the place of a link would replace the link.
MERGED = {"bin": "usr/bin", "sbin": "usr/bin", "lib": "usr/lib", "lib64": LIBRARIES}


class Failure(Exception):
    """A sentence for the user."""


class Archive:
    """A cpio archive in the newc format. Several of them, one after the other, make an initramfs,
    and the last file of a name wins."""

    def __init__(self):
        self.parts = []
        self.names = set()
        self.folders = set()

    def folder(self, path):
        path = guest_path(path)
        if path and path not in self.folders:
            self.folder(os.path.dirname(path))
            self.folders.add(path)
            self._entry(path, stat.S_IFDIR | 0o755, b"")

    def link(self, path, target):
        path = guest_path(path)
        self.folder(os.path.dirname(path))
        self._entry(path, stat.S_IFLNK | 0o777, os.fsencode(target))

    def file(self, path, content, executable=False):
        path = guest_path(path)
        if path not in self.names:
            self.names.add(path)
            self.folder(os.path.dirname(path))
            self._entry(path, stat.S_IFREG | (0o755 if executable else 0o644), content)

    def copy(self, host, guest):
        """A file, or a folder with all that is in it."""
        if os.path.isdir(host):
            self.folder(guest)
            for name in sorted(os.listdir(host)):
                self.copy(os.path.join(host, name), os.path.join(guest, name))
        else:
            with open(host, "rb") as source:
                self.file(guest, source.read(), os.access(host, os.X_OK))

    def tree(self, host, guest=""):
        """A folder as it is, links included."""
        for name in sorted(os.listdir(host)):
            path = os.path.join(host, name)
            if os.path.islink(path):
                self.link(os.path.join(guest, name), os.readlink(path))
            elif os.path.isdir(path):
                self.folder(os.path.join(guest, name))
                self.tree(path, os.path.join(guest, name))
            else:
                self.copy(path, os.path.join(guest, name))

    def program(self, host):
        """A program and the libraries it is linked to. All libraries share one folder, which the
        loader searches whatever the run path in the program says."""
        self.copy(host, "usr/local/bin/" + os.path.basename(host))
        for library in libraries(host):
            self.copy(library, f"{LIBRARIES}/{os.path.basename(library)}")

    def finish(self):
        self._entry("TRAILER!!!", 0, b"")
        return b"".join(self.parts)

    def _entry(self, name, mode, content):
        name = os.fsencode(name) + b"\0"
        fields = (len(self.parts) + 1, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name), 0)
        header = b"070701" + b"".join(b"%08X" % field for field in fields) + name
        self.parts.append(header + bytes(-len(header) % 4))
        self.parts.append(content)
        self.parts.append(bytes(-len(content) % 4))


def guest_path(path):
    path = os.path.normpath("/" + path).lstrip("/")
    first, _, rest = path.partition("/")
    return os.path.join(MERGED[first], rest) if rest and first in MERGED else path


def libraries(program):
    """The shared libraries of a program, as the host's loader finds them."""
    listing = subprocess.run(["ldd", program], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    if listing.returncode != 0:  # a static program or a script
        return []
    found = []
    for line in listing.stdout.splitlines():
        name, arrow, place = line.strip().partition(" => ")
        if place.startswith("not found"):
            raise Failure(f"{program} needs the library {name}, which is not on this machine.")
        path = (place if arrow else name).split(" (")[0]
        if path.startswith("/"):
            found.append(path)
    return found


def vmlinux(image):
    """The kernel proper, out of a bzImage: QEMU starts it directly, and the guest is spared
    unpacking it, which takes 2 s of the 3.5 s boot. See the kernel's Documentation/arch/x86/boot.rst."""
    with open(image, "rb") as source:
        data = source.read()
    if data[0x202:0x206] != b"HdrS":  # the field after the jump
        raise Failure(f"{image} is not a Linux kernel image.")
    start = (data[0x1F1] + 1) * 512 + int.from_bytes(data[0x248:0x24C], "little")
    payload = data[start : start + int.from_bytes(data[0x24C:0x250], "little")]
    # Four bytes with the unpacked size follow, which a decompressor object leaves alone.
    if payload.startswith(b"\xfd7zXZ"):
        return lzma.LZMADecompressor().decompress(payload)
    if payload.startswith(b"\x1f\x8b"):
        return zlib.decompressobj(wbits=31).decompress(payload)
    if payload.startswith(b"\x28\xb5\x2f\xfd"):
        if not shutil.which("zstd"):
            raise Failure(f"{image} is compressed with zstd; install with: apt-get install zstd")
        return subprocess.run(["zstd", "-dcq"], input=payload[:-4], stdout=subprocess.PIPE, check=True).stdout
    raise Failure(f"{image} is compressed in a way that this tool does not know (it begins with {payload[:6]!r}).")


def main(command, path, *programs):
    if command == "vmlinux":
        sys.stdout.buffer.write(vmlinux(path))
    else:
        archive = Archive()
        archive.tree(path)
        for program in programs:
            archive.program(program)
        sys.stdout.buffer.write(archive.finish())


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Failure as failure:
        sys.exit(f"vm: {failure}")
