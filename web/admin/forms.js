// Builds the fields of forms for selecting ratings.

import {field, h, nameOf, notice, replace, searchField, t, tn, typeOf} from './later.js';

let cards = 0;
export function card(heading, ...children) {
  const id = `rd-card-${++cards}`;
  return h(
    'section',
    {class: 'rd-panel rd-card', 'aria-labelledby': id},
    h('header', {class: 'rd-panel-head'}, h('h3', {id}, heading)),
    h('div', {class: 'rd-body'}, children),
  );
}

export const choice = (attributes, text) => h('label', {class: 'rd-choice'}, h('input', attributes), ' ', text);

export const fieldset = (legend, ...children) =>
  h('fieldset', {class: 'rd-choices'}, h('legend', {}, legend), children);

// Returns a field for an object id. The field is a text field, because a number field cannot represent
// all ids up to 2^63 - 1 exactly.
export const idField = (key, label, help) =>
  field(
    label,
    h('input', {
      type: 'text',
      name: key,
      inputmode: 'numeric',
      pattern: '[1-9][0-9]{0,18}',
      title: t('A whole number'),
      size: 12,
    }),
    help,
  );

export const dayField = (key, label) => field(label, h('input', {type: 'date', name: key, max: '9999-12-30'}));

// Returns the values of all named form fields that are not empty.
export const valuesOf = (form) => Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ''));

const categories = ['binary', 'bipolar', 'scale'];

// Returns the rated objects whose titles contain "search". Objects with the most ratings come first.
async function find(api, search, signal) {
  const ask = (category) =>
    api.get('/analytics/top-rated', {search, category, metric: 'total', period: 'all', per_page: 10}, signal);
  const objects = new Map();
  for (const {data} of await Promise.all(categories.map(ask))) {
    for (const row of data) {
      const key = `${row.object_type}/${row.object_id}`;
      objects.set(key, {...row, total: row.total + (objects.get(key)?.total || 0)});
    }
  }
  return [...objects.values()].sort((a, b) => b.total - a.total).slice(0, 10);
}

// Returns a search field that finds objects by title. When the user chooses an object, sets the form's
// fields "object_id" and "object_type", and calls "onchoose".
export function objectSearch({api, signal}, onchoose) {
  const found = h('div', {class: 'rd-found', role: 'status'});
  let current;
  function choose(row) {
    const {object_id: id, object_type: type} = box.closest('form').elements;
    id.value = row.object_id;
    if (![...type.options].some(({value}) => value === row.object_type)) {
      type.append(h('option', {value: row.object_type}, typeOf(row)));
    }
    type.value = row.object_type;
    replace(found, t('Selected: {name}', {name: nameOf(row)}));
    onchoose?.();
    id.focus();
  }
  const line = (row) =>
    h(
      'li',
      {},
      h('button', {type: 'button', class: 'rd-link', dir: 'auto', onclick: () => choose(row)}, nameOf(row)),
      h('span', {class: 'rd-soft'}, ` ${typeOf(row)} · `, tn('{n} rating', '{n} ratings', row.total)),
    );
  async function search(words) {
    current?.abort();
    const mine = (current = new AbortController()).signal;
    if (!words) return replace(found);
    try {
      const rows = await find(api, words, mine);
      const none = t(
        'No rated content has these words in its title. To find deleted content, enter its ID.',
      );
      return replace(found, rows.length > 0 ? h('ul', {}, rows.map(line)) : none);
    } catch (error) {
      return mine.aborted ? null : replace(found, notice('error', error.message || t('The data could not be loaded.')));
    }
  }
  signal.addEventListener('abort', () => current?.abort());
  const box = h('div', {class: 'rd-object-search'}, searchField(t('Find by title'), '', search), found);
  return box;
}
