extension ProfilePage {
  /// Fills the page with its figures. All text is set as text, so that no name becomes markup.
  static let script = #"""
    const data = JSON.parse(document.getElementById('data').textContent);
    const byId = id => document.getElementById(id);
    function make(kind, parent, text, className) {
      const element = document.createElement(kind);
      if (text !== undefined && text !== null) element.textContent = text;
      if (className) element.className = className;
      if (parent) parent.append(element);
      return element;
    }
    const milliseconds = value => value.toFixed(2);
    const phaseColour = index => `var(--phase-${index})`;
    function swatch(parent, index) {
      make('span', parent, null, 'swatch').style.background = phaseColour(index);
    }
    function track(parent, index, part) {
      const bar = make('span', make('div', parent, null, 'track'));
      bar.style.width = `${Math.min(Math.max(part, 0), 1) * 100}%`;
      bar.style.background = index === null ? 'var(--soft)' : phaseColour(index);
      if (part <= 0) bar.style.display = 'none';
    }

    function showTiles() {
      for (const [title, value, unit, isBad] of data.tiles) {
        const tile = make('div', byId('tiles'));
        make('dt', tile, title);
        const figure = make('dd', tile, value, isBad ? 'bad' : '');
        if (unit) make('small', figure, ` ${unit}`);
      }
    }

    function showPhases() {
      const table = byId('phases');
      const head = make('tr', make('thead', table));
      for (const title of data.phaseTable.head) make('th', head, title);
      make('th', head, null, 'text');
      const body = make('tbody', table);
      for (const row of data.phaseTable.rows) {
        const line = make('tr', body, null, row.name === 'all' ? 'total' : '');
        const name = make('td', line);
        if (row.phase !== null) swatch(name, row.phase);
        name.append(row.name);
        for (const cell of row.cells) make('td', line, cell);
        track(make('td', line, null, 'share'), row.phase, row.share);
      }
    }

    function showHistogram() {
      const { start, width, counts, below, above, lines, unit, decimals, budget } = data.histogram;
      const chart = byId('histogram');
      const most = Math.max(...counts, 1);
      const bound = index => (start + width * index).toFixed(decimals);
      counts.forEach((count, index) => {
        const bar = make('span', chart, null, start + width * index >= budget ? 'over' : '');
        bar.style.height = `${count / most * 100}%`;
        if (count > 0) bar.style.minHeight = '2px';
        bar.title = `${bound(index)} to ${bound(index + 1)} ${unit}: ${count} frame${count === 1 ? '' : 's'}`;
      });
      // Labels that would cover each other are joined.
      const places = [];
      for (const [name, value] of lines) {
        const part = (value - start) / (width * counts.length);
        if (part < 0 || part > 1) continue;
        const last = places[places.length - 1];
        if (last && part - last.part < 0.09) last.name += `, ${name}`; else places.push({ part, name });
        const line = make('i', chart, null, part > 0.85 ? 'left' : '');
        line.style.left = `${part * 100}%`;
        if (places[places.length - 1].part === part) places[places.length - 1].label = make('b', line);
      }
      for (const place of places) place.label.textContent = place.name;
      for (const count of most > 1 ? [most, Math.floor(most / 2)] : [most]) {
        const rule = make('em', chart);
        rule.style.bottom = `${count / most * 100}%`;
        make('b', rule, `${count}`);
      }
      byId('histogram-title').after(make('p', null, 'frames', 'note'));
      const axis = byId('histogram-axis');
      make('span', axis, `${bound(0)} ${unit}`);
      make('span', axis, `${bound(counts.length)} ${unit}`);
      const outside = [];
      if (below > 0) outside.push(`${below} below ${bound(0)} ${unit}`);
      if (above > 0) outside.push(`${above} from ${bound(counts.length)} ${unit} on`);
      const frames = counts.reduce((sum, count) => sum + count, below + above);
      chart.setAttribute('aria-label', `The work of ${frames} frames: ${lines.map(([name, value]) =>
        `${name} ${value.toFixed(decimals)} ${unit}`).join(', ')}`);
      const note = outside.length > 0 ? `Outside of the picture: ${outside.join(', ')}.` : '';
      byId('histogram-note').textContent = note;
    }

    function showWorst(select) {
      for (const frame of data.worst) {
        const item = make('li', byId('worst'));
        const title = make('h3', item);
        if (frame.index === null) title.append(`${frame.time} s`);
        else {
          const button = make('button', title, `${frame.time} s`);
          button.setAttribute('aria-label', `Show the frame at ${frame.time} s`);
          button.addEventListener('click', () => select(frame.index));
        }
        const trouble = [];
        if (frame.isLate) trouble.push(`${frame.late} ms late`);
        if (frame.missed > 0) trouble.push(`${frame.missed} interval${frame.missed === 1 ? '' : 's'} missed before it`);
        const isBad = trouble.length > 0;
        make('span', title, isBad ? `${trouble.join(', ')}: ${frame.cause}` : frame.cause, isBad ? 'bad' : '');
        make('p', item, `${frame.work} ms of work, longest ${frame.longest}`, 'note');
        const parts = make('div', item, null, 'parts');
        const picture = make('div', parts);
        if (frame.damage) drawDamage(picture, frame.damage);
        make('p', picture, frame.damage ? frame.damage.text : 'its damage is not kept', 'note');
        const layers = make('dl', parts);
        make('dt', layers, frame.drawn, 'all');
        for (const [name, phase, work, time] of frame.layers) {
          const label = make('dt', layers);
          swatch(label, phase);
          label.append(name);
          label.title = work;
          make('dd', layers, time);
        }
      }
    }

    function drawDamage(parent, damage) {
      const picture = byId('damage').content.firstElementChild.cloneNode(true);
      const shape = picture.firstElementChild;
      picture.setAttribute('viewBox', `0 0 ${damage.width} ${damage.height}`);
      picture.setAttribute('aria-label', damage.text);
      picture.replaceChildren(...damage.rects.map(values => {
        const rect = shape.cloneNode();
        ['x', 'y', 'width', 'height'].forEach((name, index) => rect.setAttribute(name, values[index]));
        return rect;
      }));
      parent.append(picture);
    }

    function showTables() {
      for (const { title, head, rows, notes } of data.tables) {
        const section = make('section', byId('tables'));
        make('h2', section, title);
        const table = make('table', make('div', section, null, 'scroll'));
        const isText = column => rows.some(row => !/^[\d.,]+( %)?$|^–$/.test(row[column]));
        const line = make('tr', make('thead', table));
        head.forEach((name, column) => make('th', line, name, isText(column) ? 'text' : ''));
        const body = make('tbody', table);
        for (const row of rows) {
          const line = make('tr', body);
          row.forEach((cell, column) => make('td', line, cell, isText(column) ? 'text' : ''));
        }
        for (const note of notes) make('p', section, note, 'note');
      }
    }

    function showFacts(id, facts) {
      for (const [title, text] of facts) {
        make('dt', byId(id), title);
        make('dd', byId(id), text);
      }
    }

    showTiles();
    showTables();
    showFacts('environment', data.environment);
    showFacts('definitions', data.definitions);
    if (data.phaseTable) showPhases(); else byId('phase-section').hidden = true;
    if (data.histogram) showHistogram(); else byId('histogram-section').hidden = true;
    if (data.frames.count > 0) {
      const timeline = makeTimeline();
      if (data.worst.length > 0) {
        showWorst(index => {
          timeline.show(index);
          byId('timeline-section').scrollIntoView({ block: 'start' });
        });
      }
    } else {
      byId('timeline-section').hidden = true;
    }
    if (data.worst.length === 0) byId('worst-section').hidden = true;
    """#
}
