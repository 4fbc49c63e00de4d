// Exports and imports files with ratings, settings and templates, imports votes from other plugins, and deletes the
// ratings that a filter selects. main.js loads this file when the view is opened.

import {card, choice, dayField, fieldset, idField, objectSearch, valuesOf} from '../forms.js';
import {
  append,
  bytes,
  failure,
  field,
  figures,
  h,
  notice,
  number,
  percent,
  replace,
  said,
  t,
  table,
  tn,
  today,
  typeSelect,
} from '../later.js';
import {saveRatings} from '../spreadsheet.js';
import {cleanCard} from './transfer_delete.js';
import {pluginsCard} from './transfer_plugins.js';

export {use} from '../later.js';
export {saveRatings};

const maxUpload = 64 * 1024 * 1024;

// --- Export -------------------------------------------------------------------------------------------

function exportCard(context) {
  const scopes = [
    ['ratings', t('Ratings')],
    ['settings', t('Settings')],
    ['templates', t('Templates')],
  ].map(([value, text]) => choice({type: 'checkbox', name: 'scope', value, checked: true}, text));
  const [first, ...ofSite] = scopes.map((scope) => scope.querySelector('input'));

  // Settings and templates cannot be filtered by object, user or time, and cannot be exported as a spreadsheet.
  const filters = ['object_id', 'object_type', 'user_id', 'from', 'to'];
  function onInput() {
    first.setCustomValidity('');
    const {from, to, format} = form.elements;
    to.min = from.value;
    context.update(Object.fromEntries(filters.map((key) => [key, form.elements[key].value])));
    context.update({format: format.value === 'csv' && 'csv'});
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
    first.setCustomValidity(chosen.length > 0 ? '' : t('Choose what to export.'));
    if (!form.reportValidity()) return;
    const values = {...valuesOf(form), scope: chosen.join(',')};
    const file = `ratingd-${location.hostname}-${today()}.${values.format}`;
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
      objectSearch(context, onInput),
      h(
        'div',
        {class: 'rd-filters'},
        idField('object_id', t('Content ID')),
        field(
          t('Type'),
          typeSelect(context, (types) => ({'': t('all'), ...types}), {
            name: 'object_type',
            chosen: context.params.get('object_type') || '',
          }),
        ),
        idField('user_id', t('User ID'), t('For personal data requests')),
        dayField('from', t('From')),
        dayField('to', t('To')),
      ),
    ),
    h('p', {}, h('button', {type: 'submit', class: 'button button-primary'}, t('Download'))),
  );
  for (const key of ['format', ...filters]) {
    const value = context.params.get(key);
    if (value && key !== 'object_type') form.elements[key].value = value;
    if (value && key !== 'format') form.querySelector('details').open = true;
  }
  onInput();
  return card(t('Export'), form);
}

// --- Import -------------------------------------------------------------------------------------------

const isCsv = (file) => /\.csv$/i.test(file.name);

function outcomeOf({read, refused, changed, new: added}, isDry) {
  if (isDry && added + changed === 0) {
    return notice('info', t('There is nothing new to import.'));
  }
  if (isDry) return notice('info', tn('{n} row can be imported.', '{n} rows can be imported.', added + changed));
  if (refused === 0) return notice('success', t('The file was imported.'));
  if (refused === read) return notice('error', t('Nothing was imported, because all rows were refused.'));
  const words = tn('{n} row was refused.', '{n} rows were refused.', refused);
  return notice('warning', words, ' ', t('All other rows were stored.'));
}

// Returns the table of objects in an import preview.
const objectsOf = ({objects, by_object: rows}) =>
  rows?.length > 0 && [
    table({
      caption: t('Rows by content'),
      columns: [
        {title: t('Content'), header: true, cell: (row) => h('bdi', {}, `${row.object_type} ${row.object_id}`)},
        {title: t('New'), kind: 'number', cell: (row) => number(row.new)},
        {title: t('Changed'), kind: 'number', cell: (row) => number(row.changed)},
        {title: t('Kept'), kind: 'number', cell: (row) => number(row.kept + row.folded)},
      ],
      rows,
    }),
    objects > rows.length &&
      h(
        'p',
        {class: 'rd-soft'},
        t('Only the {n} items with the most rows to import are listed.', {n: number(rows.length)}),
      ),
  ];

function showReport({data}, isDry) {
  const rows = [
    [t('Rows read'), data.read],
    [t('New'), data.new],
    [t('Changed'), data.changed],
    [t('Kept: the stored rating is identical or newer'), data.kept],
    [t('Skipped: older than the retention period'), data.folded],
    [t('Refused'), data.refused],
  ].filter(([, n], index) => n > 0 || index < 2 || index === 5);
  return [
    outcomeOf(data, isDry),
    !data.complete &&
      notice('warning', t('Part of the file may be missing, because the count in its last row is wrong.')),
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
    data.notes.map((row) => h('p', {}, said(row.message, row))),
    objectsOf(data),
  ];
}

function importCard(context) {
  const file = h('input', {type: 'file', accept: '.ndjson,.jsonl,.json,.csv', required: true});
  const preview = h('button', {type: 'submit', class: 'button'}, t('Preview'));
  const start = h('button', {type: 'submit', class: 'button button-primary'}, t('Upload'));
  const bar = h('progress', {max: 1, 'aria-label': t('Upload progress')});
  const state = h('span', {});
  const cancel = h('button', {type: 'button', class: 'button', onclick: () => sending.abort()}, t('Cancel'));
  const progress = h('div', {class: 'rd-filters', hidden: true}, bar, state, cancel);
  const report = h('div', {role: 'status', tabindex: -1});
  let sending;

  function showProgress(share, isDry) {
    if (share < 1) {
      bar.value = share;
      state.textContent = percent(share);
    } else {
      bar.removeAttribute('value');
      state.textContent = isDry ? t('Reading the rows …') : t('Storing the rows …');
    }
  }

  function setBusy(isBusy) {
    progress.hidden = !isBusy;
    for (const button of [preview, start]) {
      if (isBusy) button.setAttribute('aria-disabled', 'true');
      else button.removeAttribute('aria-disabled');
    }
  }

  async function submit(event) {
    event.preventDefault();
    const [chosen] = file.files;
    const isDry = event.submitter === preview;
    if (sending || !chosen) return;
    if (chosen.size > maxUpload) {
      const sizes = {size: bytes(chosen.size), command: 'ratingctl import'};
      replace(
        report,
        notice('error', t('The file ({size}) exceeds the upload limit of 64 MiB. Use “{command}”.', sizes)),
      );
      return;
    }
    sending = new AbortController();
    context.signal.addEventListener('abort', () => sending?.abort());
    setBusy(true);
    replace(report);
    showProgress(0, isDry);
    try {
      const answer = await context.api.upload('/data/import', chosen, {
        params: isDry ? {dry_run: true} : {},
        type: isCsv(chosen) ? 'text/csv' : 'application/x-ndjson',
        onProgress: (share) => showProgress(share, isDry),
        signal: sending.signal,
      });
      replace(report, showReport(answer, isDry));
      if (!isDry) file.value = '';
    } catch (error) {
      replace(
        report,
        error.name === 'AbortError' ? wasCancelled() : notice('error', failure(context, error)),
      );
    }
    sending = undefined;
    setBusy(false);
    report.focus();
  }
  const wasCancelled = () =>
    notice('warning', t('Cancelled. Rows that were already stored are kept. You can upload the file again.'));

  context.unsaved = () => sending !== undefined;
  context.leaveQuestion = t('Leave this page and cancel the import?');
  return card(
    t('Import'),
    h(
      'p',
      {},
      t('Choose an NDJSON file from “Export”, or a CSV file from “ratingctl export”. If a rating already exists, the newer rating is kept. Importing the same file twice changes nothing.'),
    ),
    h('form', {onsubmit: submit}, h('div', {class: 'rd-filters'}, field(t('File'), file), preview, start)),
    progress,
    report,
  );
}

// Load the list of plugins before the cards are shown, so that the page does not shift.
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
