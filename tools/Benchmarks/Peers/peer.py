"""What the peers in Python have in common: they read the material, and answer the lines of their standard input.

A peer is a table of functions, one for each task, which paint into a picture of 1920×1080 pixels with the bytes B, G, R, A. Time is
processor time: that of the library, in all its threads, and that of the calls from Python.
"""

import json
import pathlib
import sys
import time

import numpy

WIDTH, HEIGHT = 1920, 1080
GROUND = 0xFF203040
STOPS = [(0, (0.05, 0.1, 0.2)), (0.4, (0.1, 0.6, 1)), (1, (1, 1, 0.9))]


class Material:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        values = json.loads((self.folder / "material.json").read_text())
        self.font, self.size, self.lines = values["font"], values["size"], values["lines"]
        self.star = list(zip(values["star"][::2], values["star"][1::2]))
        self.corners = list(zip(values["corners"][::2], values["corners"][1::2]))
        self.interface, self.noise = self.pixels("interface"), self.pixels("noise")

    def pixels(self, name):
        return numpy.fromfile(self.folder / name, dtype=numpy.uint8).reshape(HEIGHT, WIDTH, 4)


def serve(name, version, material, clear, read, tasks):
    """Answers until the input ends. `clear` makes the picture opaque black, and `read` returns an array of it."""
    print(version, flush=True)
    for line in sys.stdin:
        verb, task, *rest = line.split()
        paint = tasks.get(task)
        if paint is None:
            print("none", flush=True)
        elif verb == "time":
            paint()
            calls = int(rest[0])
            start = time.process_time_ns()
            for _ in range(calls):
                paint()
            print((time.process_time_ns() - start) / calls, flush=True)
        else:
            clear()
            paint()
            read().tofile(material.folder / f"{name}.pixels")
            print(f"{name}.pixels", flush=True)
