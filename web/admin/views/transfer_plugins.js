// Imports votes from other rating plugins. A preview shows the result of an import without storing anything. The import
// runs in parts that take a few seconds each.

import {failure, figures, h, notice, number, percent, replace, t, table, tn} from '../later.js';
import {card} from '../forms.js';

const noCounts = () => ({votes: {}, sums: {}, refused: {}, withdrawn: 0, taken_back: 0, different: 0, differences: []});
const MAX_DIFFERENCES = 100;

// Adds the counts from one part of an import to the total counts.
function add(all, part) {
  for (const group of ['votes', 'sums']) {
    for (const [name, n] of Object.entries(part[group])) all[group][name] = (all[group][name] || 0) + n;
  }
  for (const name of ['withdrawn', 'taken_back', 'different']) all[name] += part[name] || 0;
  all.differences = [...all.differences, ...(part.differences || [])].slice(0, MAX_DIFFERENCES);
  for (const {reason, count, examples} of part.refused) {
    const known = (all.refused[reason] ||= {reason, count: 0, examples: []});
    known.count += count;
    known.examples = [...known.examples, ...examples].slice(0, 3);
  }
}

// Calls onProgress(share) after each part. Resolves to the total counts, or to the counts of the finished parts if
// "signal" aborts the import.
async function runParts({api}, {name}, {isDry, onProgress, signal}) {
  const all = noCounts();
  let next = null;
  do {
    const order = {dry_run: isDry, ...(next && {after: next})};
    const {data} = await api.send('POST', `/data/plugins/${name}`, order);
    add(all, data);
    next = data.next;
    onProgress(data.percent / 100);
  } while (next && !signal.aborted);
  return all;
}

// Returns how many votes an import would store.
const storable = ({votes, sums}) =>
  votes.new + votes.changed + (sums.new + sums.changed + sums.removed > 0 ? sums.votes : 0);

// Returns a table of the objects whose number of ratings or average differs from the plugin's figures.
const differencesOf = ({different, differences}) =>
  different > 0 && [
    h(
      'p',
      {},
      tn(
        'The plugin shows different figures for {n} item.',
        'The plugin shows different figures for {n} items.',
        different,
      ),
    ),
    table({
      caption: t('Differences from the plugin'),
      columns: [
        {title: t('Content'), header: true, cell: ({object}) => h('bdi', {}, object)},
        {title: t('Votes shown by the plugin'), kind: 'number', cell: (row) => number(row.plugin_votes)},
        {title: t('Average shown by the plugin'), kind: 'number', cell: (row) => number(row.plugin_average, 2)},
        {title: t('Imported votes'), kind: 'number', cell: (row) => number(row.votes)},
        {title: t('Imported average'), kind: 'number', cell: (row) => number(row.average, 2)},
        {title: t('Reason'), cell: ({reason}) => t(reason)},
      ],
      rows: differences,
    }),
  ];

function reportOf(counts) {
  const {votes, sums, refused} = counts;
  const reasons = Object.values(refused);
  const rows = [
    [t('Votes'), votes.read],
    [t('Votes stored only as totals'), sums.votes],
    [t('New'), votes.new + (sums.new && sums.votes)],
    [t('Changed'), votes.changed],
    [t('Kept: the stored rating is identical or newer'), votes.kept],
    [t('Skipped: older than the retention period'), votes.folded],
    [t('Skipped: removed or erased since the last import'), counts.withdrawn],
    [t('Removed: imported by version 0.3 for invalid voters'), counts.taken_back],
    [t('Not imported'), reasons.reduce((sum, {count}) => sum + count, 0)],
  ].filter(([, n], index) => n > 0 || index === 0);
  return [
    figures(rows.map(([name, n]) => ({name, value: number(n)}))),
    reasons.length > 0 &&
      table({
        caption: t('Not imported'),
        columns: [
          {title: t('Reason'), header: true, cell: ({reason}) => t(reason)},
          {title: t('Number'), kind: 'number', cell: ({count}) => number(count)},
          {title: t('For example'), cell: ({examples}) => h('bdi', {}, examples.join(', ') || '–')},
        ],
        rows: reasons,
      }),
    differencesOf(counts),
  ];
}

function outcomeOf(counts, isDry) {
  const n = storable(counts);
  if (n === 0) return notice('info', t('There is nothing new to import.'));
  return isDry
    ? notice('info', tn('{n} vote can be imported.', '{n} votes can be imported.', n))
    : notice('success', tn('{n} vote was imported.', '{n} votes were imported.', n));
}

function pluginPart(context, plugin, running) {
  const state = h('span', {});
  const bar = h('progress', {max: 1, value: 0, 'aria-label': t('Import progress')});
  const cancel = h('button', {type: 'button', class: 'button', onclick: () => running.now.abort()}, t('Cancel'));
  const progress = h('div', {class: 'rd-filters', hidden: true}, bar, state, cancel);
  const report = h('div', {role: 'status', tabindex: -1});
  const button = (text, isDry, more) =>
    h('button', {type: 'button', class: `button ${more}`, onclick: () => run(isDry)}, text);
  const buttons = h('div', {class: 'rd-actions'}, button(t('Preview'), true, ''));

  function onProgress(share) {
    bar.value = share;
    state.textContent = percent(share);
  }

  async function run(isDry) {
    if (running.now) return;
    const stop = (running.now = new AbortController());
    context.signal.addEventListener('abort', () => stop.abort());
    progress.hidden = false;
    replace(report);
    onProgress(0);
    try {
      const counts = await runParts(context, plugin, {isDry, onProgress, signal: stop.signal});
      const canImport = isDry && storable(counts) > 0 && !stop.signal.aborted;
      replace(report, stop.signal.aborted ? wasCancelled() : outcomeOf(counts, isDry), reportOf(counts));
      replace(buttons, button(t('Preview'), true, ''), canImport && button(t('Import'), false, 'button-primary'));
    } catch (error) {
      replace(report, notice('error', failure(context, error)), h('p', {}, t('You can start again.')));
    }
    running.now = undefined;
    progress.hidden = true;
    report.focus();
  }
  const wasCancelled = () => notice('warning', t('Cancelled. Votes that were already stored are kept. You can start again.'));

  return [buttons, progress, report];
}

// Shows the SQL statements that a database administrator must run to grant the missing privileges.
const missingRights = ({name, grants}) => [
  h('p', {}, t('ratingd lacks the privileges to read these votes. Ask the database administrator to run these statements, then reload this page:')),
  h('pre', {class: 'rd-code', tabindex: 0, dir: 'ltr'}, grants.join('\n')),
  h('p', {class: 'rd-soft'}, t('Ignore errors about missing tables.')),
  h(
    'p',
    {class: 'rd-soft'},
    t('Or run this command on the server:'),
    ' ',
    h('bdi', {}, h('code', {}, `sudo ratingctl grants --from ${name} | sudo mariadb --force`)),
  ),
];

// Lists the damaged tables that only a database administrator can repair.
const damagedTables = ({damaged}) => [
  h('p', {}, t('The database cannot read one of this plugin’s tables. Ask the database administrator to repair the table, then reload this page:')),
  h(
    'pre',
    {class: 'rd-code', tabindex: 0, dir: 'ltr'},
    damaged.map(({table: name, error}) => `${name}: ${error}`).join('\n'),
  ),
];

const partOf = (context, plugin, running) => {
  if (plugin.readable) return pluginPart(context, plugin, running);
  return plugin.damaged?.length > 0 ? damagedTables(plugin) : missingRights(plugin);
};

// "plugins" is the response to GET /data/plugins. Returns null if there are no plugins.
export function pluginsCard(context, plugins) {
  if (plugins.length === 0) return null;
  const running = {now: undefined};
  const isBusy = context.unsaved;
  const {hint, placement} = context.steps || {};
  context.unsaved = () => running.now !== undefined || isBusy();
  return card(
    t('Votes from other rating plugins'),
    h('p', {}, t('An import copies the votes and changes nothing in the plugin. You can repeat an import, because no vote is counted twice.')),
    hint && h('p', {}, `${hint} `, h('a', {href: placement + '#ratingd-stars'}, t('Change this'))),
    plugins.map((plugin) =>
      h(
        'div',
        {class: 'rd-plugin'},
        h('h4', {}, h('bdi', {}, plugin.title)),
        partOf(context, plugin, running),
      ),
    ),
  );
}
