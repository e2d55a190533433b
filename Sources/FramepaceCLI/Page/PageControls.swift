extension ProfilePage {
  /// The rest of the timeline: how the view moves, by pointer, wheel, fingers, keyboard and buttons.
  static let controlScript = #"""
      function setView(from, length) {
        const size = Math.min(Math.max(length, shortest), whole.to - whole.from);
        const start = Math.min(Math.max(from, whole.from), whole.to - size);
        view = { from: start, to: start + size };
        byId('whole').disabled = size >= whole.to - whole.from;
        request(true);
      }
      function zoom(factor, time) {
        const length = view.to - view.from, size = Math.min(Math.max(length * factor, shortest), whole.to - whole.from);
        setView(time - (time - view.from) * size / length, size);
      }
      const middle = () => {
        const time = at[selected];
        return time >= view.from && time <= view.to ? time : (view.from + view.to) / 2;
      };
      const pan = part => setView(view.from + (view.to - view.from) * part, view.to - view.from);
      function select(index) {
        selected = Math.min(Math.max(index, 0), count - 1);
        hovered = null;
        showFrame(selected);
        const time = at[selected];
        if (time < view.from || time + interval > view.to) setView(time - (view.to - view.from) / 2, view.to - view.from);
        else request(false);
      }
      // Shows a frame with those around it.
      function show(index) {
        const length = Math.min(view.to - view.from, interval * 120);
        setView(at[index] - length / 2, length);
        select(index);
      }
      function nextLate(direction) {
        const found = direction > 0 ? lateFrames.find(index => index > selected) : lateFrames.findLast(index => index < selected);
        if (found !== undefined) show(found);
      }

      function timeAt(event) {
        const box = chart.getBoundingClientRect();
        return view.from + (event.clientX - box.left - margin.left) / plotWidth * (view.to - view.from);
      }
      // The frame under the pointer; among those that share its column the one that is drawn.
      function frameAt(event) {
        const time = timeAt(event);
        if (time < view.from || time > view.to) return null;
        const column = (view.to - view.from) / plotWidth;
        if (interval > column * 1.5) {
          const index = firstFrom(time) - 1;
          return Math.min(Math.max(index, 0), count - 1);
        }
        let best = null;
        for (let index = firstFrom(time - 2 * column); index < count && at[index] <= time + 2 * column; index++) {
          const isBetter = best === null || (causes[index] > 0) > (causes[best] > 0)
            || ((causes[index] > 0) === (causes[best] > 0) && work[index] > work[best]);
          if (isBetter) best = index;
        }
        return best ?? Math.min(firstFrom(time), count - 1);
      }

      const pointers = new Map();
      let moved = 0;
      chart.addEventListener('pointerdown', event => {
        pointers.set(event.pointerId, event);
        moved = 0;
        chart.setPointerCapture(event.pointerId);
      });
      chart.addEventListener('pointermove', event => {
        const last = pointers.get(event.pointerId);
        if (!last) {
          const index = frameAt(event);
          if (index !== hovered) {
            hovered = index;
            showFrame(index ?? selected);
            request(false);
          }
          return;
        }
        const perPixel = (view.to - view.from) / plotWidth;
        if (pointers.size === 1) {
          moved += Math.abs(event.clientX - last.clientX);
          setView(view.from - (event.clientX - last.clientX) * perPixel, view.to - view.from);
        } else {
          moved += 10;
          const other = [...pointers.values()].find(pointer => pointer.pointerId !== event.pointerId);
          const before = Math.abs(last.clientX - other.clientX), after = Math.abs(event.clientX - other.clientX);
          if (before > 8 && after > 8) zoom(before / after, timeAt(other));
        }
        pointers.set(event.pointerId, event);
      });
      const release = event => {
        const wasDown = pointers.delete(event.pointerId);
        if (!wasDown || event.type !== 'pointerup' || moved > 5) return;
        const index = frameAt(event);
        if (index !== null) select(index);
      };
      chart.addEventListener('pointerup', release);
      chart.addEventListener('pointercancel', release);
      chart.addEventListener('pointerleave', () => {
        if (hovered === null) return;
        hovered = null;
        showFrame(selected);
        request(false);
      });
      chart.addEventListener('dblclick', event => zoom(0.5, timeAt(event)));
      chart.addEventListener('wheel', event => {
        if (event.ctrlKey || event.metaKey) {
          event.preventDefault();
          zoom(Math.exp(Math.min(Math.max(event.deltaY, -120), 120) / 300), timeAt(event));
        } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
          event.preventDefault();
          pan((event.deltaX || event.deltaY) / plotWidth);
        }
      }, { passive: false });

      const center = event => {
        if (event.type === 'pointermove' && event.buttons === 0) return;
        const box = overview.getBoundingClientRect();
        const time = whole.from + (event.clientX - box.left) / box.width * (whole.to - whole.from);
        setView(time - (view.to - view.from) / 2, view.to - view.from);
      };
      overview.addEventListener('pointerdown', event => {
        overview.setPointerCapture(event.pointerId);
        center(event);
      });
      overview.addEventListener('pointermove', center);

      const keys = {
        ArrowLeft: event => event.shiftKey ? pan(-0.25) : select(selected - 1),
        ArrowRight: event => event.shiftKey ? pan(0.25) : select(selected + 1),
        Home: () => select(0), End: () => select(count - 1),
        '+': () => zoom(0.5, middle()), '=': () => zoom(0.5, middle()), '-': () => zoom(2, middle()),
        0: () => setView(whole.from, whole.to - whole.from),
        n: () => nextLate(1), p: () => nextLate(-1),
      };
      chart.addEventListener('keydown', event => {
        if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
        event.preventDefault();
        keys[event.key](event);
      });
      byId('zoom-in').addEventListener('click', () => zoom(0.5, middle()));
      byId('zoom-out').addEventListener('click', () => zoom(2, middle()));
      byId('whole').addEventListener('click', () => setView(whole.from, whole.to - whole.from));
      byId('previous-late').addEventListener('click', () => nextLate(-1));
      byId('next-late').addEventListener('click', () => nextLate(1));

      data.phases.forEach((name, index) => {
        const item = make('li', byId('legend'));
        swatch(item, index);
        item.append(name);
      });
      const late = make('li', byId('legend'));
      make('span', late, null, 'swatch late');
      late.append('late; shaded: the time that it was late by');

      if (data.frames.leftOut > 0) {
        const note = `The timeline has the last ${count} of ${count + data.frames.leftOut} frames; all other figures are of all.`;
        byId('legend').after(make('p', null, note, 'note'));
      }

      const refresh = () => {
        scale = Math.min(window.devicePixelRatio || 1, 3);
        overviewImage = null;
        readColours();
        request(true);
      };
      new ResizeObserver(refresh).observe(chart);
      matchMedia('(prefers-color-scheme: dark)').addEventListener('change', refresh);
      refresh();
      setView(whole.from, whole.to - whole.from);
      showFrame(selected);
      return { show };
    }
    """#
}
