"""Skia, by the wheel skia-python."""

import sys

import numpy
import skia

from peer import GROUND, HEIGHT, STOPS, WIDTH, Material, serve

material = Material(sys.argv[1])
info = skia.ImageInfo.Make(WIDTH, HEIGHT, skia.kBGRA_8888_ColorType, skia.kPremul_AlphaType)
canvases = [numpy.zeros((HEIGHT, WIDTH, 4), numpy.uint8) for _ in range(8)]
targets = [skia.Surface.MakeRasterDirect(info, canvas).getCanvas() for canvas in canvases]
target = targets[0]


def image(pixels):
    return skia.Image.fromarray(pixels, skia.kBGRA_8888_ColorType, skia.kPremul_AlphaType)


interface, noise = image(material.interface), image(material.noise)
cold_images = [image(material.interface) for _ in range(8)]
turn = 0

ground = skia.Paint(Color=GROUND, BlendMode=skia.BlendMode.kSrc)
white = skia.Paint(Color=skia.ColorWHITE, AntiAlias=True)
line = skia.Paint(Color=skia.ColorWHITE, AntiAlias=True, Style=skia.Paint.kStroke_Style, StrokeWidth=2)
line.setStrokeJoin(skia.Paint.kBevel_Join)
half = skia.Paint(Alphaf=0.5)
smooth = skia.Paint(AntiAlias=True)
bilinear = skia.SamplingOptions(skia.FilterMode.kLinear)

star = skia.Path.Polygon([skia.Point(x, y) for x, y in material.star], True)
rects = [skia.RRect.MakeRectXY(skia.Rect.MakeXYWH(x, y, 120, 80), 14, 14) for x, y in material.corners]

colors = [skia.Color4f(*color, 1).toColor() for _, color in STOPS]
places = [place for place, _ in STOPS]
axial = skia.Paint(Shader=skia.GradientShader.MakeLinear([skia.Point(0, 0), skia.Point(WIDTH, HEIGHT)], colors, places))
radial = skia.Paint(Shader=skia.GradientShader.MakeRadial(skia.Point(WIDTH / 2, HEIGHT / 2), WIDTH / 2, colors, places))

font = skia.Font(skia.Typeface.MakeFromFile(material.font), material.size)
font.setEdging(skia.Font.Edging.kAntiAlias)
font.setSubpixel(True)
font.setHinting(skia.FontHinting.kNone)


def blob(entry):
    builder = skia.TextBlobBuilder()
    builder.allocRunPos(font, entry["glyphs"], [skia.Point(x, 0) for x in entry["columns"]])
    return builder.make(), entry["x"], entry["y"]


blobs = [blob(entry) for entry in material.lines]
page = skia.Rect.MakeXYWH(0, 0, 800, 800)
card = skia.RRect.MakeRectXY(skia.Rect.MakeXYWH(200, 150, 400, 300), 16, 16)
cast = skia.RRect.MakeRectXY(skia.Rect.MakeXYWH(200, 158, 400, 300), 16, 16)
around = skia.Rect.MakeXYWH(160, 110, 480, 390)
shade = skia.Paint(Color=0x80000000, AntiAlias=True)
paper = skia.Paint(Color=0xFFF0F0F0, AntiAlias=True)


def cold():
    global turn
    turn = (turn + 1) % 8
    targets[turn].drawImage(cold_images[turn], 0, 0)


def mapped(transform):
    target.drawPaint(ground)
    target.save()
    transform()
    target.drawImage(interface, 0, 0, bilinear, smooth)
    target.restore()


def rotate():
    target.translate(WIDTH / 2, HEIGHT / 2)
    target.rotate(0.35 * 180 / numpy.pi)
    target.translate(-WIDTH / 2, -HEIGHT / 2)


def scale():
    target.translate(-100.3, -50.7)
    target.scale(1.5, 1.5)


def draw_rects():
    target.drawPaint(ground)
    for rect in rects:
        target.drawRRect(rect, white)


def draw_star(paint):
    target.drawPaint(ground)
    target.drawPath(star, paint)


def glyphs():
    target.drawRect(page, ground)
    for run, x, y in blobs:
        target.drawTextBlob(run, x, y, white)


shadows = 0


def shadow():
    # The library keeps masks by their blurs: a new one has another.
    global shadows
    shadows += 1
    draw_card(10 + shadows % 10000 * 1e-6)


def kept():
    draw_card(10)


def draw_card(deviation):
    shade.setMaskFilter(skia.MaskFilter.MakeBlur(skia.kNormal_BlurStyle, deviation))
    target.drawRect(around, ground)
    target.drawRRect(cast, shade)
    target.drawRRect(card, paper)


serve("skia", f"Skia by skia-python {skia.__version__}", material, lambda: target.clear(skia.ColorBLACK), lambda: canvases[0], {
    "fill": lambda: target.drawPaint(ground),
    "interface": lambda: target.drawImage(interface, 0, 0),
    "noise": lambda: target.drawImage(noise, 0, 0),
    "half": lambda: target.drawImage(noise, 0, 0, skia.SamplingOptions(), half),
    "cold": cold,
    "rotated": lambda: mapped(rotate),
    "scaled": lambda: mapped(scale),
    "axial": lambda: target.drawPaint(axial),
    "radial": lambda: target.drawPaint(radial),
    "rects": draw_rects,
    "path": lambda: draw_star(white),
    "stroke": lambda: draw_star(line),
    "glyphs": glyphs,
    "shadow": shadow,
    "kept": kept,
})
