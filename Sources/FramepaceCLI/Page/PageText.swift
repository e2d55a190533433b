import Metering

/// The page's explanations.
enum PageText {
  static let definitions: [(title: String, text: String)] = [
    (
      "fits",
      "The work fits the budget if its p99 is within it, below 100 frames if the longest is. To spare is what that leaves, rounded down."
    ),
    (
      "budget",
      "The time that a frame may take: from one tick of its link to the next, as it was for most frames, unless --budget says another. That is one refresh interval, or two at half the display's rate; the interval is the one that vblanks have, where the display tells another. Where its rate changed, the verdict judges each frame by the budget of its own that it had at the rate of that moment, to spare is what the p99 of these parts leaves of 100 %, and shares are those of the rate of most frames."
    ),
    (
      "work",
      "The time of a frame in all its phases, the wait for drawings among them. What it waits for between them is not work."
    ),
    (
      "number",
      "Frames have the numbers of the refresh intervals that they belong to, here as in --csv, --trace and --json: those of missed and idle intervals are left out."
    ),
    (
      "late",
      "A frame is late if it is seen more than half a refresh interval after the vblank that link callbacks were promised."
    ),
    (
      "discarded, lost",
      "Frames that are never seen, and in no other figure. Discarded: a newer one took its place before a buffer was free. Lost: the display was away, went, refused it or showed a newer one."
    ),
    ("over budget", "A frame whose work takes longer than the budget, whether it was late or not."),
    (
      "missed intervals",
      "Refresh intervals without a tick although frames were wanted. A worst frame has the number of those before it that no late frame accounts for. Its figure 'without a tick before it' is the time of all that were missed before it, those of a late frame too."
    ),
    ("input", "Telling responders and gesture recognizers of input, and what they do about it."),
    ("callbacks", "Display links, timers, sources and the main queue, from the loop's waking to the commit, without input."),
    ("layout", "Laying out layers."),
    ("display", "Drawing dirty bitmaps on the main thread, or handing drawings to the workers."),
    ("async wait", "Waiting in the commit for drawings of other threads, where the program asked for that."),
    ("animate", "Taking the tree for the time at which the frame will be seen: evaluating the animations that run."),
    ("diff", "Finding the damage."),
    ("composite", "Painting what the buffer lacks."),
    ("present", "Handing the buffer to the display."),
    (
      "cause",
      "Why a frame was late, or why intervals were missed before it. A phase took longer than usual; overdraw: it was composite, and each pixel was painted three times or more; cache misses: it was composite, and half of it went into pictures of effects and shadows that were not kept; async wait: the commit waited for drawings; machine busy: others had the processors; lost vblank: intervals were missed, since the display did not tell of their vblanks; scheduling: the work would have fitted, but was begun or continued too late; commit missed: handed over less than a millisecond before the vblank; prediction: no vblank was where it was predicted; scan-out: handed over in time, and shown whole intervals later; stuffing: ready in time, behind frames that were late; stopped: the process was stopped."
    ),
    (
      "processor, blocked",
      "With a processor: how long the frame's threads ran, added up, from the loop's waking on; what the loop does between the phases is in this, and in none of them, so that it may be a little more than all of them. Ready, without a processor: how long they could have run while others did; before it was begun: from when it was due, and in intervals missed before it. Blocked: how long they waited for a file, a lock or other threads."
    ),
    (
      "pixels",
      "Dirty: those that differ from the frame before and did not only move. Painted: those that the buffer lacked, with two buffers those of two frames. Overdraw: how often a painted pixel was painted."
    ),
    (
      "worst",
      "The frames that kept the picture before them on screen too long, counted in refresh intervals, as they were late, or came after missed intervals for which no late frame accounts; of equal ones those that were late themselves, then those with most work. The picture shows the rectangles in which pixels may differ from the frame before; pixels that only moved, as those of a scrolled list, are not in them. Beside it are the layers whose layout or display took longest, eight at most."
    ),
    ("of budget", "The mean time in a frame, as a part of its budget; the parts of the phases add up to that of all."),
    (
      "percentile",
      "P of N values: linear interpolation at P/100 × (N − 1) of the sorted values; it needs 100/(100 − P) of them, p99 100. Over a whole run values are exact to 1/512."
    ),
    (
      "frame interval",
      "From one frame seen to the next one seen. An interval is over 16.7, 33.3 or 50 ms if it is longer than that by more than a twentieth, so that the scatter of stamps does not count."
    ),
    ("latency", "From the beginning of a frame, when its link callbacks were called, to the vblank that showed it."),
    (
      "input latency",
      "From the arrival of an input event, as the program told it, to the vblank that showed the first frame after it."
    ),
    (
      "animation error",
      "By how much animations moved on more than the time between the two frames that were seen; below zero they fell behind."
    ),
  ]
}
