"""Style trees that are drawn at random."""
import random

from styles import SIDES


class Draw:
    """Trees of stacks."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def chance(self, share):
        return self.random.random() < share

    def number(self, least, most):
        return self.random.randint(least, most)

    def pick(self, values):
        return self.random.choice(values)

    def stack(self, depth, item, parent=None):
        node = dict(item)
        node["direction"] = self.pick(["row", "row", "column", "column", "rowReverse", "columnReverse"])
        for key, values, share in [
            ("wrap", ["wrap", "wrap", "wrapReverse"], 0.35),
            ("justification", ["end", "center", "spaceBetween", "spaceAround", "spaceEvenly"], 0.5),
            ("alignment", ["start", "end", "center"], 0.5),
            ("lineAlignment", ["start", "end", "center", "spaceBetween", "spaceAround", "spaceEvenly"], 0.5),
            ("layoutDirection", ["rightToLeft"], 0.2)]:
            if self.chance(share):
                node[key] = self.pick(values)
        # Left out, see README.md: the least height of several columns, and columns limited by a greatest height.
        if node["direction"].startswith("column") and "wrap" in node:
            node.pop("maxHeight", None)
        if parent and parent["direction"].startswith("column") and node["direction"].startswith("column"):
            node.pop("wrap", None)
        if self.chance(0.35):
            node["gap"] = [self.number(0, 12), self.number(0, 12)]
        if self.chance(0.3):
            node["padding"] = [self.number(0, 9) for _ in range(4)]
        node["children"] = [self.item(node, depth) for _ in range(self.number(1, 5 if depth == 0 else 3))]
        return node

    def item(self, parent, depth):
        item = {}
        if self.chance(0.1):
            return self.absolute()
        if self.chance(0.4):
            item["grow"] = self.pick([0.3, 0.5, 1, 1, 2, 3])
        if self.chance(0.3):
            item["shrink"] = self.pick([0, 0, 0.4, 2, 3])
        if self.chance(0.2):
            item["basis"] = self.pick([0, self.number(5, 90), "content", f"{self.number(10, 60)}%"])
        if self.chance(0.1):
            item["order"] = self.number(-2, 2)
        if self.chance(0.2):
            item["alignSelf"] = self.pick(["start", "end", "center", "stretch"])
        for key in ["width", "height"]:
            if self.chance(0.3):
                item[key] = self.number(15, 110)
            elif self.chance(0.1):
                item[key] = f"{self.number(10, 80)}%"
        for key, share in [("minWidth", 0.12), ("minHeight", 0.12), ("maxWidth", 0.12), ("maxHeight", 0.12)]:
            if self.chance(share):
                item[key] = self.number(18, 70)
        if self.chance(0.2):
            item["margin"] = [self.pick(["auto", self.number(-3, 9), self.number(0, 9)]) for _ in range(4)]
        if depth < 2 and self.chance(0.35):
            return self.stack(depth + 1, item, parent)
        if self.chance(0.1):
            item["aspectRatio"] = self.pick([0.5, 1, 1.5, 2])
        if self.chance(0.3):
            item["words"] = [self.number(1, 7), self.number(5, 20), self.number(5, 15)]
        elif self.chance(0.8):
            item["content"] = [self.number(0, 60), self.number(0, 40)]
        return item

    def absolute(self):
        item = {"absolute": {side: self.pick([self.number(0, 30), f"{self.number(0, 40)}%"])
                             for side in SIDES if self.chance(0.4)}, "content": [self.number(5, 40), self.number(5, 40)]}
        for key in ["width", "height"]:
            if self.chance(0.3):
                item[key] = self.pick([self.number(10, 80), f"{self.number(10, 80)}%"])
        if self.chance(0.2):
            item["margin"] = [self.number(0, 9) for _ in range(4)]
            for side, (first, last, size) in enumerate([("top", "bottom", "height"), ("right", "left", "width")] * 2):
                # Left out, see README.md: margins that share what insets leave.
                if self.chance(0.4) and not (first in item["absolute"] and last in item["absolute"]):
                    item["margin"][side] = "auto"
        return item

    def tree(self):
        size = {}
        if self.chance(0.85):
            size["width"] = self.number(60, 320)
        if self.chance(0.75):
            size["height"] = self.number(40, 280)
        return self.stack(0, size)


class DrawGrids(Draw):
    """Trees of grids and stacks."""

    def tree(self):
        size = {}
        if self.chance(0.8):
            size["width"] = self.number(60, 320)
        if self.chance(0.6):
            size["height"] = self.number(40, 280)
        return self.grid(0, size) if self.chance(0.8) else self.stack(0, size)

    def length(self):
        return f"{self.number(5, 60)}px" if self.chance(0.75) else f"{self.number(5, 50)}%"

    def track(self, is_fixed=False):
        if is_fixed:
            return self.pick([f"{self.number(10, 60)}px", f"minmax({self.number(10, 40)}px, {self.pick(['1fr', 'auto', '50px'])})"])
        intrinsic = ["auto", "min-content", "max-content"]
        return self.pick([
            self.length(), self.length(), "auto", "auto", self.pick(intrinsic), self.fraction(), self.fraction(),
            f"fit-content({self.length()})",
            f"minmax({self.pick([self.length(), '0', *intrinsic])}, {self.pick([self.length(), self.fraction(), *intrinsic])})"])

    def fraction(self):
        return self.pick(["1fr", "1fr", "2fr", "0.5fr", "0.25fr", "0fr", "3fr"])

    def tracks(self, most, repeats=True):
        tracks = [self.track() for _ in range(self.number(0, most))]
        if repeats and self.chance(0.1):
            part = " ".join(self.track(is_fixed=True) for _ in range(self.number(1, 2)))
            # Intrinsic and flexible tracks may not stand beside them in CSS.
            tracks = [f"{self.number(5, 40)}px" for _ in range(self.number(0, 1))]
            tracks.insert(self.number(0, len(tracks)), f"repeat({self.pick(['auto-fill', 'auto-fit'])}, {part})")
        return " ".join(tracks)

    def grid(self, depth, item):
        node = dict(item)
        node["columns"] = self.tracks(4 if depth == 0 else 2)
        if self.chance(0.7):
            node["rows"] = self.tracks(3 if depth == 0 else 2)
        for key in ["autoColumns", "autoRows"]:
            if self.chance(0.2):
                node[key] = self.tracks(2, repeats=False)
        for key, values, share in [
            ("flow", ["column", "rowDense", "columnDense"], 0.4),
            ("justifyItems", ["start", "end", "center"], 0.3),
            ("alignItems", ["start", "end", "center"], 0.3),
            ("justifyContent", ["start", "end", "center", "spaceBetween", "spaceAround", "spaceEvenly"], 0.4),
            ("alignContent", ["start", "end", "center", "spaceBetween", "spaceAround", "spaceEvenly"], 0.4),
            ("layoutDirection", ["rightToLeft"], 0.2)]:
            if self.chance(share):
                node[key] = self.pick(values)
        if self.chance(0.35):
            node["gap"] = [self.number(0, 12), self.number(0, 12)]
        if self.chance(0.3):
            node["padding"] = [self.number(0, 9) for _ in range(4)]
        node["children"] = [self.item(node, depth) for _ in range(self.number(1, 5 if depth == 0 else 3))]
        return {key: value for key, value in node.items() if value != "" or key == "columns"}

    def stack(self, depth, item, parent=None):
        # The cases of stacks in columns are those of Draw.
        node = super().stack(depth, item, parent)
        if node["direction"].startswith("column"):
            node.pop("wrap", None)
        return node

    def placement(self):
        line = self.pick([1, 1, 2, 2, 3, 4, -1, -2, -3, -5])
        return self.pick([
            f"{line}", f"{line}", f"span {self.number(2, 3)}", f"span {self.number(2, 3)}", f"{line} / span {self.number(1, 3)}",
            f"span {self.number(1, 3)} / {line}", f"{line} / {self.pick([1, 2, 3, 4, -1, -2])}"])

    def item(self, parent, depth):
        if self.chance(0.07):
            item = self.absolute()
            if "padding" in parent and "columns" in parent:
                # Left out, see README.md: the place of an item without insets.
                for first, last in [("top", "bottom"), ("left", "right")]:
                    if first not in item["absolute"] and last not in item["absolute"]:
                        item["absolute"][first] = self.number(0, 30)
            return item
        if "columns" not in parent:
            item = super().item(parent, 2)
            if depth < 2 and self.chance(0.5):
                for key in ["aspectRatio", "words", "content"]:
                    item.pop(key, None)
                return item if "absolute" in item else self.grid(depth + 1, item)
            return item
        item = {}
        for key, share in [("column", 0.35), ("row", 0.3)]:
            if self.chance(share):
                item[key] = self.placement()
        for key in ["justifySelf", "alignSelf"]:
            if self.chance(0.2):
                item[key] = self.pick(["start", "end", "center", "stretch"])
        if self.chance(0.1):
            item["order"] = self.number(-2, 2)
        for key in ["width", "height"]:
            if self.chance(0.2):
                item[key] = self.number(15, 110)
            elif self.chance(0.12):
                item[key] = f"{self.number(10, 110)}%"
        for key in ["minWidth", "minHeight", "maxWidth", "maxHeight"]:
            if self.chance(0.1):
                item[key] = self.number(18, 70)
            elif self.chance(0.03):
                item[key] = f"{self.number(10, 110)}%"
        if self.chance(0.2):
            item["margin"] = [self.pick(["auto", self.number(-3, 9), self.number(0, 9)]) for _ in range(4)]
        if depth < 2 and self.chance(0.22):
            return self.grid(depth + 1, item) if self.chance(0.6) else self.stack(depth + 1, item, None)
        if self.chance(0.08):
            item["aspectRatio"] = self.pick([0.5, 1, 1.5, 2])
        if self.chance(0.4):
            item["words"] = [self.number(1, 7), self.number(5, 20), self.number(5, 15)]
        elif self.chance(0.8):
            item["content"] = [self.number(0, 60), self.number(0, 40)]
        return item


def cases(kind, count, seed):
    return [{"name": f"seed {number}", "tree": kind(number).tree()} for number in range(seed, seed + count)]
