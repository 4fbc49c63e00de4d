// Shows a chart of ratings over time for the site or for a single object. The chart shows numbers or averages by day,
// week or month.

import {trendChart} from './charts.js';
import {segmented, select} from './controls.js';
import {h, replace} from './dom.js';
import {panel} from './panel.js';
import {categories} from './pieces.js';
import * as words from './words.js';
import {t} from './words.js';

const isSingleDay = ({period, from, to}) => period === 'today' || (from && from === to);

const sixDaysBefore = (day) => new Date(Date.parse(day) - 6 * 86400000).toISOString().slice(0, 10);

// Returns the period shown by a chart. If the chosen period is a single day, the chart also shows the
// six days before, because one point is not a trend.
export function periodOfChart(chosen) {
  if (!isSingleDay(chosen)) return chosen;
  return chosen.period ? {period: '7d'} : {from: sixDaysBefore(chosen.from), to: chosen.to};
}

// Calls "load(interval)" with the interval from the URL hash: day, week or month. If the chart would
// have too many points, the service chooses another interval.
export async function atInterval(context, load) {
  try {
    return await load(context.params.get('interval') || 'auto');
  } catch (error) {
    if (!error.params?.interval) throw error;
    context.update({interval: ''});
    return load('auto');
  }
}

const measures = () => [
  ['count', t('Number')],
  ['average', t('Average')],
];
const kinds = () => [
  ['lines', t('Lines')],
  ['bars', t('Bars')],
];
const intervals = () => [
  ['', t('Automatic')],
  ['day', t('Day')],
  ['week', t('Week')],
  ['month', t('Month')],
];

// Returns the user's choices from the URL hash. The URL hash contains only choices that differ from the defaults.
const chosen = (context) => ({
  measure: context.params.get('measure') === 'average' ? 'average' : 'count',
  kind: context.params.get('chart') === 'bars' ? 'bars' : 'lines',
  of: context.params.get('of') || '',
});

// Returns whether the last week or month of a chart has not ended yet. The chart marks an unfinished
// interval, because its incomplete numbers would otherwise look like a decrease.
function isUnfinished(trends, interval) {
  const start = trends[0]?.points.at(-1)?.date;
  if (!start || interval === 'day') return false;
  const end = new Date(start);
  if (interval === 'week') end.setUTCDate(end.getUTCDate() + 7);
  else end.setUTCMonth(end.getUTCMonth() + 1);
  const today = words.today();
  return start <= today && today < end.toISOString().slice(0, 10);
}

const total = ({points}) => points.reduce((sum, {count}) => sum + count, 0);
export const totalOf = (trends) => trends.reduce((sum, one) => sum + total(one), 0);

// Returns the chart series of all categories that have ratings. If no category has ratings, returns all
// series.
function usedSeries(trends) {
  const used = trends.filter((one) => total(one) > 0);
  const names = words.categoryNames();
  return (used.length ? used : trends).map(({category, points}) => ({key: category, name: names[category], points}));
}

const mostRated = (series) => series.reduce((most, one) => (total(one) > total(most) ? one : most));

// "source" loads the API response that the chart shows (panel.js). "seriesOf(answer)" returns the
// response's "trends" and "interval" members. "period()" returns the chosen period.
export function trendPanel(context, {source, seriesOf, period}) {
  let place, answer;
  const choose = (changes) => {
    context.update(changes);
    if (answer) draw();
  };
  const first = chosen(context);
  const measure = segmented(t('Chart data'), measures(), first.measure, (name) =>
    choose({measure: name === 'count' ? '' : name}),
  );
  const kind = segmented(t('Chart type'), kinds(), first.kind, (name) =>
    choose({chart: name === 'lines' ? '' : name}),
  );
  const names = words.categoryNames();
  const category = select(
    t('Average of'),
    categories.map((name) => [name, names[name]]),
    first.of,
    (of) => choose({of}),
  );
  kind.hidden = first.measure === 'average';
  category.hidden = !kind.hidden;
  const interval = select(t('Interval'), intervals(), context.params.get('interval') || '', (name) => {
    context.update({interval: name});
    source.reload();
  });

  function draw() {
    const {trends, interval: shown} = seriesOf(answer);
    const series = usedSeries(trends);
    const {measure: what, kind: how, of} = chosen(context);
    const isAverage = what === 'average' && series.length > 0;
    kind.hidden = isAverage;
    category.hidden = !isAverage || series.length === 1;
    const one = isAverage && (series.find(({key}) => key === of) || mostRated(series));
    const control = category.querySelector('select');
    for (const option of control.options) option.hidden = !series.some(({key}) => key === option.value);
    if (one) control.value = one.key;
    interval.querySelector('select').value = context.params.get('interval') || '';
    replace(
      place,
      series.length === 0
        ? h('p', {class: 'rd-empty'}, t('No ratings in this period.'))
        : trendChart({
            series: one ? [one] : series,
            kind: isAverage ? 'averages' : how,
            category: one && one.key,
            interval: shown,
            isUnfinished: isUnfinished(trends, shown),
            title: t('Ratings over time'),
          }),
      isSingleDay(period()) && h('p', {class: 'rd-soft rd-note'}, t('The previous six days are shown for comparison.')),
    );
  }
  const render = (given) => {
    answer = given;
    place = h('div', {});
    draw();
    return place;
  };
  const actions = [category, measure, kind, interval];
  return panel(context, {title: t('Ratings over time'), source, height: 306, actions, render});
}
