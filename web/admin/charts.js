// Draws SVG charts at their displayed size. Each chart has a hidden table with the same numbers.
//
// The chart legend shows the sums over all intervals. To see the numbers for a single interval, users
// point at the interval, or move an invisible slider on the chart with the keyboard. The slider's text
// is read by screen readers.

import {table} from './controls.js';
import {h, replace, svg} from './dom.js';
import {symbol} from './symbols.js';
import {average, compact, month, number, percent, shortDate, t, tn, weekday} from './words.js';

const height = 240;
const bottom = 24; // below the plot, for dates
const side = 44; // beside the plot, for numbers

// Returns the smallest number in the series 1, 2, 5, 10, 20, 50 … that is at least a quarter of "value".
function stepFor(value) {
  const raw = Math.max(value / 4, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= raw);
}

const dateLabel = (interval) => (interval === 'month' ? month : shortDate);
const longLabel = (interval) => (interval === 'month' ? month : weekday);

// Returns the values and the axis for a chart of rating counts. The axis begins at 0.
function countScale({series, kind}) {
  const values = series.map((one) => one.points.map(({count}) => count));
  const stacked = series[0].points.map((_, i) => values.reduce((sum, counts) => sum + counts[i], 0));
  const highest = Math.max(1, ...(kind === 'bars' ? stacked : values.flat()));
  const step = stepFor(highest);
  const said = (k, i) => number(values[k][i]);
  const total = (k) => number(values[k].reduce((sum, n) => sum + n, 0));
  const top = Math.ceil(highest / step) * step;
  return {values, low: 0, top, step, mark: compact, said, total, stacked};
}

// Returns the lowest and the highest possible average, and the smallest distance between the axis marks.
const limits = (category) => ({binary: [0, 1, 0.01], bipolar: [-1, 1, 0.05], scale: [0, 1, 0.01]})[category];

// Returns the values and the axis for a chart of average ratings. Each average is shown with its number
// of ratings. The axis covers only the range of the averages, because changes would hardly be visible on
// an axis that begins at 0.
function averageScale({series, category}) {
  const points = series[0].points;
  const [least, most, finest] = limits(category);
  const known = points.map((point) => point.average).filter((value) => value !== null);
  const lowest = known.length ? Math.min(...known) : least;
  const highest = known.length ? Math.max(...known) : most;
  const step = [1, 2, 5, 10, 20, 50].map((n) => n * finest).find((one) => one * 4 >= highest - lowest);
  // Round the quotient, because 0.3 / 0.1 is less than 3 in floating point.
  const inSteps = (value, round) => round(Number((value / step).toFixed(6)));
  const low = Math.max(least, (inSteps(lowest, Math.floor) - 1) * step);
  const top = Math.min(most, (inSteps(highest, Math.ceil) + 1) * step);
  const withCount = (value, n) =>
    n === 0 ? '–' : `${average(category, value)} · ${tn('{n} rating', '{n} ratings', n)}`;
  const sum = points.reduce((all, point) => all + (point.average ?? 0) * point.count, 0);
  const count = points.reduce((all, point) => all + point.count, 0);
  return {
    values: [points.map((point) => point.average)],
    low,
    top,
    step,
    mark: (value) => average(category, value),
    said: (_, i) => withCount(points[i].average, points[i].count),
    total: () => withCount(sum / count, count),
  };
}

// "series" is [{key, name, points: [{date, count, average}]}]. All series contain the same dates. "kind"
// determines whether the chart shows rating counts as lines, rating counts as bars, or averages as
// lines. A chart of averages has a single series, and "category" is the rating category of that series.
// If "isUnfinished" is true, the last interval has not ended yet, so the chart draws it as a dotted line
// or a pale bar.
export function trendChart({series, kind, interval, title, category, isUnfinished}) {
  const dates = series[0].points.map((first) => first.date);
  const last = dates.length - 1;
  const isBars = kind === 'bars';
  const scale = kind === 'averages' ? averageScale({series, category}) : countScale({series, kind});
  const {values, low, top, step, stacked} = scale;
  const nameOf = (i) => {
    const name = longLabel(interval)(dates[i]);
    return isUnfinished && i === last ? t('{date} (so far)', {date: name}) : name;
  };

  const when = h('span', {});
  const together = h('b', {class: 'rd-number'});
  const shown = series.map(() => h('b', {class: 'rd-number'}));
  const legend = h(
    'div',
    {class: 'rd-legend'},
    series.map((one, i) =>
      h('span', {class: 'rd-key'}, sample(one.key, isBars), symbol(one.key), one.name, ' ', shown[i]),
    ),
    isUnfinished && h('span', {class: 'rd-key'}, sample('open', isBars), t('so far')),
    h('span', {class: 'rd-when'}, when, stacked && series.length > 1 && [' ', together]),
  );
  const picture = svg('svg', {'aria-hidden': 'true', focusable: 'false'});
  const cursor = svg('g', {class: 'rd-cursor'});
  const slider = h('input', {
    type: 'range',
    min: 0,
    max: last,
    step: 1,
    'aria-label': title,
    'data-focus': 'chart',
    value: last,
    oninput: () => point(Number(slider.value)),
    onfocus: () => point(Number(slider.value)),
    onblur: () => point(null),
  });
  const plot = h(
    'div',
    {class: 'rd-plot', onpointermove: follow, onpointerdown: follow, onpointerleave: () => point(null)},
    picture,
    slider,
  );
  let geometry;

  const textOf = (i) =>
    `${nameOf(i)}: ${series.map((one, k) => `${one.name} ${scale.said(k, i)}`).join(', ')}`;

  function point(i) {
    when.textContent = i === null ? t('Total') : nameOf(i);
    if (stacked) together.textContent = number(i === null ? stacked.reduce((sum, n) => sum + n, 0) : stacked[i]);
    shown.forEach((element, k) => (element.textContent = i === null ? scale.total(k) : scale.said(k, i)));
    slider.setAttribute('aria-valuetext', textOf(i ?? Number(slider.value)));
    if (!geometry) return;
    const {x, y} = geometry;
    replace(
      cursor,
      i !== null && svg('line', {x1: x(i), x2: x(i), y1: 0, y2: height - bottom}),
      i !== null &&
        !isBars &&
        series.map((one, k) => values[k][i] !== null && dot(one, x(i), y(values[k][i]))),
    );
  }

  function follow(event) {
    const at = (event.clientX - plot.getBoundingClientRect().left - geometry.left) / geometry.width;
    const share = geometry.isMirrored ? 1 - at : at;
    const i = isBars ? Math.floor(share * dates.length) : Math.round(share * last);
    point(Math.min(last, Math.max(0, i)));
  }

  function measure(full) {
    const isMirrored = getComputedStyle(plot).direction === 'rtl';
    const width = full - side - 8;
    const left = isMirrored ? 8 : side;
    const share = (i) => (isBars ? (i + 0.5) / dates.length : last ? i / last : 0.5);
    const x = (i) => left + width * (isMirrored ? 1 - share(i) : share(i));
    const y = (n) => 6 + (height - bottom - 6) * (1 - (n - low) / (top - low));
    return {full, width, left, isMirrored, x, y};
  }

  function grid({full, left, width, isMirrored, y}) {
    const lines = [];
    for (let i = 0; low + i * step <= top + step / 2; ++i) {
      const n = low + i * step;
      lines.push(
        svg('line', {class: 'rd-grid', x1: left, x2: left + width, y1: y(n), y2: y(n)}),
        svg(
          'text',
          {
            x: isMirrored ? full - side + 8 : side - 8,
            y: y(n) + 4,
            'text-anchor': isMirrored ? 'start' : 'end',
          },
          scale.mark(n),
        ),
      );
    }
    return lines;
  }

  function axis({x, width}) {
    const every = Math.max(1, Math.ceil(dates.length / Math.max(1, Math.floor(width / 84))));
    const write = dateLabel(interval);
    return dates
      .map((text, i) => [text, i])
      .filter(([, i]) => (last - i) % every === 0)
      .map(([text, i]) => {
        const isEdge = i === last && !isBars && last > 0;
        const anchor = isEdge ? (geometry.isMirrored ? 'start' : 'end') : 'middle';
        return svg('text', {x: x(i), y: height - 6, 'text-anchor': anchor}, write(text));
      });
  }

  const dot = (one, cx, cy) => svg('circle', {class: 'rd-' + one.key, cx, cy, r: 4});

  // If an interval has no ratings, the line has a gap. A point between two gaps is drawn as a dot.
  function line(one, numbers, {x, y}) {
    const isThere = (i) => numbers[i] !== null && numbers[i] !== undefined;
    const pathOf = (some) => {
      const isIn = (i) => some(i) && isThere(i);
      return numbers
        .map((n, i) => isIn(i) && `${isIn(i - 1) ? 'L' : 'M'}${x(i).toFixed(1)} ${y(n).toFixed(1)}`)
        .filter(Boolean)
        .join('');
    };
    const part = (some, more = '') => svg('path', {class: `rd-line rd-${one.key}${more}`, d: pathOf(some)});
    const alone = numbers
      .map((n, i) => isThere(i) && !isThere(i - 1) && !isThere(i + 1) && dot(one, x(i), y(n)))
      .filter(Boolean);
    if (!isUnfinished) return [part(() => true), alone];
    return [part((i) => i < last), part((i) => i >= last - 1, ' rd-open'), alone];
  }

  const marks = {
    lines: (place) => series.map((one, k) => line(one, values[k], place)),
    bars: ({x, y, width}) => {
      const thick = Math.max(1, Math.min(48, (width / dates.length) * 0.72));
      return dates.map((_, at) => {
        let below = 0;
        return series.map((one, k) => {
          const from = below;
          below += values[k][at];
          const tall = y(from) - y(below);
          return (
            tall > 0 &&
            svg('rect', {
              class: `rd-${one.key}${isUnfinished && at === last ? ' rd-open' : ''}`,
              x: x(at) - thick / 2,
              y: y(below),
              width: thick,
              height: tall,
            })
          );
        });
      });
    },
  };

  function draw(full) {
    geometry = measure(full);
    picture.setAttribute('viewBox', `0 0 ${full} ${height}`);
    replace(picture, grid(geometry), axis(geometry), cursor, marks[isBars ? 'bars' : 'lines'](geometry));
    point(null);
  }
  new ResizeObserver(
    ([entry]) => entry.contentRect.width && draw(Math.round(entry.contentRect.width)),
  ).observe(plot);
  point(null);
  return h(
    'div',
    {class: 'rd-chart'},
    legend,
    plot,
    asTable(() => trendTable(series, nameOf, title)),
  );
}

// Returns a small picture of a series' line or bar for the legend.
const sample = (key, isBars) =>
  svg(
    'svg',
    {class: 'rd-sample', viewBox: '0 0 22 12', 'aria-hidden': 'true', focusable: 'false'},
    isBars
      ? svg('rect', {class: 'rd-' + key, x: 5, width: 12, height: 12})
      : svg('path', {class: 'rd-line rd-' + key, d: 'M0 6H22'}),
  );

// Returns a collapsed table. The table is built only when the reader opens it.
function asTable(build) {
  const place = h('div', {class: 'rd-scroll'});
  const details = h(
    'details',
    {ontoggle: () => details.open && !place.firstChild && place.append(build())},
    h('summary', {'data-focus': 'as-table'}, t('Show as table')),
    place,
  );
  return details;
}

function trendTable(series, nameOf, title) {
  const rows = series[0].points.map((point, i) => ({
    date: nameOf(i),
    of: series.map((one) => one.points[i]),
  }));
  return table({
    caption: title,
    columns: [
      {title: t('Date'), header: true, cell: (row) => row.date},
      ...series.flatMap((one, k) => [
        {title: one.name, kind: 'number', cell: (row) => number(row.of[k].count)},
        {
          title: t('Average: {kind}', {kind: one.name}),
          kind: 'number',
          cell: (row) => average(one.key, row.of[k].average),
        },
      ]),
    ],
    rows,
  });
}

// --- Distributions of ratings -------------------------------------------------------------------------

// Returns a table that shows how many voters chose each value, with bars in its cells. "rows" is [{label, count,
// tone}].
export function spread(caption, key, rows) {
  const sum = rows.reduce((all, row) => all + row.count, 0);
  const most = Math.max(1, ...rows.map((row) => row.count));
  const bar = (row) =>
    h('div', {
      class: `rd-bar rd-${key} ${row.tone || ''}`,
      hidden: row.count === 0,
      style: {'inline-size': (100 * row.count) / most + '%'},
    });
  return h(
    'table',
    {class: 'rd-spread'},
    h('caption', {class: 'screen-reader-text'}, caption),
    h(
      'thead',
      {class: 'screen-reader-text'},
      h(
        'tr',
        {},
        [t('Value'), t('Share'), t('Ratings')].map((text) => h('th', {scope: 'col'}, text)),
      ),
    ),
    h(
      'tbody',
      {},
      rows.map((row) =>
        h(
          'tr',
          {},
          h('th', {scope: 'row'}, row.label),
          h(
            'td',
            {class: 'rd-bar-cell'},
            bar(row),
            h('span', {class: 'screen-reader-text'}, percent(sum ? row.count / sum : 0, 1)),
          ),
          h('td', {class: 'rd-number', title: percent(sum ? row.count / sum : 0, 1)}, number(row.count)),
        ),
      ),
    ),
  );
}

// Converts the API's eleven bins, for the values 0, 0.1 … 1, to the number of ratings for each step of a
// scale with "count" steps, such as five stars. As in the widgets (web/widget/show.js), half steps are
// rounded up, and the value 0 counts as the first step (docs/widgets.md, "Templates").
function steps(bins, count) {
  const sums = Array(count).fill(0);
  const half = (count < 7) / 5;
  bins.forEach((n, tenth) => (sums[Math.max(1, Math.round((tenth * count) / 10 + half)) - 1] += n));
  return sums;
}

// Converts a category's "stats" from the API to rows for spread().
export const spreadRows = (category, stats, maximum) =>
  ({
    binary: () => [
      {label: t('Like'), count: stats.positive},
      {label: t('Dislike'), count: stats.negative, tone: 'rd-faint'},
    ],
    bipolar: () => [
      {label: t('Up'), count: stats.positive},
      {label: t('Neutral'), count: stats.neutral, tone: 'rd-faint'},
      {label: t('Down'), count: stats.negative, tone: 'rd-faint'},
    ],
    scale: () => steps(stats.distribution, Math.min(maximum, 10))
      .map((count, index, all) => ({label: number(((index + 1) * maximum) / all.length), count}))
      .reverse(),
  })[category]();
