"""Shared by the tests in the virtual machine: runs lines of shell in a guest, compares pictures, and reports each check.

A short run tries one of several configurations, chosen by FRAMEPACE_SEED, where the others would show the same; FRAMEPACE_LONG=1
tries them all, and repeats things as often as a long run can afford."""

import concurrent.futures
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", ".."))
SEATD = "seatd -l info 2>/tmp/seatd.log &\nuntil [ -S /run/seatd.sock ]; do usleep 10000; done\n"
PROGRAMS = ("framepace", "vm-guest")
LONG = bool(os.environ.get("FRAMEPACE_LONG"))
SEED = int(os.environ.get("FRAMEPACE_SEED") or random.randrange(10_000))

# The name of the check that a thread runs.
current = threading.local()
PRINTING = threading.Lock()


class Wrong(Exception):
    pass


def expect(condition, claim):
    if not condition:
        raise Wrong(claim)


def some(*choices, key=None):
    """All of the choices in a long run, otherwise one: another for another seed, and for another check or key."""
    return choices if LONG else (random.Random(f"{SEED} {key or current.name} {choices}").choice(choices),)


def times(short, long):
    """How often a check repeats something."""
    return long if LONG else short


def program(name):
    """The path of one of the programs that `build` has built."""
    return f"{ROOT}/.build/release/{name}"


def stripped(name):
    """The same program without its symbols, which are most of its bytes: a guest unpacks them at each boot."""
    copy = f"{ROOT}/.build/release/guest/{name}"
    with STRIPPING:
        if not os.path.exists(copy) or os.path.getmtime(copy) < os.path.getmtime(program(name)):
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            subprocess.run(["strip", "-o", copy, program(name)], check=True)
    return copy


STRIPPING = threading.Lock()


class Request:
    """Lines of shell that a check wants to be run, in a machine of its choice."""

    def __init__(self, machine, script, binary, output, timeout, shares):
        self.machine, self.script, self.output, self.timeout = machine, script, output, timeout
        self.binaries = (binary,) if isinstance(binary, str) else binary
        self.shares = shares
        self.check = current.name
        self.result = concurrent.futures.Future()  # the status, None if there is none, and the output


class Boots:
    """Gathers what checks want to be run, and runs scripts for the same machine in one boot: booting is most of the time.

    A boot begins when all checks that still run wait for theirs."""

    MOST = 9

    def __init__(self):
        self.changed = threading.Condition()
        self.busy = 0
        self.waiting = []

    def run(self, request):
        with self.changed:
            self.waiting.append(request)
            self.busy -= 1
            self.changed.notify()
        return request.result.result()

    def check(self, name, check):
        try:
            return perform(name, check)
        finally:
            with self.changed:
                self.busy -= 1
                self.changed.notify()

    def serve(self, checks, jobs):
        """Runs checks by name, and so many guests at a time. Returns whether all passed."""
        self.busy = len(checks)
        with concurrent.futures.ThreadPoolExecutor(len(checks)) as threads, concurrent.futures.ThreadPoolExecutor(jobs) as guests:
            results = [threads.submit(self.check, name, check) for name, check in checks.items()]
            while True:
                with self.changed:
                    self.changed.wait_for(lambda: self.busy == 0)
                    requests, self.waiting = self.waiting, []
                if not requests:
                    return all(result.result() for result in results)
                groups = {}
                for request in requests:
                    groups.setdefault(request.machine if request.shares else id(request), []).append(request)
                chunks = [group[i : i + self.MOST] for group in groups.values() for i in range(0, len(group), self.MOST)]
                # The longest first.
                chunks.sort(key=len, reverse=True)
                with self.changed:
                    self.busy += len(requests)
                for future in [guests.submit(boot, chunk) for chunk in chunks]:
                    future.result()


boots = Boots()

# Each script runs in a session of its own, which ends with it. What it prints lies between two marks, in one stream; its
# files and screendumps get a prefix.
SHARED = """
cat >/tmp/script-{number} <<'@@ SCRIPT'
{script}
@@ SCRIPT
printf '#!/bin/sh\nname=$1; shift; exec host screendump {number}.$name "$@"\n' >/usr/local/bin/screendump
chmod 755 /usr/local/bin/screendump
echo; echo '@@ begin {number}'
setsid sh -c 'echo $$ >/run/session; exec sh /tmp/script-{number}' 2>&1
status=$?
survivors() {{
  cat /proc/[0-9]*/stat 2>/dev/null |
    awk -v session="$(cat /run/session)" '{{ pid = $1; sub(/.*[)] /, ""); if ($4 == session && $1 != "Z") print pid }}'
}}
while left=$(survivors); [ -n "$left" ]; do kill -KILL $left 2>/dev/null; usleep 1000; done
for file in /out/[!@]*; do [ ! -f "$file" ] || mv "$file" "/out/@{number}.${{file##*/}}"; done
echo; echo '@@ end {number}' $status
"""


def boot(requests):
    """Runs the scripts of requests for the same machine in one guest, and gives each its status and output."""
    try:
        if len(requests) == 1:
            (request,) = requests
            request.result.set_result(start(request, request.script, request.binaries, request.output, request.timeout))
            return
        script = "".join(SHARED.format(number=number, script=request.script) for number, request in enumerate(requests))
        with tempfile.TemporaryDirectory() as folder:
            _, said = start(
                requests[0], script, sorted({name for request in requests for name in request.binaries}), folder,
                sum(request.timeout for request in requests))
            for file in os.listdir(folder):
                number, _, name = file.removeprefix("@").partition(".")
                if number.isdigit() and requests[int(number)].output:
                    shutil.move(f"{folder}/{file}", f"{requests[int(number)].output}/{name}")
        for number, request in enumerate(requests):
            part = re.search(rf"^@@ begin {number}\n(.*?)\n?^@@ end {number} (\d+)$", said, re.DOTALL | re.MULTILINE)
            request.result.set_result((int(part[2]), part[1]) if part else (None, said))
    except Exception as error:
        for request in requests:
            if not request.result.done():
                request.result.set_exception(error)


def start(request, script, binaries, output, timeout):
    """Boots a guest for a script. Returns its status and its output."""
    drivers, icount, parameters, options = request.machine
    command = [f"{ROOT}/tools/vm/run", "--timeout", str(timeout), *options]
    command += [part for name in binaries for part in ("--binary", stripped(name))]
    command += [part for driver in drivers for part in ("--driver", driver)]
    command += [part for parameter in parameters for part in ("--parameter", parameter)]
    command += ["--icount"] * icount + (["--output", output] if output else [])
    result = subprocess.run([*command, "--", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return result.returncode, result.stdout


def run(
    drivers, script, *, binary="vm-guest", icount=True, output=None, parameters=(), timeout=600, options=(), shares=True):
    """Runs lines of shell in a guest. Returns their output, with errors; fails when the last line fails.

    The timeout, in seconds, ends a guest that stands still. On a busy machine one that works needs five times as long.

    `binary` is the name of a program that the guest gets, or several of them.

    The guest is another check's too unless `shares` is false, for a script that leaves the machine changed."""
    machine = (tuple(drivers), icount, tuple(parameters), tuple(options))
    status, said = boots.run(Request(machine, script, binary, output, timeout, shares))
    log(said)
    if status != 0:
        raise Wrong(f"{'no status' if status is None else f'status {status}'}\n{said}")
    return said


def test(drivers, script, **options):
    """Runs lines of shell with vm-guest, up to the first that fails."""
    return run(drivers, f"set -e\n{script}", **options)


# A run in real time is judged as long as it waits for a processor of the host for no larger share of its time.
BUSY = 0.01


def compare(script, limit, *, quoted, first="true", **options):
    """Runs lines of shell that print a `ratio of the medians` of ours and a bare loop's times, in real time, until two of up to three boots
    lie on the same side of a limit. Other lines run in the first boot alone. Returns the lines of the outputs that match a pattern."""
    ratios, above, notes = [], 0, []
    while above < 2 and len(ratios) - above < 2:
        wrong = None
        try:
            said = test(["vkms"], f"{script}\n{first}", icount=False, options=["--show-waiting"], **options)
        except Wrong as error:
            said, wrong = str(error), error
        ratio = re.search(r"ratio of the medians ([\d.]+)", said)
        is_above = bool(ratio) and float(ratio[1]) > limit
        waited = re.search(r"waited ([\d.]+) s of ([\d.]+) s", said)
        if (wrong or is_above) and waited and float(waited[1]) >= float(waited[2]) * BUSY:
            # An emulated processor that does not run cannot be in time: such a boot tells nothing of the loop.
            return f"the host was busy, so this run is not judged: the machine {waited[0]} for a processor"
        if wrong:
            raise wrong
        expect(ratio, f"no ratio in {said!r}")
        ratios.append(float(ratio[1]))
        above += is_above
        notes += re.findall(f"{quoted}|waited.*", said)
        first = "true"
    expect(above < 2, f"ours takes {ratios} times as long as a bare loop, at most {limit} is allowed: {'; '.join(notes)}")
    return "; ".join(notes)


def log(text):
    """Keeps the output of a guest in the log, with the check that it belongs to: two checks may run at a time."""
    with PRINTING:
        print("".join(f"{current.name}: {line}\n" for line in text.splitlines()), end="", file=sys.stderr, flush=True)


def objects(output):
    """The JSON objects among the lines."""
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


def expect_all(sentences, output):
    """Expects each sentence, wherever its lines are broken."""
    words = " ".join(output.split())
    for sentence in sentences:
        expect(sentence in words, f"the output lacks '{sentence}':\n{output}")


def expect_written(count, said):
    """Expects that so many pictures, which vkms wrote back to memory, were compared."""
    expect(said.count("that were scanned out are what was composited") == count, "not every picture was compared")


def screendump(path):
    """Reads a binary PPM: width, height, and the bytes R, G, B of all pixels."""
    with open(path, "rb") as file:
        magic, size, depth, pixels = file.read().split(b"\n", 3)
    width, height = map(int, size.split())
    expect((magic, depth) == (b"P6", b"255") and len(pixels) == width * height * 3, f"{path} is no picture")
    return width, height, pixels


def expect_same(dump, composited, colours):
    """Compares all bytes of all pixels of a screendump with those that were composited (B, G, R, X)."""
    width, height, seen = screendump(dump)
    with open(composited, "rb") as file:
        painted = file.read()
    expect(len(painted) == width * height * 4, f"{len(painted)} bytes were composited for a screen of {width}x{height}")
    expected = bytearray(width * height * 3)
    expected[0::3], expected[1::3], expected[2::3] = painted[2::4], painted[1::4], painted[0::4]
    if seen != expected:
        wrong = sum(seen[i : i + 3] != expected[i : i + 3] for i in range(0, len(seen), 3))
        raise Wrong(f"{wrong} of {width * height} pixels are not what was composited")
    expect(len({seen[i : i + 3] for i in range(0, len(seen), 3 * 101)}) > colours, "the picture is too plain to tell anything")
    log(f"{width}x{height}: all {width * height} pixels are what was composited")


def build():
    """Builds the programs that run in the guests, in the release build's folder."""
    for name in PROGRAMS:
        command = ["swift", "build", "--package-path", ROOT, "-c", "release", "--static-swift-stdlib", "--product", name]
        built = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if built.returncode != 0:
            sys.exit(f"{built.stdout}\nFAILED {name} does not build")


def perform(name, check):
    """Runs a check, prints its line, and returns whether it passed."""
    current.name = name
    started = time.monotonic()
    try:
        note = check()
        result, note = "ok", f": {note}" if note else ""
    except Wrong as error:
        result, note = "FAILED", f": {error}"
    except Exception as error:
        result, note = "FAILED", f": {type(error).__name__}: {error}"
    # In one piece, as other checks end at the same time.
    with PRINTING:
        print(f"{result:6} {time.monotonic() - started:5.1f} s  {name}: {check.__doc__.rstrip('.')}{note}", flush=True)
    return result == "ok"


def main(checks):
    """Runs the checks of one script: all of them, or those that are named."""
    script, names = os.path.relpath(sys.argv[0], ROOT), sys.argv[1:]
    checks = {check.__name__: check for check in checks}
    if unknown := set(names) - set(checks):
        sys.exit(f"{script}: there is no check {', '.join(sorted(unknown))}; there are {', '.join(checks)}.")
    print(f"seed {SEED}: FRAMEPACE_SEED={SEED} repeats this run's choices", file=sys.stderr)
    build()
    sys.exit(not boots.serve({name: check for name, check in checks.items() if not names or name in names}, jobs=1))
