"""Fixtures of other layouts as style trees. Only values of properties are taken."""
import html.parser
import json
import os
import re

from styles import GRID, LENGTHS, NUMBERS, SIDES, STACK, WORDS


class Fixtures(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.roots = [], []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        node = {"tag": tag, "id": attributes.get("id"), "style": attributes.get("style") or "", "children": [], "text": ""}
        (self.open[-1]["children"] if self.open else self.roots).append(node)
        self.open.append(node)

    def handle_endtag(self, tag):
        self.open.pop()

    def handle_data(self, data):
        if self.open:
            self.open[-1]["text"] += data.strip()


class LeftOut(Exception):
    pass


NAMES = {css: name for name, css in WORDS.items()}
ITEM_NAMES = {css: name for name, css in [*LENGTHS.items(), *NUMBERS.items()]}
STACK_NAMES = {css: name for name, css in STACK.items()}
GRID_NAMES = {css: name for name, css in GRID.items()}
# What Yoga's styles begin with, and Taffy's, which are those of CSS; there are grids in the latter.
YOGA = {"direction": "column", "lineAlignment": "start", "shrink": 0}
TAFFY = {"columns": ""}


def length(value, auto=None):
    if match := re.fullmatch(r"(-?[\d.]+)(px)?", value):
        return float(match[1]) if "." in match[1] else int(match[1])
    if re.fullmatch(r"-?[\d.]+%", value):
        return value
    if value == "auto" and auto:
        return auto
    raise LeftOut(f"the length '{value}'")


def sides(value):
    values = value.split()
    return [values[0], values[1 % len(values)], values[2 if len(values) > 2 else 0], values[3 if len(values) > 3 else 1 % len(values)]]


def words(text):
    """Letters in Taffy's font, all as wide as they are high, and the places between which a line may break."""
    parts = text.split("\u200b")
    if len({len(part) for part in parts}) > 1 or " " in text:
        raise LeftOut("words of several lengths")
    return [len(parts), 10 * len(parts[0]), 10]


def lines(values):
    """The lines of an item in one axis, as grid-column and grid-row have them."""
    start, end = [*[value.strip() for value in values.split("/")], "auto"][:2]
    if not all(re.fullmatch(r"auto|(span )?-?\d+", value) for value in (start, end)):
        raise LeftOut(f"the lines '{values}'")
    if start == "auto" and end != "auto":
        start = "span 1"
    return start if end == "auto" else f"{start} / {end}"


def converted(element, is_root, direction, defaults):
    """The style tree of a fixture."""
    if element["text"] and (element["children"] or "columns" not in defaults):
        raise LeftOut("text")
    if element["tag"] != "div":
        raise LeftOut(f"the element {element['tag']}")
    node = {key: value for key, value in defaults.items() if key != "columns"} | {"layoutDirection": direction}
    grid, starts, ends = {}, {}, {}
    # In a grid these are the same as flex-start and flex-end.
    starts_and_ends = ("start", "end") if "columns" in defaults else ()
    position, insets, margin, padding, border, gap = "relative", {}, [0] * 4, [0] * 4, [0] * 4, [0, 0]
    for entry in filter(None, (entry.strip() for entry in element["style"].split(";"))):
        name, _, value = (part.strip() for part in entry.partition(":"))
        if name == "position":
            position = value
        elif name in SIDES:
            insets[name] = length(value, "auto")
        elif name == "margin":
            margin = [length(side, "auto") for side in sides(value)]
        elif name.startswith("margin-") and name[7:] in SIDES:
            margin[SIDES.index(name[7:])] = length(value, "auto")
        elif name == "padding":
            padding = [length(side) for side in sides(value)]
        elif name.startswith("padding-") and name[8:] in SIDES:
            padding[SIDES.index(name[8:])] = length(value)
        elif name == "border-width":
            border = [length(side) for side in sides(value)]
        elif name.startswith("border-") and name.endswith("-width") and name[7:-6] in SIDES:
            border[SIDES.index(name[7:-6])] = length(value)
        elif name in ("gap", "grid-gap"):
            gap = [length(value.split()[-1]), length(value.split()[0])]
        elif name == "column-gap":
            gap[0] = length(value)
        elif name == "row-gap":
            gap[1] = length(value)
        elif name == "flex" and re.fullmatch(r"[\d.]+", value):
            node |= {"grow": float(value), "shrink": 1, "basis": "0%"}
        elif name == "flex-basis":
            node["basis"] = value if value in ("content",) else length(value, "auto")
        elif name in ("grid-column", "grid-row"):
            starts[name[5:]], ends[name[5:]] = [*value.split("/"), "auto"][:2]
        elif name.startswith(("grid-column-", "grid-row-")):
            (starts if name.endswith("start") else ends)[name.split("-")[1]] = value
        elif name in GRID_NAMES and name.startswith("grid-"):
            if re.search(r"\[|repeat\(\d", value):
                raise LeftOut(f"{name}: {value}")
            grid[GRID_NAMES[name]] = NAMES.get(value, value)
        elif name == "direction" and "columns" in defaults:
            direction = NAMES[value]
            node["layoutDirection"] = direction
        elif name in ("justify-items", "justify-self"):
            if value not in ("start", "end", "center", "stretch"):
                raise LeftOut(f"{name}: {value}")
            grid[GRID_NAMES.get(name, "justifySelf")] = value
        elif name in STACK_NAMES or name == "align-self":
            if value == "stretch" and name == "align-self" or value in starts_and_ends or value in NAMES or value in ("row", "column", "wrap", "center", "stretch"):
                node[STACK_NAMES.get(name, "alignSelf")] = NAMES.get(value, value)
            elif name != "align-self" or value != "auto":
                raise LeftOut(f"{name}: {value}")
        elif name in ITEM_NAMES:
            if name in LENGTHS.values():
                value = length(value, "auto")
            else:
                value = float(value) if "." in value else int(value)
            if value not in ("auto",) and not (name == "aspect-ratio" and value == 0):
                node[ITEM_NAMES[name]] = value
        elif name == "border" and "columns" in defaults:
            border = [length(value.split()[0])] * 4
        elif name == "display" and value == "grid":
            grid.setdefault("columns", "")
        elif name == "display" and value == "flex" or name == "box-sizing" and value == "border-box":
            pass
        elif "columns" in defaults and name in ("background", "background-color", "z-index", "border-style", "border-color"):
            pass
        else:
            raise LeftOut(f"{name}: {value}" if name in ("display", "overflow", "box-sizing") else name)
    insets = {side: value for side, value in insets.items() if value != "auto"}
    for side in padding + gap + margin + border:
        if isinstance(side, str) and side != "auto":
            raise LeftOut("a percentage in a margin, a padding, a border or a gap")
    if position == "absolute" and not is_root:
        node["absolute"] = insets
    elif position == "static" and "absolute" in json.dumps(element["children"]):
        raise LeftOut("position: static around an absolute item")
    elif position == "relative" and not is_root and any(value not in (0, "0%") for value in insets.values()):
        raise LeftOut("position: relative with insets")
    if any(border):
        # A border is room for the items, but not for absolute ones.
        if "absolute" in json.dumps(element["children"]):
            raise LeftOut("a border around an absolute item")
        padding = [one + other for one, other in zip(padding, border)]
    if any(margin):
        node["margin"] = margin
    if any(padding):
        node["padding"] = padding
    if any(gap):
        node["gap"] = gap
    for axis in starts | ends:
        node[axis] = lines(f"{starts.get(axis, 'auto').strip()} / {ends.get(axis, 'auto').strip()}")
        if position == "absolute":
            raise LeftOut("the lines of an absolute item")
    if "justifySelf" in grid:
        node["justifySelf"] = grid.pop("justifySelf")
    children = [converted(child, False, direction, defaults) for child in element["children"]]
    if "columns" in grid:
        if any(padding) and not all({"top", "bottom"} & child["absolute"].keys() and {"left", "right"} & child["absolute"].keys()
                                    for child in children if "absolute" in child):
            raise LeftOut("an absolute item without insets in a grid with a padding")
        # The settings that stacks have too are called otherwise.
        node = {GRID_NAMES[STACK[key]] if key in STACK else key: value for key, value in node.items()} | grid
        node["children"] = children
    elif children or any(padding):
        node["children"] = children
    else:
        node = {key: value for key, value in node.items() if key not in [*STACK, "gap"]}
    if element["text"]:
        if "children" in node:
            raise LeftOut("text in a grid or beside a padding")
        node["words"] = words(element["text"])
    return node


def yoga(folder, commit):
    cases = []
    for file in sorted(os.listdir(folder)):
        parser = Fixtures()
        with open(f"{folder}/{file}") as text:
            parser.feed(text.read())
        for root in parser.roots:
            source = f"https://github.com/facebook/yoga/blob/{commit}/gentest/fixtures/{file}#{root['id']}"
            try:
                plain = converted(root, True, "leftToRight", YOGA)
                cases.append({"name": root["id"], "source": source, "tree": plain})
                if '"row' in json.dumps(plain) or '"wrap"' in json.dumps(plain) or '"absolute"' in json.dumps(plain):
                    cases.append({"name": f"{root['id']}, right to left", "source": source,
                                  "tree": converted(root, True, "rightToLeft", YOGA)})
            except LeftOut as reason:
                print(f"{file}#{root['id']}: {reason}")
    return cases


def taffy(folder):
    cases = []
    for name in sorted(os.listdir(folder)):
        parser = Fixtures()
        with open(f"{folder}/{name}") as text:
            parser.feed(re.sub(r"(?s).*<body>|</body>.*", "", text.read()))
        try:
            tree = converted(parser.roots[0], True, "leftToRight", TAFFY)
            tree = json.loads(json.dumps(tree).replace('"layoutDirection": "leftToRight", ', ""))
            cases.append({"name": name, "tree": tree})
        except LeftOut as reason:
            print(f"{name}: {reason}")
    return cases
