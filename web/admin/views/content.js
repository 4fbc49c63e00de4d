// The rated objects, best first; and one of them in detail: #/content/post/123.

import {spread, spreadRows, trendChart} from '../charts.js';
import {emptyState, field, pager, searchField, select, table} from '../controls.js';
import {h, replace} from '../dom.js';
import {atPage, panel, source} from '../panel.js';
import {intervalOf, periodOf, periodPicker, rangeText} from '../period.js';
import {categories, csvButton, figures, nameOf, objectCell, ratingsTable, statFigures, typeNames} from '../pieces.js';
import * as words from '../words.js';
import {t} from '../words.js';

const metrics = () => [
  ['bayesian', t('Weighted average')],
  ['average', t('Average')],
  ['wilson', t('Confident share (Wilson)')],
  ['total', t('Number of ratings')],
  ['score', t('Score (up − down)')],
  ['positive', t('Positive')],
  ['negative', t('Negative')],
];
const signed = ['score', 'positive', 'negative'];
const counts = ['total', ...signed];

const metricHelp = () => ({
  bayesian: t('The average, as if each item had begun with some average ratings. A few ratings do not win.'),
  average: t('The plain average. One rating may be first.'),
  wilson: t('The share of positive ratings that is certain at 95 %.'),
});

function metricText(category, metric, value) {
  if (counts.includes(metric)) return words.number(value);
  return metric === 'wilson' ? words.percent(value, 1) : words.average(category, value);
}

const categoryOptions = (first) => [
  ['', first],
  ...categories.map((name) => [name, words.categoryNames()[name]]),
];

// --- The list -----------------------------------------------------------------------------------------

// The types that exist: those with ratings are asked for once.
function typeField(context, onchange) {
  const chosen = context.params.get('type') || '';
  const element = select(t('Type'), [], '', onchange);
  const control = element.querySelector('select');
  const draw = () => {
    const names = typeNames(context, [...(context.memory.types || []), ...(chosen ? [chosen] : [])]);
    const {value} = control;
    replace(
      control,
      [['', t('all')], ...Object.entries(names)].map(([name, text]) => h('option', {value: name}, text)),
    );
    control.value = value || chosen;
  };
  draw();
  if (!context.memory.types) {
    context.api
      .get('/analytics/stats', {period: 'all', _fields: 'data.rated_objects'}, context.signal)
      .then(({data}) => {
        context.memory.types = Object.keys(data.rated_objects.by_type);
        draw();
      })
      .catch(() => {}); // WordPress's types, then
  }
  return element;
}

function listColumns(context, {meta}, first) {
  const {category, metric} = meta;
  const names = Object.fromEntries(metrics());
  const isTwoSided = category !== 'scale';
  const columns = [
    {title: '#', kind: 'rank', cell: (row, index) => words.number(first + index)},
    {title: t('Title'), header: true, cell: objectCell},
    {
      title: names[metric],
      kind: 'number',
      cell: (row) => h('b', {}, metricText(category, metric, row.value)),
    },
    metric !== 'average' && {
      title: t('Average'),
      kind: 'number',
      cell: (row) => words.average(category, row.average),
    },
    isTwoSided &&
      metric !== 'positive' && {
        title: t('Positive'),
        kind: 'number',
        cell: (row) => words.number(row.positive),
      },
    isTwoSided &&
      metric !== 'negative' && {
        title: t('Negative'),
        kind: 'number',
        cell: (row) => words.number(row.negative),
      },
    metric !== 'total' && {title: t('Ratings'), kind: 'number', cell: (row) => words.number(row.total)},
  ];
  return columns.filter(Boolean);
}

const perPage = 20;

function showList(context) {
  const {api, root, params} = context;
  const of = (key) => params.get(key) || '';
  const request = () => ({
    ...periodOf(context),
    metric: of('metric'),
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

  const orderBy = select(t('Order by'), [], '', (metric) => change({metric}));
  // Stars have no positive and negative ones, and may be the most used: what the API would refuse is not offered.
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
      change({category, ...(!keeps && {metric: ''})});
    }),
    typeField(context, (type) => change({type})),
    field(t('At least … ratings'), minimum),
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
          h('strong', {}, t('Many titles match; not all were looked at. Use more words.')),
        ],
      ),
      answer.data.length === 0
        ? emptyState(t('Nothing matches.'), t('Choose a longer period or fewer filters.'))
        : table({
            caption: t('Rated content'),
            columns: listColumns(context, answer, (page - 1) * perPage + 1),
            rows: answer.data,
          }),
      pager(page, answer.pages, answer.total, (to) => {
        context.update({page: to > 1 ? to : ''});
        list.reload();
      }),
    ];
  }
  context.tools.append(
    periodPicker(context, () => list.reload()),
    csvButton(context, '/analytics/top-rated', request, 'ratings.csv'),
  );
  root.append(filters, panel(context, {source: list, height: 760, className: 'rd-card rd-list', render}));
  list.reload();
}

// --- One object ---------------------------------------------------------------------------------------

function showObject(context) {
  const {api, root, params, path} = context;
  const [type, id] = path;
  const of = (key) => params.get(key) || '';
  const request = () => ({
    ...periodOf(context),
    object_type: type,
    category: of('category'),
    interval: intervalOf(periodOf(context)),
  });
  const address = `/analytics/post-details/${encodeURIComponent(id)}`;
  const all = source(context, (signal) =>
    atPage(context, (page) => api.get(address, {...request(), page}, signal)),
  );
  const links = h('span', {class: 'rd-actions'});

  function head(answer) {
    const {data, meta} = answer;
    words.setTimeZone(meta.timezone);
    context.heading.textContent = nameOf(data);
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
        {name: t('In this period'), value: words.number(answer.total), note: rangeText(meta)},
      ],
      statFigures(data.stats).map((figure) => ({...figure, note: `${figure.note} · ${t('all time')}`})),
    );
  }

  const trend = ({data, meta}) =>
    trendChart({
      series: [{key: of('category') || 'all', name: t('Ratings'), points: data.trend}],
      kind: 'bars',
      interval: meta.interval,
      title: t('Ratings over time'),
    });

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
          h('h4', {}, words.categoryNames()[category]),
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
    ratingsTable(t('Latest ratings'), answer.data.ratings, {
      voters: context.rights.has('see_persons'),
      objects: false,
    }),
    pager(Number(of('page')) || 1, answer.pages, answer.total, (to) => {
      context.update({page: to > 1 ? to : ''});
      all.reload();
    }),
  ];

  const filter = select(t('Kind of rating'), categoryOptions(t('all')), of('category'), (category) => {
    context.update({category, page: ''});
    all.reload();
  });
  context.tools.append(
    filter,
    periodPicker(context, () => all.reload()),
    links,
    csvButton(context, address, request, `ratings-${type}-${id}.csv`),
  );
  root.append(
    h('p', {class: 'rd-back'}, h('a', {href: '#/content'}, t('All content'))),
    panel(context, {source: all, height: 104, render: head}),
    panel(context, {title: t('Ratings over time'), source: all, height: 300, render: trend}),
    h(
      'div',
      {class: 'rd-columns'},
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
