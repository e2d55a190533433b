"""A virtual machine that runs one script: the QEMU process and what goes in and out of it."""

import ctypes
import os
import re
import selectors
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile
import time

from host import Host
from initramfs import Failure

# Which QEMU device a driver drives. vkms is its own: it has no picture that QEMU could see.
DEVICES = {"vkms": None, "bochs": "bochs-display", "virtio-gpu": "virtio-gpu-pci"}

# How long a guest may take to come up: ten seconds on an idle host, and minutes on one with twenty other programs.
BOOT = 600

# How long a guest may take to end its script and send its files once the time is up.
GRACE = 20


class TimeUp(Failure):
    pass


# How often the guest's output is passed on.
TICK = 0.02


class Machine:
    """Everything that only lives as long as the run is a socket pair or a file without a name:
    however this process ends, nothing is left behind."""

    def __init__(self, build, archive, *, drivers, icount, parameters, memory, timeout, output, show_kernel_log, show_waiting):
        self.timeout = timeout
        self.output = output
        self.show_waiting = show_waiting
        self.started = False
        self.status = None
        self.displays = {}  # by name, with QEMU's device
        self.selector = selectors.DefaultSelector()
        self.inherited = []
        self.environment = dict(os.environ)
        self.line = self._program(build)
        self._add_processor(build, archive, memory, icount, ["drivers=" + ",".join(drivers), *parameters])
        self._add_ports()
        self.passed_on = [(self.stdout, 1), (self.stderr, 2)] + [(self.log, 2)] * show_kernel_log
        self._add_displays(drivers)

    # The command line

    def _program(self, build):
        if not os.path.isdir(f"{build}/qemu"):
            return ["qemu-system-x86_64"]
        qemu = f"{build}/qemu/usr"
        self.environment["LD_LIBRARY_PATH"] = f"{qemu}/lib/x86_64-linux-gnu"
        return [f"{qemu}/bin/qemu-system-x86_64", "-L", f"{qemu}/share/qemu", "-L", f"{qemu}/share/seabios"]

    def _add_processor(self, build, archive, memory, icount, parameters):
        # One processor: under TCG a second makes the guest slower and less steady. Never KVM: where
        # virtual machines are nested, /dev/kvm may open and then hang.
        self._add("-M", "q35", "-nodefaults", "-display", "none", "-no-reboot")
        self._add("-accel", "tcg", "-cpu", "max", "-smp", "1", "-m", str(memory))
        # The self-tests of the kernel's cryptography are 0.2 s of the boot. An unknown parameter
        # becomes a variable in the environment of our init. The kernel counts ticks of its timer
        # against the processor, and panics where a busy machine stops the two for a moment.
        line = ["console=ttyS0", "quiet", "panic=-1", "nokaslr", "no_timer_check", "cryptomgr.notests", *parameters]
        if icount:
            self._add("-icount", "shift=2,sleep=off", "-rtc", "base=2024-01-01,clock=vm", "-seed", "1")
            line.append("icount=1")
        initrd = os.memfd_create("initrd", 0)
        with open(initrd, "wb", closefd=False) as file, open(f"{build}/base.cpio", "rb") as base:
            file.write(base.read())
            file.write(archive)
        self.inherited.append(initrd)
        self._add("-kernel", f"{build}/vmlinux", "-initrd", f"/proc/self/fd/{initrd}", "-append", " ".join(line))

    def _add_ports(self):
        self.log = self._add_file("kernel")
        self._add("-serial", "chardev:kernel")
        # Without ioeventfd a write to a port is complete when it returns, which also keeps the
        # scheduling of another thread out of the guest's time under -icount.
        self._add("-device", "virtio-serial-pci,ioeventfd=off")
        self.stdout = self._add_file("stdout")
        self.stderr = self._add_file("stderr")
        self.files = self._add_file("files")
        self.control = self._add_socket("control", self._receive_progress)
        self.requests = self._add_socket("host", self._receive_request)
        # The guest's init counts on this order.
        for number, name in enumerate(("stdout", "stderr", "files", "control", "host"), 1):
            self._add("-device", f"virtserialport,nr={number},chardev={name},name={name}")
        self.qmp = self._add_connection("qmp")
        self._add("-mon", "chardev=qmp,mode=control")

    def _add_displays(self, drivers):
        for index, driver in enumerate(drivers):
            if device := DEVICES[driver]:
                count = drivers[: index + 1].count(driver)
                name = driver if count == 1 else f"{driver}-{count}"
                self.displays[name] = device
                # Only from a port can a device be pulled; the other is for its return.
                for port in 1, 2:
                    self._add("-device", f"pcie-root-port,id={name}-port-{port},chassis={2 * index + port},pref32-reserve=32M")
                self._add("-device", f"{device},id={name},bus={name}-port-1")
        if "virtio-gpu" in self.displays:
            # For who sets the monitor's size: nobody listens until then.
            self._add("-vnc", "none,display=virtio-gpu")

    def _add(self, *arguments):
        self.line += arguments

    def _add_file(self, name):
        """What the guest writes goes to a file, from which we read at leisure. A pipe may be full,
        and then QEMU leaves the rest in the guest's memory, where it is lost at power-off."""
        file = tempfile.TemporaryFile(buffering=0)
        # QEMU wants a descriptor that is open for writing only.
        writer = os.open(f"/proc/self/fd/{file.fileno()}", os.O_WRONLY | os.O_APPEND)
        self.inherited.append(writer)
        self._add("-add-fd", f"fd={writer},set={writer}")
        self._add("-chardev", f"file,id={name},path=/dev/fdset/{writer},append=on")
        return file

    def _add_connection(self, name):
        """A socket pair."""
        ours, theirs = socket.socketpair()
        self.inherited.append(theirs.detach())
        self._add("-chardev", f"socket,id={name},fd={self.inherited[-1]}")
        return ours

    def _add_socket(self, name, receive_line):
        """One on which lines go to and fro."""
        ours = self._add_connection(name)
        rest = b""

        def receive(data):
            nonlocal rest
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                receive_line(line.decode(errors="replace"))

        self.selector.register(ours, selectors.EVENT_READ, receive)
        return ours

    # The run

    def run(self):
        """Starts QEMU and serves it until it has gone. Returns the exit status of the script."""
        prctl = ctypes.CDLL(None).prctl
        die_with_parent = 1  # PR_SET_PDEATHSIG: there is nobody to tidy up after a SIGKILL
        self.process = subprocess.Popen(
            self.line,
            stdin=subprocess.DEVNULL,
            stdout=2,
            env=self.environment,
            pass_fds=self.inherited,
            start_new_session=True,
            preexec_fn=lambda: prctl(die_with_parent, signal.SIGKILL),
        )
        try:
            for descriptor in self.inherited:
                os.close(descriptor)
            return self._serve()
        finally:
            self.process.kill()
            self.process.wait()

    def _serve(self):
        self.host = Host(self.qmp, self.process, self.displays, self.output)
        self.deadline = time.monotonic() + BOOT
        limit = f"The command took longer than {self.timeout:g} s (--timeout)."
        time_up = False
        waiting = Waiting(self.process.pid) if self.show_waiting else None
        # All our sockets report their end when QEMU has gone.
        while self.selector.get_map():
            for key, _ in self.selector.select(TICK):
                if data := receive(key.fd):
                    key.data(data)
                else:
                    self.selector.unregister(key.fileobj)
            self._pass_on()
            if waiting:
                waiting.look()
            if time.monotonic() >= self.deadline:
                if not self.started:
                    raise Failure(f"The guest did not come up within {BOOT} s.{self._last_messages()}")
                if time_up:
                    lost = "The guest did not answer and was turned off; its files are lost."
                    raise TimeUp(f"{limit} {lost}{self._last_messages()}")
                time_up = True
                self.deadline += GRACE
                send(self.control, "stop")
        self._pass_on()
        if waiting:
            write(2, f"vm: {waiting}\n".encode())
        if self.status is None:
            raise Failure(f"The guest ended without a status: {self._what_happened()}{self._last_messages()}")
        if self.output:
            self._save_files()
        if time_up:
            raise TimeUp(f"{limit} The script was ended{', and what it had written to /out saved' if self.output else ''}.")
        return self.status

    def _pass_on(self):
        for file, descriptor in self.passed_on:
            while data := file.read(1 << 20):
                write(descriptor, data)

    def _save_files(self):
        with tarfile.open(fileobj=self.files) as archive:
            if hasattr(tarfile, "data_filter"):
                archive.extractall(self.output, filter="data")
            else:
                archive.extractall(self.output)

    def _what_happened(self):
        if status := self.process.wait():
            return f"QEMU ended with status {status}."
        if panic := re.search(r"Kernel panic.*", self._messages()):
            return f"{panic[0]}."
        return "it was turned off or restarted before its script had ended."

    def _messages(self):
        self.log.seek(0)
        return self.log.read().decode(errors="replace").replace("\r", "")

    def _last_messages(self):
        lines = self._messages().splitlines()[-30:]
        return "\nThe kernel's last messages:\n" + "\n".join(lines) if lines else ""

    # What arrives

    def _receive_progress(self, line):
        if line == "started":
            self.started = True
            self.deadline = time.monotonic() + self.timeout
        elif line.startswith("status "):
            self.status = int(line.split()[1])

    def _receive_request(self, line):
        # Its number comes back with the answer: who has asked may be gone, and another one reads.
        number, _, request = line.partition(" ")
        try:
            answer = self.host.answer(request)
        except Failure as failure:
            answer = failure
        send(self.requests, f"{number} {answer}")


class Waiting:
    """Adds up how long the threads of QEMU waited for a processor, and how much of this host's own processors was stolen."""

    INTERVAL = 0.2

    def __init__(self, pid):
        self.pid = pid
        self.threads = {}
        self.started = self.last = time.monotonic()
        self.stolen = self._stolen()

    def look(self):
        now = time.monotonic()
        if now - self.last < self.INTERVAL:
            return
        self.last = now
        try:
            for thread in os.listdir(f"/proc/{self.pid}/task"):
                with open(f"/proc/{self.pid}/task/{thread}/schedstat") as file:
                    self.threads[thread] = int(file.read().split()[1]) / 1e9
        except (OSError, IndexError):
            pass  # a thread or QEMU itself has ended

    @staticmethod
    def _stolen():
        with open("/proc/stat") as file:
            return int(file.readline().split()[8]) / os.sysconf("SC_CLK_TCK")

    def __str__(self):
        waited = sum(self.threads.values()) + self._stolen() - self.stolen
        return f"waited {waited:.3f} s of {self.last - self.started:.1f} s for a processor of the host"


def send(connection, line):
    try:
        connection.sendall(line.encode() + b"\n")
    except OSError:
        pass  # QEMU has gone, and what reads from it will say so


def receive(descriptor):
    try:
        return os.read(descriptor, 1 << 20)
    except ConnectionResetError:
        return b""


def write(descriptor, data):
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except BrokenPipeError:
        sys.exit(128 + signal.SIGPIPE)  # `run … | head`: nobody wants to know the rest
