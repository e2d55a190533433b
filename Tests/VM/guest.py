"""What the tests in the virtual machine have in common: running lines of shell in a guest, comparing pictures, and saying
what came of each check."""

import json
import os
import subprocess
import sys
import time

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", ".."))
FONTS = [f"/usr/share/fonts/truetype/dejavu/DejaVu{face}.ttf" for face in ("Sans", "Sans-Bold", "SansMono")]
SEATD = "seatd -l info 2>/tmp/seatd.log &\nuntil [ -S /run/seatd.sock ]; do usleep 10000; done\n"


class Wrong(Exception):
    pass


def expect(condition, claim):
    if not condition:
        raise Wrong(claim)


def program(name):
    """The file of a program that `main` has built."""
    return f"{ROOT}/.build/release/{name}"


def run(drivers, script, *, binary="vm-guest", icount=True, output=None, files=(), parameters=(), timeout=240):
    """Runs lines of shell in a guest of their own. Returns what they printed, errors among it; it fails when the last does."""
    command = [f"{ROOT}/tools/vm/run", "--binary", program(binary), "--timeout", str(timeout)]
    command += [part for file in files for part in ("--file", file)]
    command += [part for driver in drivers for part in ("--driver", driver)]
    command += [part for parameter in parameters for part in ("--parameter", parameter)]
    command += ["--icount"] * icount + (["--output", output] if output else [])
    result = subprocess.run([*command, "--", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(result.stdout, end="", file=sys.stderr)
    if result.returncode != 0:
        raise Wrong(f"status {result.returncode}\n{result.stdout}")
    return result.stdout


def test(drivers, script, **options):
    """Runs lines of shell with the tests' own program, up to the first that fails."""
    return run(drivers, f"set -e\n{script}", **options)


def objects(output):
    """The JSON objects among the lines."""
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


def expect_all(sentences, output):
    """Each is there, however the lines are broken."""
    words = " ".join(output.split())
    for sentence in sentences:
        expect(sentence in words, f"nobody says '{sentence}':\n{output}")


def expect_written(count, said):
    """So often the driver has written a picture to memory, and it was compared."""
    expect(said.count("that were scanned out are what was composited") == count, "not every picture was compared")


def screendump(path):
    """Width, height and the bytes R, G, B of all pixels of a binary PPM."""
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
    print(f"{width}x{height}: all {width * height} pixels are what was composited", file=sys.stderr)


def main(checks, binary="vm-guest"):
    """Runs all checks, or those that are named, and prints a line with its seconds for each."""
    name, names = os.path.relpath(sys.argv[0], ROOT), sys.argv[1:]
    unknown = set(names) - {check.__name__ for check in checks}
    if unknown:
        there = ", ".join(check.__name__ for check in checks)
        sys.exit(f"{name}: there is no check {', '.join(sorted(unknown))}; there are {there}.")
    build = ["swift", "build", "--package-path", ROOT, "-c", "release", "--static-swift-stdlib", "--product", binary]
    built = subprocess.run(build, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if built.returncode != 0:
        sys.exit(f"{built.stdout}\nFAILED {binary} does not build")
    failures = 0
    for check in checks:
        if names and check.__name__ not in names:
            continue
        started = time.monotonic()
        try:
            note = check()
            result, note = "ok", f": {note}" if note else ""
        except (Wrong, OSError) as error:
            result, note = "FAILED", f": {error}"
            failures += 1
        print(f"{result:6} {time.monotonic() - started:5.1f} s  {check.__name__}: {check.__doc__.rstrip('.')}{note}", flush=True)
    sys.exit(failures > 0)
