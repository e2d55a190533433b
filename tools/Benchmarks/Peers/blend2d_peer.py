"""Blend2D, by the wheel blend2d-python."""

import sys

import blend2d
from blend2d import BLContext, BLFont, BLFontFace, BLImage, BLPath, BLPoint, BLRect, BLStrokeJoin

from peer import HEIGHT, STOPS, WIDTH, Material, serve

material = Material(sys.argv[1])


def image(name):
    made = BLImage()
    made.readFromFile(str(material.folder / f"{name}.png"))
    return made


targets = [BLImage(WIDTH, HEIGHT) for _ in range(8)]
contexts = [BLContext(made) for made in targets]
context = contexts[0]
interface, noise = image("interface"), image("noise")
cold_images = [image("interface") for _ in range(8)]
turn = 0

origin = BLPoint(0, 0)


def color(red, green, blue):
    """The bindings take blue first."""
    return float(blue), float(green), float(red), 1.0


ground, white = color(0x20 / 255, 0x30 / 255, 0x40 / 255), color(1, 1, 1)


def polygon(points):
    path = BLPath()
    path.move_to(*points[0])
    for point in points[1:]:
        path.line_to(*point)
    path.close()
    return path


def rounded(x, y):
    path = BLPath()
    path.add_round_rect(BLRect(x, y, 120, 80), 14)
    return path


star = polygon(material.star)
rects = [rounded(*corner) for corner in material.corners]


def gradient(made):
    for place, values in STOPS:
        made.add_stop(place, color(*values))
    return made


axial = gradient(blend2d.create_linear_gradient(0, 0, WIDTH, HEIGHT))
radial = gradient(blend2d.create_radial_gradient(WIDTH / 2, HEIGHT / 2, WIDTH / 2, HEIGHT / 2, WIDTH / 2))
font = BLFont.create_new(BLFontFace.create_from_file(material.font), material.size)


def clear():
    context.set_fill_style(color(0, 0, 0))
    context.fill_all()


def fill(rect=None):
    context.set_fill_style(ground)
    context.fill_all() if rect is None else context.fill_rect(rect)
    context.set_fill_style(white)


def over(pixels, opacity=1.0):
    context.global_alpha = opacity
    context.blit_image(origin, pixels)
    context.global_alpha = 1.0


def cold():
    global turn
    turn = (turn + 1) % 8
    contexts[turn].blit_image(origin, cold_images[turn])


def mapped(transform):
    fill()
    context.save()
    transform()
    context.blit_image(origin, interface)
    context.restore()


def rotate():
    context.translate(WIDTH / 2, HEIGHT / 2)
    context.rotate(0.35)
    context.translate(-WIDTH / 2, -HEIGHT / 2)


def scale():
    context.translate(-100.3, -50.7)
    context.scale(1.5, 1.5)


def fill_gradient(made):
    context.set_fill_style(made)
    context.fill_all()


def draw_rects():
    fill()
    for rect in rects:
        context.fill_path(rect)


def draw_path():
    fill()
    context.fill_path(star)


def stroke():
    fill()
    context.set_stroke_style(white)
    context.stroke_width = 2.0
    context.stroke_join = BLStrokeJoin.JOIN_BEVEL
    context.stroke_path(star)


page = BLRect(0, 0, 800, 800)
lines = [(BLPoint(line["x"], line["y"]), line["text"]) for line in material.lines]


def glyphs():
    """The library shapes the text in each call: its bindings know no glyphs."""
    fill(page)
    for place, text in lines:
        context.fill_text(place, font, text)


serve("blend2d", f"Blend2D {'.'.join(map(str, blend2d.BL_VERSION))} by blend2d-python", material, clear, targets[0].getDataAsNumPy, {
    "fill": fill,
    "interface": lambda: over(interface),
    "noise": lambda: over(noise),
    "half": lambda: over(noise, 0.5),
    "cold": cold,
    "rotated": lambda: mapped(rotate),
    "scaled": lambda: mapped(scale),
    "axial": lambda: fill_gradient(axial),
    "radial": lambda: fill_gradient(radial),
    "rects": draw_rects,
    "path": draw_path,
    "stroke": stroke,
    "glyphs": glyphs,
})
