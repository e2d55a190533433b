"""Style trees as HTML."""

WORDS = {"start": "flex-start", "end": "flex-end", "none": "nowrap", "spaceBetween": "space-between", "spaceAround": "space-around",
         "spaceEvenly": "space-evenly", "wrapReverse": "wrap-reverse", "rowReverse": "row-reverse",
         "columnReverse": "column-reverse", "leftToRight": "ltr", "rightToLeft": "rtl",
         "rowDense": "row dense", "columnDense": "column dense"}
SIDES = ["top", "right", "bottom", "left"]
GRID = {"columns": "grid-template-columns", "rows": "grid-template-rows", "autoColumns": "grid-auto-columns",
        "autoRows": "grid-auto-rows", "flow": "grid-auto-flow", "layoutDirection": "direction", "justifyItems": "justify-items",
        "alignItems": "align-items", "justifyContent": "justify-content", "alignContent": "align-content"}
CELLS = {"column": "grid-column", "row": "grid-row", "justifySelf": "justify-self", "alignSelf": "align-self"}
STACK = {"direction": "flex-direction", "wrap": "flex-wrap", "justification": "justify-content", "alignment": "align-items",
         "lineAlignment": "align-content", "layoutDirection": "direction"}
LENGTHS = {"width": "width", "height": "height", "minWidth": "min-width", "minHeight": "min-height", "maxWidth": "max-width",
           "maxHeight": "max-height"}
NUMBERS = {"grow": "flex-grow", "shrink": "flex-shrink", "order": "order", "aspectRatio": "aspect-ratio"}


def css(value):
    return f"{value:g}px" if isinstance(value, (int, float)) else WORDS.get(value, value)


def style(node, is_root):
    parts = ["box-sizing:border-box"]
    if "children" in node:
        settings = {"justifyItems": "stretch", "alignItems": "stretch"} | node if "columns" in node else node
        parts.append("display:" + ("grid" if "columns" in node else "flex"))
        names = GRID if "columns" in node else STACK
        parts += [f"{name}:{css(settings[key])}" for key, name in names.items() if settings.get(key)]
        parts += [f"direction:ltr"] if "layoutDirection" not in node else []
        if "gap" in node:
            parts.append(f"column-gap:{css(node['gap'][0])};row-gap:{css(node['gap'][1])}")
        if "padding" in node:
            parts.append("padding:" + " ".join(css(side) for side in node["padding"]))
    parts += [f"{name}:{css(node[key])}" for key, name in LENGTHS.items() if key in node]
    parts += [f"{name}:{node[key]}" for key, name in NUMBERS.items() if key in node]
    if "basis" in node:
        parts.append(f"flex-basis:{css(node['basis'])}")
    parts += [f"{name}:{css(node[key])}" for key, name in CELLS.items() if key in node]
    if "margin" in node:
        parts.append("margin:" + " ".join(css(side) for side in node["margin"]))
    insets = {"top": 0, "left": 0} if is_root else node.get("absolute")
    parts.append("position:" + ("relative" if insets is None else "absolute"))
    parts += [f"{side}:{css(value)}" for side, value in (insets or {}).items()]
    return ";".join(parts)


def page(node, is_root=True):
    inside = "".join(page(child, False) for child in node.get("children", []))
    if "content" in node:
        width, height = node["content"]
        inside = f'<div style="width:{width}px;height:{height}px"></div>'
    if "words" in node:
        count, width, height = node["words"]
        inside = f'<i style="display:inline-block;vertical-align:top;width:{width}px;height:{height}px"></i>' * count
    return f'<div class="node" style="{style(node, is_root)}">{inside}</div>'
