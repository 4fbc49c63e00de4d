// Lists the registered users who have rated content, and shows the ratings of a user at #/people/7. The
// people view requires the "see_persons" permission.

import {confirm} from '../confirm.js';
import {emptyState, pager, searchField, select, table} from '../controls.js';
import {h, replace} from '../dom.js';
import {failure} from '../failure.js';
import {atPage, panel, source} from '../panel.js';
import {periodOf, periodPicker, rangeText} from '../period.js';
import {
  averageColumns,
  averagesCell,
  blankFigures,
  categories,
  csvButton,
  figures,
  objectColumns,
  plainText,
  ratingColumns,
  reasonColumn,
  timeCell,
  timeColumn,
} from '../pieces.js';
import {ratingList, withIds} from '../rating_list.js';
import {hashFor} from '../route.js';
import * as words from '../words.js';
import {t, tn} from '../words.js';

const personName = (user) => (user.name && plainText(user.name)) || t('deleted user {id}', {id: user.id});

// --- The list of users --------------------------------------------------------------------------------

function showList(context) {
  const {api, root, params} = context;
  const of = (key) => params.get(key) || '';
  const request = () => ({
    ...periodOf(context),
    category: of('category'),
    search: of('search'),
    orderby: of('orderby') || 'total',
    order: of('order') || 'desc',
  });
  const users = source(context, (signal) =>
    atPage(context, (page) => api.get('/analytics/users', {...request(), page}, signal)),
  );
  const change = (changes) => {
    context.update({page: '', ...changes});
    users.reload();
  };
  const columns = [
    {
      title: t('Name'),
      header: true,
      cell: (user) => h('a', {href: hashFor(['people', String(user.id)]), dir: 'auto'}, personName(user)),
    },
    {title: t('Ratings'), kind: 'number', sort: 'total', cell: (user) => words.number(user.total)},
    {title: t('Averages'), kind: 'number', cell: averagesCell},
    {
      title: t('First'),
      kind: 'number',
      sort: 'first_rated_at',
      cell: (user) => timeCell(user.first_rated_at),
    },
    {title: t('Last'), kind: 'number', sort: 'last_rated_at', cell: (user) => timeCell(user.last_rated_at)},
  ];
  function render(answer) {
    words.setTimeZone(answer.meta.timezone);
    if (answer.data.length === 0 && of('search')) {
      return emptyState(t('Nothing matches.'), t('Choose a longer period, or remove filters.'));
    }
    if (answer.data.length === 0) {
      return emptyState(
        t('No registered user rated anything in this period.'),
        t('Visitors without an account are not listed.'),
      );
    }
    const sorting = {
      by: request().orderby,
      order: request().order,
      set: (orderby, order) => change({orderby, order}),
    };
    return [
      h(
        'p',
        {class: 'rd-soft rd-about'},
        `${rangeText(answer.meta)} · ${t('Visitors without an account are not listed.')}`,
      ),
      table({caption: t('Users who rated'), columns, rows: answer.data, sorting}),
      pager(context, answer, users.reload),
    ];
  }
  const names = words.categoryNames();
  context.tools.append(
    select(
      t('Kind of rating'),
      [['', t('all')], ...categories.map((name) => [name, names[name]])],
      of('category'),
      (category) => change({category}),
    ),
    periodPicker(context, () => users.reload()),
    csvButton(context, {
      path: '/analytics/users',
      params: request,
      name: 'users.csv',
      columns: () => [
        [t('Name'), personName],
        [t('User ID'), (user) => String(user.id)],
        [t('Ratings'), (user) => user.total],
        ...averageColumns(),
        timeColumn(t('First'), 'first_rated_at'),
        timeColumn(t('Last'), 'last_rated_at'),
      ],
    }),
  );
  const filters = h(
    'div',
    {class: 'rd-filters', role: 'search', 'aria-label': t('Filters')},
    searchField(
      t('Search names, logins and email addresses'),
      of('search'),
      (search) => search !== of('search') && change({search}),
    ),
  );
  root.append(filters, panel(context, {source: users, height: 760, className: 'rd-card rd-list', render}));
  users.reload();
}

// --- The ratings by a user ----------------------------------------------------------------------------

async function erase(context, id, reload) {
  const {api} = context;
  try {
    // Ignore the period in the URL hash, because all of the user's ratings will be deleted.
    const {data} = await api.get(`/analytics/user-details/${id}`, {period: 'all', per_page: 1});
    const {total} = data; // does not include held votes
    const name = personName(data);
    const isSure = await confirm({
      title: t('Erase all ratings by {name}?', {name}),
      text: [
        total > 0 &&
          tn(
            '{n} rating will be deleted permanently, and the figures for the rated items will change.',
            '{n} ratings will be deleted permanently, and the figures for the rated items will change.',
            total,
          ),
        t('Held votes are also deleted, but not the account.'),
      ],
      action: total > 0 ? tn('Erase {n} rating', 'Erase {n} ratings', total) : t('Delete ratings'),
      danger: true,
    });
    if (!isSure) return;
    const done = await api.send('POST', '/data/clean', {scope: 'ratings', user_id: id, confirm: true});
    const count = done.data.ratings;
    if (count === 0) context.notify('info', t('Nothing is stored about this person.'));
    else {
      context.notify(
        'success',
        tn('{n} rating by {name} was erased.', '{n} ratings by {name} were erased.', count, {name}),
      );
      reload();
    }
  } catch (error) {
    context.notify('error', failure(context, error, t('Nothing was erased.')));
  }
}

function showPerson(context) {
  const {api, root, path} = context;
  const id = path[0];
  const address = `/analytics/user-details/${encodeURIComponent(id)}`;
  const request = () => ({...periodOf(context)});
  const all = source(context, (signal) =>
    atPage(context, (page) => api.get(address, {...request(), ...withIds(context), page}, signal)),
  );
  const selected = new Set();
  // If the user's account has also been deleted, there is nothing left to show.
  const reload = async () => {
    context.update({page: ''});
    await all.reload();
    if (all.error?.status === 404) location.hash = '#/people';
  };

  function head({data, meta}) {
    words.setTimeZone(meta.timezone);
    context.heading.textContent = personName(data);
    context.retitle();
    const link = data.name && context.profileLink(id);
    replace(profile, link && h('a', {class: 'button', href: link}, t('Profile in WordPress')));
    const names = words.categoryNames();
    return figures([
      {name: t('Ratings'), value: words.number(data.total), note: rangeText(meta)},
      ...categories
        .filter((category) => data.totals[category] > 0)
        .map((category) => ({
          name: names[category],
          value: words.average(category, data.averages[category]),
          note: tn('{n} rating', '{n} ratings', data.totals[category]),
        })),
      {
        name: t('Last activity'),
        value: data.last_rated_at ? h('span', {class: 'rd-words'}, words.relative(data.last_rated_at)) : '–',
        note: data.last_rated_at && words.dateTime(data.last_rated_at),
      },
    ]);
  }
  const ratings = (answer) => [
    ratingList(context, t('Ratings'), answer.data.ratings, {
      voters: false,
      selected,
      of: () => context.heading.textContent,
      reload,
    }),
    pager(context, answer, all.reload),
  ];
  const button =
    context.rights.has('administer') &&
    h(
      'button',
      {class: 'button rd-danger', type: 'button', onclick: () => erase(context, Number(id), reload)},
      t('Erase all ratings …'),
    );
  context.tools.append(
    periodPicker(context, () => all.reload()),
    csvButton(context, {
      path: address,
      params: request,
      name: `ratings-user-${id}.csv`,
      columns: () => [...objectColumns(), ...ratingColumns(), reasonColumn(), timeColumn(t('When'), 'rated_at')],
      rowsOf: ({data}) => data.ratings,
    }),
  );
  if (button) context.tools.append(button);
  const profile = h('span', {});
  root.append(
    h('p', {class: 'rd-back rd-actions'}, h('a', {href: '#/people'}, t('All people')), profile),
    panel(context, {source: all, blank: () => blankFigures(5), render: head}),
    panel(context, {title: t('Ratings'), source: all, height: 700, className: 'rd-list', render: ratings}),
  );
  all.reload();
}

export const name = 'people';
export const title = () => t('People');
export const right = 'see_persons';
export const show = (context) => (context.path.length > 0 ? showPerson(context) : showList(context));
