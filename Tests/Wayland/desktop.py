"""Debian's own compositors without a screen, not as root, and programs on them; for the tests of this folder."""

import glob
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COMMAND = os.environ.get("FRAMEPACE_COMMAND") or str(ROOT / ".build/release/framepace")
WIDTH, HEIGHT = 640, 480
# A run that fails is judged as long as it waited for a processor for no larger share of its time.
BUSY = 0.01
failures = 0

SWAY = """
xwayland disable
output HEADLESS-1 mode --custom {width}x{height}@{rate}Hz scale {scale}
default_border none
"""


def check(passed, said):
    global failures
    failures += not passed
    print(f"{'ok' if passed else 'FAILED'} {said}", flush=True)


class Desktop:
    """A compositor without a screen, in a folder of its own, which goes with it."""

    def __init__(self, name, command, environment=None, files=None):
        self.name = name
        self.folder = tempfile.mkdtemp(prefix="framepace-desktop-")
        for file, text in (files or {}).items():
            pathlib.Path(self.folder, file).write_text(text)
        user = []
        # Sway does not start as root.
        if os.geteuid() == 0:
            subprocess.run(["chown", "-R", "nobody", self.folder], check=True)
            user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        path = {"PATH": os.environ["PATH"], "HOME": self.folder, "XDG_RUNTIME_DIR": self.folder}
        self.log = open(f"{self.folder}/log", "w")
        self.process = subprocess.Popen(
            user + [part.format(folder=self.folder) for part in command], env={**path, **(environment or {})},
            stdout=self.log, stderr=self.log, cwd=self.folder, start_new_session=True)
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": self.folder, "WAYLAND_DISPLAY": "wayland-1"}

    def __enter__(self):
        end = time.monotonic() + 10
        while not os.path.exists(f"{self.folder}/wayland-1"):
            if time.monotonic() > end or self.process.poll() is not None:
                check(False, f"{self.name} did not start: {pathlib.Path(self.folder, 'log').read_text()[-300:]}")
                return None
            time.sleep(0.05)
        return self

    def __exit__(self, *error):
        # With the helpers that it has started.
        for kind in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, kind)
                self.process.wait(2)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                pass
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, *arguments):
        command = [COMMAND, *arguments, "--display", "wayland"]
        return subprocess.Popen(
            command, env=self.environment, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def run(self, *arguments, limit=20, status=0):
        """What the command printed."""
        with self.start(*arguments) as process:
            try:
                said, _ = process.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                process.kill()
                check(False, f"{self.name}: {' '.join(arguments)} did not end")
                return ""
        if process.returncode != status:
            check(False, f"{self.name}: {' '.join(arguments)} ended with status {process.returncode}: {said[-300:]}")
        return said

    def message(self, *words):
        """Tells sway to do something."""
        socket = glob.glob(f"{self.folder}/sway-ipc.*.sock")[0]
        subprocess.run(
            ["swaymsg", "-q", "--", *words], env={**self.environment, "SWAYSOCK": socket}, check=True, timeout=10)


def grim(desktop):
    path = f"{desktop.folder}/grim.png"
    subprocess.run(["grim", path], env=desktop.environment, check=True, timeout=10)
    return path


def screenshooter(desktop):
    # Weston's tool names its file itself.
    subprocess.run(["weston-screenshooter"], env=desktop.environment, cwd=desktop.folder, check=True, timeout=10)
    return next((str(path) for path in pathlib.Path(desktop.folder).glob("wayland-screenshot-*.png")), None)


def sway(rate, scale):
    environment = {"WLR_BACKENDS": "headless", "WLR_RENDERER": "pixman", "WLR_LIBINPUT_NO_DEVICES": "1"}
    files = {"config": SWAY.format(width=WIDTH, height=HEIGHT, rate=rate, scale=scale)}
    return Desktop(f"sway at {rate} Hz, scale {scale}", ["sway", "-c", "{folder}/config"], environment, files)


def weston(name, *arguments):
    command = ["weston", "--no-config", "--backend=headless-backend.so", "--use-pixman", "--debug", "--socket=wayland-1"]
    return Desktop(name, [*command, f"--width={WIDTH}", f"--height={HEIGHT}", *arguments])
