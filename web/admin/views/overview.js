// Shows figures, the trend, the distribution of ratings, the most rated posts, the newest ratings, and reasons for low
// ratings. The newest ratings and the reasons are not requested until the panel for the newest ratings
// becomes visible.

import {spread, spreadRows} from '../charts.js';
import {emptyState, select, table} from '../controls.js';
import {h, replace} from '../dom.js';
import {panel, source, whenVisible} from '../panel.js';
import {periodOf, periodPicker, rangeText} from '../period.js';
import {
  averagesCell,
  blankFigures,
  categories,
  changeText,
  figures,
  objectCell,
  ratingsTable,
  statFigures,
} from '../pieces.js';
import {symbol} from '../symbols.js';
import {atInterval, periodOfChart, trendPanel} from '../trend_panel.js';
import * as words from '../words.js';
import {dateRange, number, t, tn} from '../words.js';

function siteFigures({data}) {
  const {change, today} = data;
  const before = change && dateRange(change.from, change.to);
  return figures(
    [
      {
        name: t('Ratings'),
        value: number(data.total_ratings),
        note: [
          change && h('span', {title: before}, changeText(change.total_ratings, change.previous_total_ratings)),
          words.facetNames().length > 0 && [h('br'), t('including criteria and reactions')],
        ],
      },
      {name: t('Rated items'), value: number(data.rated_objects.total), note: typesText(data.rated_objects)},
      {
        name: t('Active voters'),
        value: number(data.active_voters || 0),
        note: t('including voters who removed a rating'),
      },
      {
        name: t('Today'),
        value: number(today.total_ratings),
        note: tn('{n} active voter', '{n} active voters', today.active_voters || 0),
      },
    ],
    statFigures(data.stats, change),
  );
}

function typesText({by_type: types}) {
  const most = Object.entries(types).sort((a, b) => b[1] - a[1]);
  return most
    .slice(0, 2)
    .map(([type, count]) => `${words.typeName(type)} ${number(count)}`)
    .join(', ');
}

const spreads = ({data}) =>
  h(
    'div',
    {class: 'rd-spreads'},
    categories
      .filter((category) => data.stats[category].total > 0)
      .map((category) => {
        const label = words.categoryNames()[category];
        return h(
          'div',
          {},
          h(
            'h4',
            {},
            symbol(category),
            label,
            ' ',
            h('span', {class: 'rd-soft rd-number'}, number(data.stats[category].total)),
          ),
          spread(label, category, spreadRows(category, data.stats[category], words.getScaleMaximum())),
        );
      }),
  );

const noStats = {total: 1, positive: 0, neutral: 0, negative: 0, distribution: Array(11).fill(0)};
const blankSpreads = () =>
  spreads({data: {stats: Object.fromEntries(categories.map((category) => [category, noStats]))}});

const topPosts = ({data}) =>
  data.length === 0
    ? emptyState(t('No post was rated in this period.'))
    : table({
        caption: t('Most rated posts'),
        columns: [
          {title: t('Title'), header: true, cell: objectCell},
          {title: t('Ratings'), kind: 'number', cell: (row) => number(row.total)},
          {
            title: t('Change'),
            kind: 'number',
            cell: (row) => (row.change === null ? '–' : words.signed(row.change)),
          },
          {title: t('Averages'), kind: 'number', cell: averagesCell},
        ],
        rows: data,
      });

// Explains how to get a site's first vote. Outside wp-admin, the explanation contains no links.
const firstSteps = ({placement, isPlaced, post}) =>
  h(
    'ol',
    {class: 'rd-steps'},
    h(
      'li',
      {},
      placement && h('a', {href: placement}, t('Choose where ratings appear')),
      isPlaced && [' ', h('span', {class: 'rd-up'}, t('Done'))],
      placement && h('br', {}),
      t('To add a rating to a single post, use the “Rating” block or the {shortcode} shortcode.', {
        shortcode: '[ratingd]',
      }),
    ),
    post && h('li', {}, h('a', {href: post}, t('View your newest post'))),
    h('li', {}, t('Rate the post, then return to this page to see your rating.')),
  );

// Lists the rating plugins whose votes can be imported.
async function showPlugins({api, rights, signal}, place) {
  if (!rights.has('administer')) return;
  const {data} = await api.get('/data/plugins', {}, signal).catch(() => ({data: []}));
  if (data.length === 0) return;
  const names = data.map((plugin) => plugin.title).join(', ');
  const link = h('a', {href: '#/transfer'}, t('Import its votes'));
  replace(place, t('Rating plugins found on this site: {names}.', {names}), ' ', link);
}

function emptySite(context) {
  const plugins = h('p', {role: 'status'});
  showPlugins(context, plugins);
  return h(
    'div',
    {class: 'rd-empty'},
    h('p', {class: 'rd-empty-title'}, t('No ratings yet.')),
    firstSteps(context.steps || {}),
    plugins,
  );
}

const emptyPeriod = () =>
  emptyState(t('No ratings in this period.'), h('a', {href: '#/overview?period=all'}, t('Show all time')));

// --- Panels -------------------------------------------------------------------------------------------

function spreadPanel(context, stats, redraw) {
  const choice = select(
    t('Rating scale'),
    words.scaleMaximums.map((n) => [String(n), number(n)]),
    String(words.getScaleMaximum()),
    (n) => {
      words.setScaleMaximum(Number(n));
      redraw();
    },
  );
  return panel(context, {
    title: t('Rating distribution'),
    source: stats,
    blank: blankSpreads,
    actions: choice,
    render: spreads,
  });
}

const listPanel = (context, heading, from, render) =>
  panel(context, {title: heading, source: from, height: 392, className: 'rd-list', render});

// --- The overview view --------------------------------------------------------------------------------

export const name = 'overview';
export const title = () => t('Overview');
export const right = 'analytics';

export function show(context) {
  const load = (path, more) =>
    source(context, (signal) =>
      context.api.get('/analytics/' + path, {...periodOf(context), ...more?.()}, signal),
    );
  const stats = load('stats');
  const trend = source(context, (signal) =>
    atInterval(context, (interval) =>
      context.api.get('/analytics/trends-by-category', {...periodOfChart(periodOf(context)), interval}, signal),
    ),
  );
  const top = load('top-posts-overview');
  const recent = load('recent', () => ({per_page: 10}));
  const reasons = load('recent', () => ({per_page: 50, with_reason: true}));
  const later = context.rights.has('see_persons') ? [recent, reasons] : [recent];
  const all = [stats, trend, top, ...later];

  // If the period has no ratings, checks whether the site has any ratings.
  const ever = source(context, (signal) => context.api.get('/analytics/stats', {period: 'all'}, signal));
  const none = panel(context, {
    source: ever,
    className: 'rd-card',
    render: ({data}) => (data.total_ratings === 0 ? emptySite(context) : emptyPeriod()),
  });
  const empty = h('div', {hidden: true}, none); // the panel shows and hides this element
  const range = h('span', {class: 'rd-soft'}, '\u00a0');
  const newest = listPanel(context, t('Latest ratings'), recent, ({data}) =>
    ratingsTable(t('Latest ratings'), data, {voters: context.rights.has('see_persons'), counted: true}),
  );
  const whys = h('div', {hidden: true});
  const renderReasons = ({data}) => {
    whys.hidden = data.length === 0;
    return ratingsTable(t('Reasons for low ratings'), data, {voters: true});
  };
  whys.append(listPanel(context, t('Reasons for low ratings'), reasons, renderReasons));
  const details = [
    h(
      'div',
      {class: 'rd-root rd-trend'},
      trendPanel(context, {
        source: trend,
        seriesOf: ({data, meta}) => ({trends: data, interval: meta.interval}),
        period: () => periodOf(context),
      }),
      spreadPanel(context, stats, () => all.forEach((one) => one.redraw())),
    ),
    h(
      'div',
      {class: 'rd-columns rd-lists'},
      listPanel(context, t('Most rated posts'), top, topPosts),
      newest,
    ),
  ];
  const withReasons = h('div', {}, whys); // the panel hides this element, too
  const renderFigures = (answer) => {
    words.setTimeZone(answer.meta.timezone);
    range.textContent = rangeText(answer.meta);
    const isEmpty = answer.data.total_ratings === 0;
    [...details, withReasons].forEach((element) => (element.hidden = isEmpty));
    empty.hidden = !isEmpty;
    if (isEmpty) ever.reload();
    return siteFigures(answer);
  };
  const wasAsked = (one) => one.busy || one.loadedAt || one.error;
  const reload = () => all.forEach((one) => (!later.includes(one) || wasAsked(one)) && one.reload());
  context.tools.append(range, periodPicker(context, reload));
  const head = panel(context, {
    source: stats,
    blank: () => blankFigures(4, 3),
    className: 'rd-changes',
    render: renderFigures,
  });
  context.root.append(head, empty, ...details, withReasons);
  reload();
  whenVisible(newest, context.signal, () => later.forEach((one) => one.reload()));
}
