extension ProfilePage {
  /// The timeline: frames as bars on a canvas, stacked by phase against the budget. Where several frames share a column of pixels it
  /// shows the one with most work, and each late frame keeps its mark. `controlScript` ends the function.
  static let timelineScript = #"""
    function makeTimeline() {
      const chart = byId('chart'), cursor = byId('cursor'), overview = byId('overview');
      const count = data.frames.count, interval = data.interval, budget = data.budget;
      const running = values => { let sum = 0; return Float64Array.from(values, value => (sum += value) / 1000); };
      const at = running(data.frames.at);
      let frameNumber = 0;
      const numbers = data.frames.number.map(step => frameNumber += step);
      const due = Float64Array.from(data.frames.due, (value, index) => at[index] + value / 1000);
      const seen = Float64Array.from(data.frames.seen, (value, index) => at[index] + value / 1000);
      const phases = data.frames.phases.map(values => Float64Array.from(values, value => value / 1000));
      const causes = Uint8Array.from(data.frames.cause);
      const work = new Float64Array(count);
      for (const values of phases) for (let index = 0; index < count; index++) work[index] += values[index];
      const lateFrames = [];
      causes.forEach((cause, index) => { if (cause > 0) lateFrames.push(index); });

      const whole = { from: data.frames.leftOut > 0 ? at[0] : Math.min(at[0], 0), to: Math.max(at[count - 1], 0) + interval };
      const shortest = Math.min(Math.max(interval * 4, 1), whole.to - whole.from);
      let view = { ...whole };
      let selected = data.worst.length > 0 && data.worst[0].index !== null ? data.worst[0].index : 0;
      let hovered = null;
      let colours = {};
      const margin = { left: 46, right: 10, top: 22, bottom: 24 };
      let width = 0, height = 0, scale = 1, plotWidth = 1, plotHeight = 1, ceiling = 1;
      let overviewImage = null;

      // The first frame whose tick is at or after a time.
      function firstFrom(time) {
        let low = 0, high = count;
        while (low < high) {
          const middle = (low + high) >> 1;
          if (at[middle] < time) low = middle + 1; else high = middle;
        }
        return low;
      }
      const visible = () => [firstFrom(view.from - interval), firstFrom(view.to)];
      const x = time => margin.left + (time - view.from) / (view.to - view.from) * plotWidth;
      const y = value => margin.top + plotHeight * (1 - value / ceiling);

      // Steps of 1, 2 or 5 times a power of ten.
      function step(length, most) {
        const raw = Math.max(length / most, 1e-9), power = 10 ** Math.floor(Math.log10(raw));
        return power * [1, 2, 5, 10].find(factor => power * factor >= raw * 0.999);
      }
      const decimals = size => Math.max(0, -Math.floor(Math.log10(size) + 1e-9));

      function readColours() {
        const style = getComputedStyle(document.documentElement);
        const get = name => style.getPropertyValue(`--${name}`).trim();
        colours = { ink: get('ink'), soft: get('soft'), line: get('line'), late: get('late'), mark: get('mark'), budget: get('budget'),
          card: get('card'), faint: get('faint'), phases: phases.map((_, index) => get(`phase-${index}`)) };
      }
      function prepare(canvas) {
        const box = canvas.getBoundingClientRect();
        const [columns, rows] = [Math.round(box.width * scale), Math.round(box.height * scale)];
        if (canvas.width !== columns || canvas.height !== rows) [canvas.width, canvas.height] = [columns, rows];
        const context = canvas.getContext('2d');
        context.setTransform(scale, 0, 0, scale, 0, 0);
        context.clearRect(0, 0, box.width, box.height);
        context.font = '12px system-ui, Roboto, sans-serif';
        return [context, box.width, box.height];
      }

      // The frames to draw as [index, left, width]; for columns that several frames share, the one with most work.
      function bars(from, to, left, pixelsPerMillisecond) {
        const [first, last] = [firstFrom(from - interval), firstFrom(to)];
        const size = interval * pixelsPerMillisecond;
        const found = [];
        if (size >= 1.5) {
          const gap = size > 5 ? 1 : 0;
          for (let index = first; index < last; index++) {
            found.push([index, left + (at[index] - from) * pixelsPerMillisecond, Math.max(size - gap, 1)]);
          }
          return found;
        }
        // Not -1, where a frame lies that begins before the view.
        let column = null;
        for (let index = first; index < last; index++) {
          const place = Math.floor((at[index] - from) * pixelsPerMillisecond);
          if (place !== column) {
            found.push([index, left + place, 1]);
            column = place;
          } else if (work[index] > work[found[found.length - 1][0]]) {
            found[found.length - 1][0] = index;
          }
        }
        return found;
      }
      function drawBars(context, list, bottom, perMillisecond, top) {
        const bases = new Float64Array(list.length).fill(bottom);
        phases.forEach((values, phase) => {
          context.fillStyle = colours.phases[phase];
          list.forEach(([index, left, size], place) => {
            const end = Math.max(bases[place] - values[index] * perMillisecond, top);
            if (end < bases[place]) context.fillRect(left, end, size, bases[place] - end);
            bases[place] = end;
          });
        });
      }

      function draw() {
        let context;
        [context, width, height] = prepare(chart);
        plotWidth = Math.max(width - margin.left - margin.right, 1);
        plotHeight = Math.max(height - margin.top - margin.bottom, 1);
        const [first, last] = visible();
        let most = 0;
        for (let index = first; index < last; index++) most = Math.max(most, work[index]);
        // A frame of a second must not press all others into a line.
        ceiling = Math.min(Math.max(most, budget) * 1.08, budget * 4);
        const perMillisecond = plotHeight / ceiling, bottom = margin.top + plotHeight, right = margin.left + plotWidth;

        context.textBaseline = 'middle';
        context.textAlign = 'right';
        const rise = step(ceiling, 4);
        for (let value = 0; value <= ceiling; value += rise) {
          context.fillStyle = colours.line;
          context.fillRect(margin.left, Math.round(y(value)), plotWidth, 1);
          context.fillStyle = colours.soft;
          context.fillText(value.toFixed(decimals(rise)), margin.left - 8, y(value));
        }
        context.textAlign = 'left';
        context.fillText('ms', margin.left - 38, 10);
        context.textBaseline = 'top';
        context.textAlign = 'center';
        const stride = step((view.to - view.from) / 1000, Math.max(plotWidth / 110, 2));
        for (let tick = Math.ceil(view.from / 1000 / stride); tick * stride * 1000 <= view.to; tick++) {
          const place = x(tick * stride * 1000);
          context.fillStyle = colours.line;
          context.fillRect(Math.round(place), bottom, 1, 4);
          context.fillStyle = colours.soft;
          const text = `${(tick * stride).toFixed(decimals(stride))} s`;
          const half = context.measureText(text).width / 2;
          context.fillText(text, Math.min(Math.max(place, margin.left + half), right - half), bottom + 7);
        }

        context.save();
        context.beginPath();
        context.rect(margin.left, 0, plotWidth, bottom);
        context.clip();
        // How long the picture before a late frame stood too long.
        context.fillStyle = colours.late;
        context.globalAlpha = 0.16;
        for (const index of lateFrames) {
          if (seen[index] < view.from || due[index] > view.to) continue;
          context.fillRect(x(due[index]), margin.top, Math.max(x(seen[index]) - x(due[index]), 1), plotHeight);
        }
        context.globalAlpha = 1;
        drawBars(context, bars(view.from, view.to, margin.left, plotWidth / (view.to - view.from)), bottom, perMillisecond, margin.top);
        context.fillStyle = colours.late;
        let marked = -10;
        for (const index of lateFrames) {
          const place = x(at[index] + interval / 2);
          if (place < margin.left || place > right || place - marked < 1) continue;
          marked = place;
          context.beginPath();
          context.moveTo(place - 4.5, 7);
          context.lineTo(place + 4.5, 7);
          context.lineTo(place, 15);
          context.fill();
        }
        context.restore();

        context.strokeStyle = colours.budget;
        context.setLineDash([5, 4]);
        context.beginPath();
        context.moveTo(margin.left, Math.round(y(budget)) + 0.5);
        context.lineTo(right, Math.round(y(budget)) + 0.5);
        context.stroke();
        context.setLineDash([]);
        const label = `budget ${milliseconds(budget)} ms`;
        context.textAlign = 'right';
        context.textBaseline = 'bottom';
        const labelWidth = context.measureText(label).width + 8;
        context.fillStyle = colours.card;
        context.globalAlpha = 0.85;
        context.fillRect(right - labelWidth, y(budget) - 17, labelWidth, 15);
        context.globalAlpha = 1;
        context.fillStyle = colours.ink;
        context.fillText(label, right - 4, y(budget) - 2);

        [chart.dataset.from, chart.dataset.to] = [view.from, view.to];
        drawOverview();
        drawCursor();
      }

      function drawOverview() {
        const [context, columns, rows] = prepare(overview);
        if (!overviewImage) {
          let most = budget;
          for (let index = 0; index < count; index++) most = Math.max(most, Math.min(work[index], budget * 2));
          const perMillisecond = (rows - 10) / most;
          drawBars(context, bars(whole.from, whole.to, 0, columns / (whole.to - whole.from)), rows, perMillisecond, 8);
          context.fillStyle = colours.late;
          for (const index of lateFrames) {
            context.fillRect((at[index] - whole.from) / (whole.to - whole.from) * columns - 1, 1, 2, 5);
          }
          overviewImage = document.createElement('canvas');
          [overviewImage.width, overviewImage.height] = [overview.width, overview.height];
          if (overview.width > 0 && overview.height > 0) overviewImage.getContext('2d').drawImage(overview, 0, 0);
        } else if (overviewImage.width > 0 && overviewImage.height > 0) {
          context.drawImage(overviewImage, 0, 0, columns, rows);
        }
        const place = time => (time - whole.from) / (whole.to - whole.from) * columns;
        const [left, right] = [place(view.from), Math.max(place(view.to), place(view.from) + 3)];
        context.fillStyle = colours.card;
        context.globalAlpha = 0.7;
        context.fillRect(0, 0, left, rows);
        context.fillRect(right, 0, columns - right, rows);
        context.globalAlpha = 1;
        context.strokeStyle = colours.soft;
        context.strokeRect(left + 0.5, 0.5, Math.max(right - left - 1, 2), rows - 1);
      }

      function drawCursor() {
        const [context] = prepare(cursor);
        const mark = (index, isSelected) => {
          const left = x(at[index]), size = Math.max(interval * plotWidth / (view.to - view.from), 1);
          if (left + size < margin.left || left > margin.left + plotWidth) return;
          context.strokeStyle = colours.mark;
          context.globalAlpha = isSelected ? 0.9 : 0.45;
          const space = size < 6 ? 3 : 1;
          context.strokeRect(Math.round(left - space) + 0.5, margin.top - 3.5, Math.round(size + 2 * space) - 1, plotHeight + 3);
        };
        if (hovered !== null && hovered !== selected) mark(hovered, false);
        mark(selected, true);
        context.globalAlpha = 1;
      }

      let waiting = false, needsAll = false, rangeTimer = 0;
      function request(all) {
        needsAll ||= all;
        if (all) {
          clearTimeout(rangeTimer);
          rangeTimer = setTimeout(showRange, 120);
        }
        if (waiting) return;
        waiting = true;
        requestAnimationFrame(() => {
          waiting = false;
          if (needsAll) draw(); else drawCursor();
          needsAll = false;
        });
      }

      function showRange() {
        const first = firstFrom(view.from), last = firstFrom(view.to);
        const works = work.slice(first, last).sort();
        let sum = 0, late = 0;
        for (let index = first; index < last; index++) {
          sum += work[index];
          if (causes[index] > 0) late++;
        }
        const parts = [`${(view.from / 1000).toFixed(3)} to ${(view.to / 1000).toFixed(3)} s`,
          `${works.length} frame${works.length === 1 ? '' : 's'}`, `${late} late`];
        if (works.length > 0) {
          const mean = sum / works.length;
          let squares = 0;
          for (const value of works) squares += (value - mean) ** 2;
          parts.push(`work: mean ${milliseconds(mean)} ms`);
          if (works.length > 1) parts.push(`standard deviation ${milliseconds(Math.sqrt(squares / (works.length - 1)))} ms`);
          parts.push(`largest ${milliseconds(works[works.length - 1])} ms`);
        }
        byId('range').textContent = parts.join(' · ');
      }

      function showFrame(index) {
        const panel = byId('frame');
        chart.dataset.frame = index;
        panel.replaceChildren();
        const title = make('h3', panel, `Frame ${numbers[index]} at ${(at[index] / 1000).toFixed(3)} s: `);
        const lateness = seen[index] - due[index];
        if (causes[index] > 0) make('span', title, `${milliseconds(lateness)} ms late: ${data.causes[causes[index] - 1]}`, 'bad');
        else title.append('in time');
        const columns = make('div', panel, null, 'columns');
        const list = make('div', columns);
        phases.forEach((values, phase) => {
          const row = make('div', list, null, 'phase');
          const name = make('span', row);
          swatch(name, phase);
          name.append(data.phases[phase]);
          make('span', row, `${milliseconds(values[index])} ms`);
          track(row, phase, values[index] / budget);
        });
        const row = make('div', list, null, 'phase');
        make('strong', row, 'all');
        make('strong', row, `${milliseconds(work[index])} ms`);
        track(row, null, work[index] / budget);
        const facts = make('dl', columns);
        for (const column of data.frames.columns) {
          const value = column.values[index];
          make('dt', facts, column.name);
          make('dd', facts, value === null ? '–' : column.unit === 'ms' ? `${milliseconds(value / 1000)} ms` : `${value} ${column.unit}`);
        }
        byId('previous-late').disabled = !lateFrames.some(late => late < index);
        byId('next-late').disabled = !lateFrames.some(late => late > index);
      }
    """#
}
