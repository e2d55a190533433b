// The scene `swarm`: 2,000 rounded rectangles that move and turn.
import QtQuick

Rectangle {
    id: scene
    width: 1920
    height: 1080
    color: "#0B1016"
    property double time: 0
    property url fonts

    readonly property double middle: (caption.y - 24) / 2
    readonly property size radii: Qt.size(1920 * 0.44, (caption.y - 24) * 0.44)
    readonly property var accents: ["#D94CC2FF", "#D93DD6B0", "#D9FFB84D", "#D9FF6B81", "#D9A58BFF"]

    // The place of a rectangle: sunflower seeds on a disc that turns, with waves running outwards.
    function place(index, time) {
        const share = Math.sqrt((index + 0.5) / 2000);
        const angle = index * Math.PI * (3 - Math.sqrt(5)) + time * (0.9 - 0.6 * share);
        const radius = share * (1 + 0.1 * Math.sin(time * 1.3 - share * 9) + 0.06 * Math.sin(3 * angle + time));
        return Qt.point(960 + radii.width * radius * Math.cos(angle), middle + radii.height * radius * Math.sin(angle));
    }

    FontLoader {
        id: regular
        source: scene.fonts + "/Roboto-Regular.ttf"
    }

    Text {
        id: caption
        x: 48
        y: 1080 - 48 - height
        text: "swarm · 2,000 moving layers"
        color: "#98A6B8"
        font.family: regular.font.family
        font.pixelSize: 28
    }

    Repeater {
        model: 2000
        Rectangle {
            required property int index
            readonly property point here: scene.place(index, scene.time)
            readonly property point ahead: scene.place(index, scene.time + 0.01)
            width: 26
            height: 9
            radius: 4.5
            antialiasing: true
            color: scene.accents[index % 5]
            x: here.x - 13
            y: here.y - 4.5
            rotation: Math.atan2(ahead.y - here.y, ahead.x - here.x) * 180 / Math.PI
        }
    }
}
