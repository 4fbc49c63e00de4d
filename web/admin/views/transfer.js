// Files of ratings, settings and templates: export, import; votes of other plugins; and the deletion of what a filter
// selects. Loaded when it is opened (main.js).

import {card, choice, dayField, fieldset, idField, valuesOf} from '../forms.js';
import {
  append,
  bytes,
  confirm,
  date,
  failure,
  field,
  figures,
  h,
  nameOf,
  notice,
  number,
  percent,
  plainText,
  replace,
  said,
  t,
  table,
  tn,
  typeName,
  typeSelect,
} from '../later.js';
import {saveRatings} from '../spreadsheet.js';
import {pluginsCard} from './transfer_plugins.js';

export {use} from '../later.js';

const maxUpload = 64 * 1024 * 1024;

// --- Export -------------------------------------------------------------------------------------------

function exportCard(context) {
  const scopes = [
    ['ratings', t('Ratings')],
    ['settings', t('Settings')],
    ['templates', t('Templates')],
  ].map(([value, text]) => choice({type: 'checkbox', name: 'scope', value, checked: true}, text));
  const [first, ...ofSite] = scopes.map((scope) => scope.querySelector('input'));

  // Settings and templates belong to no object, no user and no time, and are nothing for a spreadsheet.
  function onInput() {
    first.setCustomValidity('');
    const {from, to, format} = form.elements;
    to.min = from.value;
    const filters = ['object_id', 'object_type', 'user_id', 'from', 'to'];
    const isPart = format.value === 'csv' || filters.some((key) => form.elements[key].value);
    if (isPart === ofSite[0].disabled) return;
    for (const box of ofSite) {
      box.disabled = isPart;
      box.checked = !isPart;
    }
  }

  async function submit(event) {
    event.preventDefault();
    const chosen = new FormData(form).getAll('scope');
    first.setCustomValidity(chosen.length > 0 ? '' : t('Choose at least one.'));
    if (!form.reportValidity()) return;
    const day = new Date().toISOString().slice(0, 10);
    const values = {...valuesOf(form), scope: chosen.join(',')};
    const file = `ratingd-${location.hostname}-${day}.${values.format}`;
    try {
      if (values.format === 'csv') await saveRatings(context, values, file);
      else await context.api.stream('/data/export', values, file);
    } catch (error) {
      context.notify('error', failure(context, error));
    }
  }
  const form = h(
    'form',
    {onsubmit: submit, oninput: onInput},
    h(
      'div',
      {class: 'rd-filters'},
      fieldset(t('What'), scopes),
      field(
        t('Format'),
        h(
          'select',
          {name: 'format'},
          h('option', {value: 'ndjson'}, t('NDJSON (for import)')),
          h('option', {value: 'csv'}, t('CSV (for spreadsheets)')),
        ),
      ),
    ),
    h(
      'details',
      {},
      h('summary', {}, t('Only some ratings')),
      h(
        'div',
        {class: 'rd-filters'},
        idField('object_id', t('Object ID')),
        field(
          t('Type'),
          typeSelect(context, (types) => ({'': t('all'), ...types}), {name: 'object_type'}),
        ),
        idField('user_id', t('User ID'), t('For a request of this user for their data')),
        dayField('from', t('From')),
        dayField('to', t('To')),
      ),
    ),
    h('p', {}, h('button', {type: 'submit', class: 'button button-primary'}, t('Download'))),
  );
  return card(t('Export'), form);
}

// --- Import -------------------------------------------------------------------------------------------

const isCsv = (file) => /\.csv$/i.test(file.name);

function outcomeOf({read, refused}) {
  if (refused === 0) return notice('success', t('The file is imported.'));
  if (refused === read) return notice('error', t('Nothing is imported: all rows were refused.'));
  const words = tn('{n} row was refused.', '{n} rows were refused.', refused);
  return notice('warning', words, ' ', t('All others are stored.'));
}

function showReport({data}) {
  const rows = [
    [t('Rows read'), data.read],
    [t('New'), data.new],
    [t('Changed'), data.changed],
    [t('Kept: what is stored is the same or newer'), data.kept],
    [t('Skipped: older than the retention period'), data.folded],
    [t('Refused'), data.refused],
  ].filter(([, n], index) => n > 0 || index < 2 || index === 5);
  return [
    outcomeOf(data),
    !data.complete &&
      notice('warning', t('The file has no last row with the right count: a part of it may be missing.')),
    figures(rows.map(([text, n]) => ({name: text, value: number(n)}))),
    data.reasons.length > 0 &&
      table({
        caption: t('Refused rows'),
        columns: [
          {title: t('Line'), header: true, kind: 'number', cell: ({line}) => number(line)},
          {title: t('Reason'), cell: (row) => said(row.message, row)},
        ],
        rows: data.reasons,
      }),
    data.refused > data.reasons.length &&
      h(
        'p',
        {class: 'rd-soft'},
        t('Only the first {n} refused rows are listed.', {n: number(data.reasons.length)}),
      ),
  ];
}

function importCard(context) {
  const file = h('input', {type: 'file', accept: '.ndjson,.jsonl,.json,.csv', required: true});
  const start = h('button', {type: 'submit', class: 'button button-primary'}, t('Upload'));
  const bar = h('progress', {max: 1, 'aria-label': t('Progress of the upload')});
  const state = h('span', {});
  const cancel = h('button', {type: 'button', class: 'button', onclick: () => sending.abort()}, t('Cancel'));
  const progress = h('div', {class: 'rd-filters', hidden: true}, bar, state, cancel);
  const report = h('div', {role: 'status', tabindex: -1});
  let sending;

  function showProgress(share) {
    if (share < 1) {
      bar.value = share;
      state.textContent = percent(share);
    } else {
      bar.removeAttribute('value');
      state.textContent = t('Storing the rows …');
    }
  }

  async function submit(event) {
    event.preventDefault();
    const [chosen] = file.files;
    if (sending || !chosen) return;
    if (chosen.size > maxUpload) {
      const sizes = {size: bytes(chosen.size), command: 'ratingctl import'};
      replace(
        report,
        notice('error', t('The file is {size}; uploads are limited to 64 MiB. Use “{command}”.', sizes)),
      );
      return;
    }
    sending = new AbortController();
    context.signal.addEventListener('abort', () => sending?.abort());
    progress.hidden = false;
    start.setAttribute('aria-disabled', 'true');
    replace(report);
    showProgress(0);
    try {
      const answer = await context.api.upload('/data/import', chosen, {
        type: isCsv(chosen) ? 'text/csv' : 'application/x-ndjson',
        onProgress: showProgress,
        signal: sending.signal,
      });
      replace(report, showReport(answer));
      file.value = '';
    } catch (error) {
      replace(
        report,
        error.name === 'AbortError' ? wasCancelled() : notice('error', failure(context, error)),
      );
    }
    sending = undefined;
    progress.hidden = true;
    start.removeAttribute('aria-disabled');
    report.focus();
  }
  const wasCancelled = () =>
    notice('warning', t('Cancelled. Rows that were stored before stay; uploading the file again is safe.'));

  context.unsaved = () => sending !== undefined;
  context.leaveQuestion = t('Leave and cancel the import?');
  return card(
    t('Import'),
    h(
      'p',
      {},
      t(
        'An export as NDJSON, or CSV of ratingctl. Newer ratings win; importing a file twice changes nothing.',
      ),
    ),
    h('form', {onsubmit: submit}, h('div', {class: 'rd-filters'}, field(t('File'), file), start)),
    progress,
    report,
  );
}

// --- Deletion -----------------------------------------------------------------------------------------

const sum = (stats) => Object.values(stats).reduce((all, {total}) => all + total, 0);

const dayBefore = (day) => {
  const time = new Date(day + 'T00:00:00Z');
  time.setUTCDate(time.getUTCDate() - 1);
  return time.toISOString().slice(0, 10);
};

// The types of one object: "post" may be any of WordPress's.
const typesOfOne = (types) => ({...types, post: typeName('post')});

// What can be selected: the fields, what they select in words, and how many ratings these are ({n, of}; without
// n if that is not known; "filters" where it is known more exactly what is deleted).
const selections = (context, {api} = context) => ({
  object: {
    text: t('of one object'),
    fields: () => [
      idField('object_id', t('Object ID')),
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
    text: t('of one user'),
    fields: () => [idField('user_id', t('User ID'))],
    count: async ({user_id: id}) => {
      const {data} = await api.get(`/analytics/user-details/${id}`, {period: 'all', per_page: 1});
      return {n: data.total, of: data.name ? plainText(data.name) : t('User {id}', {id})};
    },
  },
  before: {
    text: t('last changed before a day'),
    fields: () => [field(t('Day'), h('input', {type: 'date', name: 'before'}))],
    count: async ({before}) => {
      const {data} = await api.get('/analytics/stats', {from: '1000-01-02', to: dayBefore(before)});
      return {n: data.total_ratings, of: t('before {day}', {day: date(before)})};
    },
  },
  all: {
    text: t('all of this site'),
    fields: () => [],
    count: async () => {
      const {data} = await api.get('/analytics/stats', {period: 'all'});
      return {n: data.total_ratings, of: t('all objects')};
    },
  },
});

// Names of deleted users and objects are not known, but their ratings can be deleted.
async function countOf(selection, values) {
  try {
    return await selection.count(values);
  } catch (error) {
    if (error.status !== 404) throw error;
    return {of: values.object_id ? nameOf(values) : Object.values(values).join(' ')};
  }
}

function question(scope, {n, of}) {
  const known = n !== undefined;
  if (scope === 'addresses') {
    return {
      title: t('Delete addresses?'),
      text: [
        known
          ? tn(
              'The address of {n} rating is deleted: {of}.',
              'The addresses of {n} ratings are deleted: {of}.',
              n,
              {of},
            )
          : t('The addresses of these ratings are deleted: {of}.', {of}),
        t('The ratings stay. IP addresses cannot be restored.'),
      ],
      action: t('Delete addresses'),
    };
  }
  return {
    title: known ? tn('Delete {n} rating?', 'Delete {n} ratings?', n) : t('Delete these ratings?'),
    text: [
      known
        ? tn('{n} rating is deleted: {of}.', '{n} ratings are deleted: {of}.', n, {of})
        : t('Selected: {of}.', {of}),
      t('Held ratings of the selection are deleted, too. Ratings do not come back: export them first.'),
    ],
    action: known ? tn('Delete {n} rating', 'Delete {n} ratings', n) : t('Delete ratings'),
  };
}

function cleanCard(context) {
  const known = selections(context);
  const place = h('div', {class: 'rd-filters'});
  const report = h('div', {});
  let isBusy = false;

  function choose(key) {
    replace(place, known[key].fields());
    const first = place.querySelector('input');
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
  // Ratings beyond the retention period are known as sums only.
  const outcome = (scope, {addresses, ratings, balances}) =>
    scope === 'addresses'
      ? tn('{n} address deleted.', '{n} addresses deleted.', addresses)
      : [
          tn('{n} rating deleted.', '{n} ratings deleted.', ratings),
          balances > 0 && [
            ' ',
            tn('Also {n} sum of older ratings.', 'Also {n} sums of older ratings.', balances),
          ],
        ];

  const form = h(
    'form',
    {onsubmit: submit},
    fieldset(
      t('Delete'),
      choice({type: 'radio', name: 'scope', value: 'ratings', checked: true}, t('ratings')),
      choice({type: 'radio', name: 'scope', value: 'addresses'}, t('only their addresses')),
    ),
    fieldset(
      t('Which'),
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
  return card(t('Delete ratings'), h('p', {}, t('You are asked before anything is deleted.')), form);
}

// First, so that nothing moves later.
async function pluginsOf(context) {
  try {
    return (await context.api.get('/data/plugins', {}, context.signal)).data;
  } catch (error) {
    if (!context.signal.aborted) context.notify('error', failure(context, error));
    return [];
  }
}

export async function show(context) {
  const plugins = await pluginsOf(context);
  if (context.signal.aborted) return;
  append(
    context.root,
    h('div', {class: 'rd-columns'}, exportCard(context), importCard(context)),
    pluginsCard(context, plugins),
    cleanCard(context),
  );
}
