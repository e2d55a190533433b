"""Shared by the tests in the virtual machine: runs lines of shell in a guest, compares pictures, and reports each check.

A short run tries one of several configurations, chosen by FRAMEPACE_SEED, where the others would show the same; FRAMEPACE_LONG=1
tries them all, and repeats things as often as a long run can afford."""

import concurrent.futures
import json
import os
import random
import subprocess
import sys
import threading
import time

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", ".."))
FONTS = [f"/usr/share/fonts/truetype/dejavu/DejaVu{face}.ttf" for face in ("Sans", "Sans-Bold", "SansMono")]
SEATD = "seatd -l info 2>/tmp/seatd.log &\nuntil [ -S /run/seatd.sock ]; do usleep 10000; done\n"
PROGRAMS = ("framepace", "vm-guest")
LONG = bool(os.environ.get("FRAMEPACE_LONG"))
SEED = int(os.environ.get("FRAMEPACE_SEED") or random.randrange(10_000))

# The name of the check that a thread runs.
current = threading.local()


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


def run(drivers, script, *, binary="vm-guest", icount=True, output=None, files=(), parameters=(), timeout=240, options=()):
    """Runs lines of shell in a guest. Returns their output, with errors; fails when the last line fails."""
    command = [f"{ROOT}/tools/vm/run", "--binary", program(binary), "--timeout", str(timeout), *options]
    command += [part for file in files for part in ("--file", file)]
    command += [part for driver in drivers for part in ("--driver", driver)]
    command += [part for parameter in parameters for part in ("--parameter", parameter)]
    command += ["--icount"] * icount + (["--output", output] if output else [])
    result = subprocess.run([*command, "--", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    log(result.stdout)
    if result.returncode != 0:
        raise Wrong(f"status {result.returncode}\n{result.stdout}")
    return result.stdout


def test(drivers, script, **options):
    """Runs lines of shell with vm-guest, up to the first that fails."""
    return run(drivers, f"set -e\n{script}", **options)


def log(text):
    """Keeps the output of a guest in the log, with the check that it belongs to: two checks may run at a time."""
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
    print(f"{result:6} {time.monotonic() - started:5.1f} s  {name}: {check.__doc__.rstrip('.')}{note}", flush=True)
    return result == "ok"


def perform_all(checks, jobs=1):
    """Runs checks by name, so many at a time, and ends the script."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(perform, checks.keys(), checks.values()))
    sys.exit(not all(results))


def main(checks):
    """Runs the checks of one script: all of them, or those that are named."""
    script, names = os.path.relpath(sys.argv[0], ROOT), sys.argv[1:]
    checks = {check.__name__: check for check in checks}
    if unknown := set(names) - set(checks):
        sys.exit(f"{script}: there is no check {', '.join(sorted(unknown))}; there are {', '.join(checks)}.")
    print(f"seed {SEED}: FRAMEPACE_SEED={SEED} repeats this run's choices", file=sys.stderr)
    build()
    perform_all({name: check for name, check in checks.items() if not names or name in names})
