// Lists the rated objects from the best to the worst, and shows the details of an object at #/content/post/123.

import {spread, spreadRows} from '../charts.js';
import {emptyState, field, pager, searchField, select, table} from '../controls.js';
import {h, replace} from '../dom.js';
import {facetsPanel} from '../facets_panel.js';
import {atPage, panel, source} from '../panel.js';
import {periodOf, periodPicker, rangeText} from '../period.js';
import {
  averageChangeCell,
  averageDifference,
  blankFigures,
  categories,
  csvButton,
  figures,
  nameOf,
  objectCell,
  objectColumns,
  ratingColumns,
  reasonColumn,
  statFigures,
  timeColumn,
  voterColumn,
} from '../pieces.js';
import {ratingList, withIds} from '../rating_list.js';
import {symbol} from '../symbols.js';
import {atInterval, periodOfChart, totalOf, trendPanel} from '../trend_panel.js';
import {typeSelect} from '../type_select.js';
import * as words from '../words.js';
import {t} from '../words.js';

const metrics = () => [
  ['bayesian', t('Weighted average')],
  ['average', t('Average')],
  ['wilson', t('Positive share (adjusted)')],
  ['total', t('Number of ratings')],
  ['score', t('Score (up − down)')],
  ['positive', t('Positive')],
  ['negative', t('Negative')],
];
const signed = ['score', 'positive', 'negative'];
const counts = ['total', ...signed];

const metricHelp = () => ({
  bayesian: t('The weighted average is adjusted towards the site’s average if content has few ratings.'),
  average: t('This is the plain average. Content with a single rating can rank first.'),
  wilson: t('This is the share of positive ratings, lowered if content has few ratings (Wilson, 95 %).'),
});

// Returns the category whose unit the metric has.
const unitOf = (metric, category) => (metric === 'wilson' ? 'binary' : category);

function metricText(category, metric, value) {
  if (counts.includes(metric)) return words.number(value);
  return words.average(unitOf(metric, category), value);
}

const categoryOptions = (first) => [
  ['', first],
  ...categories.map((name) => [name, words.categoryNames()[name]]),
];

// --- The list of objects ------------------------------------------------------------------------------

// Contains the names of the columns that are always shown. If the list of objects is sorted by one of
// these columns, the list also has a weighted average column.
const ownColumns = ['average', 'positive', 'negative', 'total'];
const shownMetric = (ordering) => (ownColumns.includes(ordering) ? 'bayesian' : ordering || 'bayesian');

// Returns a pair [name, value(row)] for each value that the API can sort by.
function numberColumns({category, metric}) {
  const counted = (key) => (row) => row[key];
  return [
    [metric, counted('value')],
    ['average', counted('average')],
    ...(category === 'scale' ? [] : ['positive', 'negative'].map((key) => [key, counted(key)])),
    ['total', counted('total')],
  ];
}

const shortNames = () => ({...Object.fromEntries(metrics()), total: t('Ratings')});

// The "All time" period has no previous period, so there is no change to show.
const hasChange = (context) => periodOf(context).period !== 'all';

function listColumns(context, {meta}, first) {
  const names = shortNames();
  const change = {
    title: t('Change'),
    kind: 'number',
    cell: (row) => averageChangeCell(meta.category, row.average, row.previous_average) || '–',
  };
  const columns = numberColumns(meta).map(([name, of]) => ({
    title: names[name],
    kind: 'number',
    sort: name,
    cell: (row) => h(name === meta.metric ? 'b' : 'span', {}, metricText(meta.category, name, of(row))),
  }));
  // Insert the "Change" column after the "Average" column.
  if (hasChange(context)) columns.splice(2, 0, change);
  return [
    {title: '#', kind: 'rank', cell: (row, index) => words.number(first + index)},
    {title: t('Title'), header: true, cell: objectCell},
    ...columns,
  ];
}

function fileColumns(context, {meta}) {
  const names = shortNames();
  const isAverage = (name) => ['bayesian', 'average'].includes(name);
  const unit = (name) =>
    isAverage(name)
      ? `${names[name]} (${words.averageName(meta.category)})`
      : names[name] + (name === 'wilson' ? ' %' : '');
  const valueOf = (name, value) =>
    counts.includes(name) ? value : words.averageNumber(unitOf(name, meta.category), value);
  const columns = numberColumns(meta).map(([name, of]) => [unit(name), (row) => valueOf(name, of(row))]);
  const change = ({average, previous_average: before}) => averageDifference(meta.category, average, before);
  if (hasChange(context)) columns.splice(2, 0, [t('Change'), change]);
  return [...objectColumns(), ...columns];
}

const perPage = 20;

function showList(context) {
  const {api, root, params} = context;
  const of = (key) => params.get(key) || '';
  const request = () => ({
    ...periodOf(context),
    metric: shownMetric(of('metric')),
    orderby: of('metric'),
    order: of('order'),
    category: of('category'),
    object_type: of('type'),
    min_ratings: of('min'),
    search: of('search'),
  });
  const list = source(context, (signal) =>
    atPage(context, (page) =>
      api.get('/analytics/top-rated', {...request(), page, per_page: perPage}, signal),
    ),
  );
  const change = (changes) => {
    context.update({page: '', ...changes});
    drawFilters();
    list.reload();
  };

  const orderBy = select(t('Order by'), [], '', (metric) => change({metric, order: ''}));
  // Objects can be sorted by score, positive ratings or negative ratings only in the "binary" and
  // "bipolar" categories.
  const hasSigned = (category) => category === 'binary' || category === 'bipolar';
  function drawFilters() {
    const offered = metrics().filter(([name]) => hasSigned(of('category')) || !signed.includes(name));
    const control = orderBy.querySelector('select');
    replace(
      control,
      offered.map(([value, text]) => h('option', {value}, text)),
    );
    control.value = of('metric') || 'bayesian';
  }
  const minimum = h('input', {
    type: 'number',
    min: 1,
    max: 1000000,
    value: of('min') || 1,
    onchange: () => minimum.validity.valid && change({min: minimum.value > 1 ? minimum.value : ''}),
  });
  drawFilters();
  const filters = h(
    'div',
    {class: 'rd-filters', role: 'search', 'aria-label': t('Filters')},
    searchField(t('Search titles'), of('search'), (search) => search !== of('search') && change({search})),
    orderBy,
    select(t('Kind of rating'), categoryOptions(t('most used')), of('category'), (category) => {
      const keeps = hasSigned(category) || !signed.includes(of('metric'));
      change({category, ...(!keeps && {metric: '', order: ''})});
    }),
    field(
      t('Type'),
      typeSelect(context, (types) => ({'': t('all'), ...types}), {
        chosen: of('type'),
        onchange: (event) => change({type: event.target.value}),
      }),
    ),
    field(t('Minimum number of ratings'), minimum),
  );

  function render(answer) {
    words.setTimeZone(answer.meta.timezone);
    const page = Number(of('page')) || 1;
    const help = metricHelp()[answer.meta.metric];
    return [
      h(
        'p',
        {class: 'rd-soft rd-about'},
        [words.categoryNames()[answer.meta.category], rangeText(answer.meta), help]
          .filter(Boolean)
          .join(' · '),
        answer.meta.search_is_limited && [
          ' ',
          h('strong', {}, t('Too many titles match, so the results may be incomplete. Use more words.')),
        ],
      ),
      answer.data.length === 0
        ? emptyState(t('Nothing matches.'), t('Choose a longer period, or remove filters.'))
        : table({
            caption: t('Rated content'),
            columns: listColumns(context, answer, (page - 1) * perPage + 1),
            rows: answer.data,
            sorting: {
              by: of('metric') || 'bayesian',
              order: of('order') || 'desc',
              set: (metric, order) => change({metric, order: order === 'asc' && order}),
            },
          }),
      pager(context, answer, list.reload),
    ];
  }
  context.tools.append(
    periodPicker(context, () => list.reload()),
    csvButton(context, {
      path: '/analytics/top-rated',
      params: request,
      name: 'ratings.csv',
      columns: (answer) => fileColumns(context, answer),
    }),
  );
  root.append(filters, panel(context, {source: list, height: 760, className: 'rd-card rd-list', render}));
  list.reload();
}

// --- The details of an object -------------------------------------------------------------------------

function showObject(context) {
  const {api, root, params, path} = context;
  const [type, id] = path;
  const of = (key) => params.get(key) || '';
  const request = () => ({
    ...periodOf(context),
    object_type: type,
    category: of('category'),
  });
  const address = `/analytics/post-details/${encodeURIComponent(id)}`;
  // If the period is a single day, the chart covers more days than the list.
  async function load(interval, signal) {
    const asked = {...request(), interval};
    const answer = await atPage(context, (page) => api.get(address, {...asked, ...withIds(context), page}, signal));
    const period = periodOfChart(periodOf(context));
    if (JSON.stringify(period) === JSON.stringify(periodOf(context))) return answer;
    const chart = await api.get(address, {...asked, period: '', ...period, per_page: 1}, signal);
    return {...answer, chart};
  }
  const all = source(context, (signal) => atInterval(context, (interval) => load(interval, signal)));
  const selected = new Set();
  // If the object does not exist in WordPress and its ratings were deleted, show the list of objects
  // instead.
  const reload = async () => {
    await all.reload();
    if (all.error?.status === 404) location.hash = '#/content';
  };
  const links = h('span', {class: 'rd-actions'});

  function head(answer) {
    const {data, meta} = answer;
    words.setTimeZone(meta.timezone);
    context.heading.textContent = nameOf(data) + (words.isFacet(data) ? ` (${words.typeOf(data)})` : '');
    context.retitle();
    const edit =
      context.rights.has('edit_others') && data.title && context.editLink(data.object_type, data.object_id);
    replace(
      links,
      data.link && h('a', {class: 'button', href: data.link}, t('View')),
      edit && h('a', {class: 'button', href: edit}, t('Edit')),
    );
    const total = categories.reduce((sum, category) => sum + data.stats[category].total, 0);
    return figures(
      [
        {name: t('Ratings'), value: words.number(total), note: t('all time')},
        {name: t('In this period'), value: words.number(totalOf(data.trends)), note: rangeText(meta)},
      ],
      statFigures(data.stats).map((figure) => ({...figure, note: [figure.note, ' · ', t('all time')]})),
    );
  }

  const spreads = ({data}) => {
    const rated = categories.filter((category) => data.stats[category].total > 0);
    if (rated.length === 0) return emptyState(t('Not rated yet.'));
    return h(
      'div',
      {class: 'rd-spreads'},
      rated.map((category) =>
        h(
          'div',
          {},
          h('h4', {}, symbol(category), words.categoryNames()[category]),
          spread(
            words.categoryNames()[category],
            category,
            spreadRows(category, data.stats[category], words.getScaleMaximum()),
          ),
        ),
      ),
    );
  };

  const ratings = (answer) => [
    ratingList(context, t('Latest ratings'), answer.data.ratings, {
      voters: context.rights.has('see_persons'),
      objects: false,
      counted: totalOf(answer.data.trends) > 0,
      selected,
      of: () => context.heading.textContent,
      reload,
    }),
    pager(context, answer, all.reload),
  ];

  const filter = select(t('Kind of rating'), categoryOptions(t('all')), of('category'), (category) => {
    context.update({category, page: ''});
    all.reload();
  });
  context.tools.append(
    filter,
    periodPicker(context, () => all.reload()),
    csvButton(context, {
      path: address,
      params: request,
      name: `ratings-${type}-${id}.csv`,
      columns: () => [
        ...ratingColumns(),
        ...(context.rights.has('see_persons') ? [reasonColumn(), voterColumn()] : []),
        timeColumn(t('When'), 'rated_at'),
      ],
      rowsOf: ({data}) => data.ratings,
    }),
  );
  root.append(
    h('p', {class: 'rd-back rd-actions'}, h('a', {href: '#/content'}, t('All content')), links),
    panel(context, {source: all, blank: () => blankFigures(2, 3), render: head}),
    facetsPanel(context, type, id),
    trendPanel(context, {
      source: all,
      seriesOf: ({chart, ...answer}) => {
        const {data, meta} = chart || answer;
        return {trends: data.trends, interval: meta.interval};
      },
      period: () => periodOf(context),
    }),
    h(
      'div',
      {class: 'rd-columns rd-lists'},
      panel(context, {title: t('Distribution of all ratings'), source: all, height: 300, render: spreads}),
      panel(context, {
        title: t('Latest ratings'),
        source: all,
        height: 420,
        className: 'rd-list',
        render: ratings,
      }),
    ),
  );
  all.reload();
}

export const name = 'content';
export const title = () => t('Content');
export const right = 'analytics';
export const show = (context) => (context.path.length > 1 ? showObject(context) : showList(context));
