// Deletes the ratings that a filter selects.

import {card, choice, fieldset, idField, objectSearch, valuesOf} from '../forms.js';
import {
  confirm,
  date,
  failure,
  field,
  h,
  nameOf,
  notice,
  plainText,
  replace,
  t,
  tn,
  typeName,
  typeSelect,
} from '../later.js';

const sum = (stats) => Object.values(stats).reduce((all, {total}) => all + total, 0);

const dayBefore = (day) => {
  const time = new Date(day + 'T00:00:00Z');
  time.setUTCDate(time.getUTCDate() - 1);
  return time.toISOString().slice(0, 10);
};

// Returns the available content types for a single object. The "post" type represents all WordPress post
// types.
const typesOfOne = (types) => ({...types, post: typeName('post')});

// Returns the ways to select ratings for deletion. Each selection has a text, form fields, and a "count"
// function that resolves to {n, of, filters}. "n" is the number of selected ratings without held votes, or undefined if
// the number is unknown. "filters" is optional and replaces the filters from the form fields.
const selections = (context, {api} = context) => ({
  object: {
    text: t('for one item'),
    fields: () => [
      objectSearch(context),
      idField('object_id', t('Content ID')),
      field(t('Type'), typeSelect(context, typesOfOne, {name: 'object_type', chosen: 'post'})),
    ],
    count: async ({object_id: id, object_type: type}) => {
      const {data} = await api.get(`/analytics/post-details/${id}`, {
        object_type: type,
        period: 'all',
        per_page: 1,
      });
      const filters = {object_id: id, object_type: data.object_type};
      return {n: sum(data.stats), of: nameOf({...data, ...filters}), filters};
    },
  },
  user: {
    text: t('by one user'),
    fields: () => [idField('user_id', t('User ID'))],
    count: async ({user_id: id}) => {
      const {data} = await api.get(`/analytics/user-details/${id}`, {period: 'all', per_page: 1});
      return {n: data.total, of: data.name ? plainText(data.name) : t('User {id}', {id})};
    },
  },
  before: {
    text: t('last changed before a date'),
    fields: () => [field(t('Day'), h('input', {type: 'date', name: 'before'}))],
    count: async ({before}) => {
      const {data} = await api.get('/analytics/stats', {from: '1000-01-02', to: dayBefore(before)});
      return {n: data.total_ratings, of: t('before {day}', {day: date(before)})};
    },
  },
  all: {
    text: t('all on this site'),
    fields: () => [],
    count: async () => {
      const {data} = await api.get('/analytics/stats', {period: 'all'});
      return {n: data.total_ratings, of: t('all ratings')};
    },
  },
});

// Deleted users and objects have no name, but their ratings can still be deleted.
async function countOf(selection, values) {
  try {
    return await selection.count(values);
  } catch (error) {
    if (error.status !== 404) throw error;
    return {of: values.object_id ? nameOf(values) : Object.values(values).join(' ')};
  }
}

function question(scope, {n, of}) {
  const known = n > 0;
  if (scope === 'addresses') {
    return {
      title: t('Delete IP addresses?'),
      text: [
        known
          ? tn(
              'The IP address of {n} rating will be deleted: {of}.',
              'The IP addresses of {n} ratings will be deleted: {of}.',
              n,
              {of},
            )
          : t('The IP addresses of these ratings will be deleted: {of}.', {of}),
        t('The ratings are kept. Deleted IP addresses cannot be restored.'),
      ],
      action: t('Delete IP addresses'),
    };
  }
  return {
    title: known ? tn('Delete {n} rating?', 'Delete {n} ratings?', n) : t('Delete these ratings?'),
    text: [
      known
        ? tn('{n} rating will be deleted: {of}.', '{n} ratings will be deleted: {of}.', n, {of})
        : t('Selected: {of}.', {of}),
      t('Held votes in the selection will also be deleted. Deleted ratings cannot be restored, so export them first.'),
    ],
    action: known ? tn('Delete {n} rating', 'Delete {n} ratings', n) : t('Delete ratings'),
  };
}

export function cleanCard(context) {
  const known = selections(context);
  const place = h('div', {class: 'rd-filters'});
  const report = h('div', {});
  let isBusy = false;

  function choose(key) {
    replace(place, known[key].fields());
    const first = place.querySelector('input:not([type="search"])');
    if (first) first.required = true;
  }

  async function submit(event) {
    event.preventDefault();
    if (isBusy) return;
    isBusy = true;
    const {scope, selection, ...given} = valuesOf(form);
    try {
      const count = await countOf(known[selection], given);
      const {filters = given} = count;
      if (await confirm({...question(scope, count), danger: true})) {
        const order = selection === 'all' ? {all: true} : filters;
        const {data} = await context.api.send('POST', '/data/clean', {scope, ...order, confirm: true});
        replace(report, notice('success', outcome(scope, data)));
      }
    } catch (error) {
      replace(report, notice('error', failure(context, error, t('Nothing was deleted.'))));
    }
    isBusy = false;
  }
  // Ratings that are older than the retention period are stored only as sums.
  const outcome = (scope, {addresses, ratings, balances}) =>
    scope === 'addresses'
      ? tn('{n} IP address deleted.', '{n} IP addresses deleted.', addresses)
      : [
          tn('{n} rating deleted.', '{n} ratings deleted.', ratings),
          balances > 0 && [
            ' ',
            tn(
              '{n} total that replaced older ratings was also deleted.',
              '{n} totals that replaced older ratings were also deleted.',
              balances,
            ),
          ],
        ];

  const form = h(
    'form',
    {onsubmit: submit},
    fieldset(
      t('Delete'),
      choice({type: 'radio', name: 'scope', value: 'ratings', checked: true}, t('ratings')),
      choice({type: 'radio', name: 'scope', value: 'addresses'}, t('only IP addresses')),
    ),
    fieldset(
      t('Which ratings'),
      Object.entries(known).map(([key, {text}], index) =>
        choice(
          {type: 'radio', name: 'selection', value: key, checked: index === 0, onchange: () => choose(key)},
          text,
        ),
      ),
    ),
    place,
    h('p', {}, h('button', {type: 'submit', class: 'button rd-danger'}, t('Delete …'))),
    report,
  );
  choose(Object.keys(known)[0]);
  return card(t('Delete ratings'), h('p', {}, t('You will be asked to confirm.')), form);
}
