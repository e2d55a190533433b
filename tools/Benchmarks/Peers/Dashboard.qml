// The scene `dashboard` in 1920×1080: four gauges and a chart above 21 values, all of which change in every frame.
import QtQuick
import QtQuick.Shapes

Rectangle {
    id: scene
    width: 1920
    height: 1080
    color: "#0B1016"
    property double time: 0
    property url fonts

    readonly property color panel: "#202B39"
    readonly property color line: "#3A4859"
    readonly property color dim: "#98A6B8"
    readonly property color bright: "#EEF3F9"
    readonly property color sky: "#4CC2FF"
    readonly property color amber: "#FFB84D"
    readonly property color rose: "#FF6B81"

    readonly property var dials: [
        { name: "Load", unit: "%", limit: 100, digits: 0 },
        { name: "Pressure", unit: "bar", limit: 10, digits: 1 },
        { name: "Flow", unit: "l/min", limit: 240, digits: 0 },
        { name: "Boiler", unit: "°C", limit: 120, digits: 0 }
    ]
    readonly property var measures: [
        { name: "Pump", unit: "rpm", limit: 3000, digits: 0 },
        { name: "Tank", unit: "%", limit: 100, digits: 0 },
        { name: "Motor", unit: "°C", limit: 110, digits: 1 },
        { name: "Valve", unit: "bar", limit: 10, digits: 2 },
        { name: "Drive", unit: "A", limit: 40, digits: 1 },
        { name: "Bearing", unit: "mm/s", limit: 9, digits: 2 },
        { name: "Duct", unit: "m³/h", limit: 800, digits: 0 }
    ]

    function dialValue(index) { return 0.55 + 0.3 * Math.sin(time * (0.5 + 0.13 * index) + index * 1.7); }
    function cardValue(index) {
        const phase = index * 37 % 100;
        return 0.5 + (0.12 + index * 7 % 11 / 40) * Math.sin(time * (0.15 + index * 13 % 17 / 40) + phase)
            + 0.06 * Math.sin(time * 1.9 + phase);
    }
    function stateColor(value) { return value >= 0.9 ? rose : value >= 0.8 ? amber : sky; }
    function textColor(value) { return value >= 0.8 ? stateColor(value) : bright; }
    readonly property var values: {
        const all = [];
        for (let index = 0; index < 4; index++) all.push(dialValue(index));
        for (let index = 0; index < 21; index++) all.push(cardValue(index));
        return all;
    }
    readonly property int alarms: values.filter(value => value >= 0.9).length
    readonly property int warnings: values.filter(value => value >= 0.8 && value < 0.9).length
    function count(number, name) { return number === 0 ? [] : [number + " " + name + (number === 1 ? "" : "s")]; }

    FontLoader { id: regular; source: scene.fonts + "/Roboto-Regular.ttf" }
    FontLoader { id: medium; source: scene.fonts + "/Roboto-Medium.ttf" }
    FontLoader { id: bold; source: scene.fonts + "/Roboto-Bold.ttf" }

    component Words: Text {
        property real size: 24
        color: scene.dim
        font.family: regular.font.family
        font.weight: regular.font.weight
        font.pixelSize: size
    }
    component Digits: Text {
        color: scene.bright
        font.family: medium.font.family
        font.weight: medium.font.weight
    }

    component Arc: ShapePath {
        id: path
        property real radius: 0
        property real middle: 0
        property real from: 0
        property real to: 1
        fillColor: "transparent"
        PathAngleArc {
            centerX: path.middle
            centerY: path.middle
            radiusX: path.radius
            radiusY: path.radius
            startAngle: 135 + 270 * path.from
            sweepAngle: 270 * (path.to - path.from)
        }
    }

    Text {
        x: 28
        y: 14 + (72 - height) / 2
        text: "Plant 7"
        color: scene.bright
        font.family: bold.font.family
        font.weight: bold.font.weight
        font.pixelSize: 40
    }
    Digits {
        x: 1892 - width
        y: 14 + (72 - height) / 2
        font.pixelSize: 28
        text: scene.alarms + scene.warnings === 0 ? "all values normal"
            : scene.count(scene.alarms, "alarm").concat(scene.count(scene.warnings, "warning")).join("  ·  ")
        color: scene.alarms > 0 ? scene.rose : scene.warnings > 0 ? scene.amber : scene.sky
    }

    Repeater {
        model: 4
        Rectangle {
            id: gauge
            required property int index
            readonly property var measure: scene.dials[index]
            readonly property real value: scene.values[index]
            readonly property real reach: Math.min(width * 0.38, (height - title.y - title.height - 24) / 2.36)
            readonly property point middle: Qt.point(width / 2, (title.y + title.height + height) / 2 - 0.1 * reach)
            x: 28 + index * 292.92
            y: 86
            width: 276.92
            height: 425.04
            radius: 12
            color: scene.panel
            Words { id: title; x: 20; y: 14; size: 28; text: gauge.measure.name }
            Shape {
                x: gauge.middle.x - gauge.reach * 1.25
                y: gauge.middle.y - gauge.reach * 1.25
                width: gauge.reach * 2.5
                height: gauge.reach * 2.5
                Arc {
                    middle: gauge.reach * 1.25; radius: gauge.reach; capStyle: ShapePath.RoundCap
                    strokeWidth: gauge.reach * 0.15; strokeColor: scene.line
                }
                Arc {
                    middle: gauge.reach * 1.25; radius: gauge.reach * 1.14; from: 0.8; to: 0.9; capStyle: ShapePath.FlatCap
                    strokeWidth: gauge.reach * 0.045; strokeColor: scene.amber
                }
                Arc {
                    middle: gauge.reach * 1.25; radius: gauge.reach * 1.14; from: 0.9; capStyle: ShapePath.FlatCap
                    strokeWidth: gauge.reach * 0.045; strokeColor: scene.rose
                }
                Arc {
                    middle: gauge.reach * 1.25; radius: gauge.reach; to: gauge.value; capStyle: ShapePath.RoundCap
                    strokeWidth: gauge.reach * 0.15; strokeColor: scene.stateColor(gauge.value)
                }
            }
            Rectangle {
                x: gauge.middle.x
                y: gauge.middle.y - 3
                width: gauge.reach * 0.78
                height: 6
                radius: 3
                antialiasing: true
                transformOrigin: Item.Left
                rotation: 135 + 270 * gauge.value
                color: scene.bright
            }
            Rectangle { x: gauge.middle.x - 10; y: gauge.middle.y - 10; width: 20; height: 20; radius: 10; color: scene.bright }
            Digits {
                id: number
                x: (gauge.width - width) / 2
                y: gauge.middle.y + gauge.reach * 0.42
                font.pixelSize: 52
                text: (gauge.value * gauge.measure.limit).toFixed(gauge.measure.digits)
                color: scene.textColor(gauge.value)
            }
            Words {
                x: (gauge.width - width) / 2
                y: number.y + number.height - 0.1 * height
                size: 26
                text: gauge.measure.unit
            }
        }
    }

    Rectangle {
        id: history
        readonly property var names: ["supply", "return", "outside"]
        readonly property var colors: ["#3DD6B0", "#A58BFF", "#98A6B8"]
        readonly property int step: Math.floor(scene.time * 10)
        function degrees(curve, time) {
            const shifted = time + curve * 40;
            return [71, 48, 18][curve] + 6 * Math.sin(shifted * 0.21) + 3 * Math.sin(shifted * 0.53 + 1) + Math.sin(shifted * 1.3);
        }
        function points(curve) {
            const all = [];
            for (let point = 0; point <= 120; point++) {
                const time = step / 10 - 60 * (120 - point) / 120;
                all.push(Qt.point(chart.width * point / 120, chart.height * (1 - degrees(curve, time) / 90)));
            }
            return all;
        }
        x: 1199.68
        y: 86
        width: 692.32
        height: 425.04
        radius: 12
        color: scene.panel
        Words { id: heading; x: 20; y: 14; size: 28; text: "Temperature" }
        Row {
            spacing: 24
            x: history.width - 20 - width
            y: heading.y + (heading.height - height) / 2
            Repeater {
                model: 3
                Words { required property int index; text: history.names[index]; color: history.colors[index] }
            }
        }
        Item {
            id: chart
            x: 34 + top.width
            y: heading.y + heading.height + 28
            width: history.width - x - 28
            height: history.height - 20 - top.height - y
            Repeater {
                model: 4
                Rectangle {
                    required property int index
                    y: Math.round((chart.height - 1) * index / 3)
                    width: chart.width
                    height: 1
                    color: scene.line
                }
            }
            Shape {
                anchors.fill: parent
                ShapePath {
                    strokeWidth: 3; strokeColor: history.colors[0]; fillColor: "transparent"; joinStyle: ShapePath.RoundJoin
                    PathPolyline { path: history.points(0) }
                }
                ShapePath {
                    strokeWidth: 3; strokeColor: history.colors[1]; fillColor: "transparent"; joinStyle: ShapePath.RoundJoin
                    PathPolyline { path: history.points(1) }
                }
                ShapePath {
                    strokeWidth: 3; strokeColor: history.colors[2]; fillColor: "transparent"; joinStyle: ShapePath.RoundJoin
                    PathPolyline { path: history.points(2) }
                }
            }
        }
        Words { id: top; x: chart.x - 14 - width; y: chart.y - height / 2; text: "90 °C" }
        Words { x: chart.x - 14 - width; y: chart.y + chart.height / 3 - height / 2; text: "60" }
        Words { x: chart.x - 14 - width; y: chart.y + chart.height * 2 / 3 - height / 2; text: "30" }
        Words { x: chart.x - 14 - width; y: chart.y + chart.height - height / 2; text: "0" }
        Words { x: chart.x; y: chart.y + chart.height + 6; text: "1 min ago" }
        Words { x: chart.x + (chart.width - width) / 2; y: chart.y + chart.height + 6; text: "30 s" }
        Words { x: chart.x + chart.width - width; y: chart.y + chart.height + 6; text: "now" }
    }

    Repeater {
        model: 21
        Rectangle {
            id: card
            required property int index
            readonly property var measure: scene.measures[index % 7]
            readonly property real value: scene.values[index + 4]
            readonly property real track: width - 32
            readonly property real barTop: height - 24
            x: 28 + index % 7 * 1880 / 7
            y: 527.04 + Math.floor(index / 7) * 180.32
            width: 1880 / 7 - 16
            height: 164.32
            radius: 10
            color: scene.panel
            Words { id: name; x: 16; y: 10; size: 26; text: card.measure.name + " " + (Math.floor(card.index / 7) + 1) }
            Digits {
                id: figure
                x: 16 + card.track - dimension.width - 8 - width
                y: (name.y + name.height + card.barTop - height) / 2
                font.pixelSize: 50
                text: (card.value * card.measure.limit).toFixed(card.measure.digits)
                color: scene.textColor(card.value)
            }
            Words {
                id: dimension
                x: card.width - 16 - width
                y: figure.y + (figure.height - height) * 0.79
                text: card.measure.unit
            }
            Rectangle { x: 16; y: card.barTop; width: card.track; height: 8; radius: 4; color: scene.line }
            Rectangle {
                x: 16; y: card.barTop; width: Math.max(card.track * card.value, 8); height: 8; radius: 4
                color: scene.stateColor(card.value)
            }
            Rectangle { x: 16 + card.track * 0.8; y: card.barTop - 4; width: 2; height: 16; color: scene.dim }
        }
    }
}
