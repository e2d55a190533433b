import Framepace
import Metering

/// The page of `framepace profile --html`: one file that loads nothing, and that a browser without a network shows.
///
/// Figures are in the page as JSON, whose strings cannot end the element that they are in; the script sets all text as text.
/// A browser that supports content security policies lets the page load nothing, whatever a name in it says.
enum ProfilePage {
  static func bytes(_ figures: PageFigures) -> [UInt8] {
    let head = """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta http-equiv="Content-Security-Policy" content="\(policy)">
      <title>\(escaped("\(figures.scene): \(figures.verdict)"))</title>
      <link rel="icon" href="data:,">
      <style>
      \(style)
      </style>
      </head>
      <body>
      <main>
      <header>
      <p>\(escaped(figures.subject))</p>
      \(heading(figures.verdict))
      </header>
      \(body)
      </main>
      <script type="application/json" id="data">
      """
    let tail = """
      </script>
      <script>
      \(timelineScript)
      \(controlScript)
      \(script)
      </script>
      </body>
      </html>

      """
    return Array(head.utf8) + figures.json + Array(tail.utf8)
  }

  /// The verdict: whether the work fits as the heading, what follows as a list, as a long heading is hard to read. No line ends between a
  /// figure and its unit.
  private static func heading(_ verdict: String) -> String {
    let units = [" Hz", " ms", " %"]
    let bound = units.reduce(verdict) { $0.replacing($1, with: "\u{a0}" + $1.dropFirst()) }
    let parts = bound.split(separator: "; ").map { escaped(String($0)) }
    let rest = parts.dropFirst().map { "<li>\($0)</li>" }.joined()
    return "<h1>\(parts.first ?? "")</h1>" + (rest.isEmpty ? "" : "\n<ul class=\"verdict\">\(rest)</ul>")
  }

  private static let policy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

  /// Text as it stands in markup.
  private static func escaped(_ text: String) -> String {
    text.withoutControlCharacters.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }

  private static let body = """
    <noscript><p class="note">The figures and the timeline need JavaScript.</p></noscript>
    <dl class="tiles" id="tiles"></dl>

    <section id="timeline-section" aria-labelledby="timeline-title">
    <div class="bar">
    <h2 id="timeline-title">Frames</h2>
    <div class="buttons">
    <button id="previous-late" aria-label="Previous late frame">‹ late</button>
    <button id="next-late" aria-label="Next late frame">late ›</button>
    <button id="zoom-out" aria-label="Zoom out">−</button>
    <button id="zoom-in" aria-label="Zoom in">+</button>
    <button id="whole">Whole run</button>
    </div>
    </div>
    <div class="chart">
    <canvas id="chart" tabindex="0" role="application" aria-describedby="keys"
      aria-label="Timeline: the work of each frame, by phase, against the budget"></canvas>
    <canvas id="cursor" aria-hidden="true"></canvas>
    </div>
    <canvas id="overview" aria-hidden="true"></canvas>
    <p id="range" role="status"></p>
    <ul class="legend" id="legend"></ul>
    <div id="frame" aria-live="polite"></div>
    <details><summary>How to move about</summary><p id="keys">Drag to move, pinch or turn the wheel with <kbd>Ctrl</kbd> to zoom. With the
    keyboard: <kbd>←</kbd> and <kbd>→</kbd> go from frame to frame, with <kbd>Shift</kbd> they move the view; <kbd>+</kbd> and
    <kbd>−</kbd> zoom, <kbd>0</kbd> shows the whole run; <kbd>p</kbd> and <kbd>n</kbd> go to the previous and the next late frame,
    <kbd>Home</kbd> and <kbd>End</kbd> to the first and the last one. Where several frames share a column of pixels, the one with most work
    is drawn.</p></details>
    </section>

    <section id="phase-section" aria-labelledby="phase-title">
    <h2 id="phase-title">Phases</h2>
    <div class="scroll"><table id="phases"></table></div>
    </section>

    <section id="histogram-section" aria-labelledby="histogram-title">
    <h2 id="histogram-title">Work of a frame</h2>
    <div class="histogram" id="histogram" role="img"></div>
    <div class="axis" id="histogram-axis"></div>
    <p class="note" id="histogram-note"></p>
    </section>

    <section id="worst-section" aria-labelledby="worst-title">
    <h2 id="worst-title">Worst frames</h2>
    <ol id="worst"></ol>
    <template id="damage"><svg class="damage" role="img"><rect></rect></svg></template>
    </section>

    <div id="tables"></div>

    <section aria-labelledby="environment-title">
    <h2 id="environment-title">Environment</h2>
    <dl class="facts" id="environment"></dl>
    </section>

    <section aria-labelledby="definitions-title">
    <h2 id="definitions-title">Definitions</h2>
    <dl class="facts" id="definitions"></dl>
    </section>
    """
}
