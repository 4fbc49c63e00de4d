// Shows the response of GET /health: the state of ratingd, and the findings of all "ratingctl doctor" checks that do
// not need root.

import {ApiError} from '../api.js';
import {notice, table} from '../controls.js';
import {h} from '../dom.js';
import {panel, source} from '../panel.js';
import {clock, dateTime, languageSaid, number, said, t, tn} from '../words.js';

export const name = 'health';
export const title = () => t('Health');
export const right = 'administer';

const refreshAfter = 10000;

const marks = () => ({
  ok: ['✓', t('OK')],
  warn: ['!', t('Warning')],
  fail: ['✕', t('Failed')],
});

function mark(health) {
  const [icon, word] = marks()[health] || ['?', health];
  return h(
    'span',
    {class: `rd-health rd-health-${health}`},
    h('span', {class: 'rd-health-icon', 'aria-hidden': 'true'}, icon),
    ' ',
    word,
  );
}

// --- The state of the service -------------------------------------------------------------------------

function schemaRow({schema, schema_wanted: wanted}) {
  if (schema === null || schema === undefined) return null;
  const versions = {schema: number(schema), wanted: number(wanted)};
  if (schema === wanted) return ['schema', 'ok', t('Version {schema}', versions)];
  const text =
    schema < wanted
      ? t(
          'The tables have version {schema}, but this program requires version {wanted}. Run “ratingctl setup”.',
          versions,
        )
      : t(
          'The tables have version {schema}, but this program requires version {wanted}. Update the program.',
          versions,
        );
  return ['schema', schema < wanted ? 'fail' : 'warn', text];
}

function queueRow({queue, queue_limit: limit}) {
  const values = {n: number(queue), limit: number(limit)};
  return [t('Votes being written'), queue > limit / 2 ? 'warn' : 'ok', t('{n} of up to {limit}', values)];
}

// Explains that the site's new time zone takes effect at the next midnight. Returns an empty string if
// no time zone change is pending.
export function pendingZone({timezone, timezone_pending: pending, timezone_changes_at: at}) {
  if (!timezone || !pending) return '';
  return at
    ? t('Statistics use the {timezone} time zone. From {time}, statistics use the {pending} time zone.', {
        timezone,
        pending,
        time: dateTime(at),
      })
    : t('Statistics use the {timezone} time zone. The site’s time zone is now {pending}.', {timezone, pending});
}

function zoneRow(state) {
  if (!state.timezone) return null;
  const isUndecided = state.timezone_pending && !state.timezone_changes_at;
  return ['zone', isUndecided ? 'warn' : 'ok', pendingZone(state) || state.timezone];
}

// Returns the displayed names of the subjects that appear both in the service's state and in the
// "ratingctl doctor" findings.
const names = () => ({database: t('Database'), schema: t('Rating tables'), zone: t('Time zone')});

// Returns the service's state as rows [subject, health, text].
function stateRows(state) {
  return [
    [t('Service'), state.ready ? 'ok' : 'fail', t('Version {version}', {version: state.version})],
    [
      t('Workers'),
      state.workers > 0 ? 'ok' : 'fail',
      tn('{n} worker process', '{n} worker processes', state.workers),
    ],
    queueRow(state),
    [
      'database',
      state.database === 'ok' ? 'ok' : 'fail',
      state.database === 'ok' ? t('The database is responding.') : t('The database is not responding.'),
    ],
    schemaRow(state),
    zoneRow(state),
  ].filter(Boolean);
}

const report = (finding) =>
  h('p', {...languageSaid(finding.text, finding), class: 'rd-report'}, said(finding.text, finding));
const nameOf = (finding) => t(finding.title || finding.subject);

// For each subject with problems, returns a row that contains the findings and the remedies.
function problemRows(findings) {
  return subjectsOf(findings, false).map((subject) => {
    const found = findings.filter((one) => one.subject === subject && one.health !== 'ok');
    const health = worst(found.map((one) => [subject, one.health]));
    const advice = found.find((one) => one.advice)?.advice;
    return [subject, health, [advice && t(advice), found.map(report)], nameOf(found[0])];
  });
}

// If "isGood" is true, returns the subjects that have only good findings. If "isGood" is false, returns
// the subjects with problems.
function subjectsOf(findings, isGood) {
  const bad = new Set(findings.filter(({health}) => health !== 'ok').map(({subject}) => subject));
  return [...new Set(findings.map(({subject}) => subject))].filter((subject) => bad.has(subject) !== isGood);
}

function inOrder(findings) {
  const good = subjectsOf(findings, true).map((subject) =>
    nameOf(findings.find((one) => one.subject === subject)),
  );
  return good.length > 0 && h('p', {}, mark('ok'), ` ${good.join(' · ')}`);
}

function list(caption, rows) {
  const known = names();
  return table({
    caption,
    columns: [
      {title: t('Subject'), header: true, cell: ([subject, , , checked]) => checked || known[subject] || subject},
      {title: t('State'), cell: ([, health]) => mark(health)},
      {title: t('Details'), cell: ([, , text]) => h('div', {class: 'rd-long'}, text)},
    ],
    rows,
  });
}

const worst = (rows) => ['fail', 'warn'].find((health) => rows.some((row) => row[1] === health)) || 'ok';

function summary(rows) {
  const n = rows.filter((row) => row[1] !== 'ok').length;
  const text =
    n === 0 ? t('Everything works.') : tn('{n} problem needs attention.', '{n} problems need attention.', n);
  return h('p', {class: 'rd-health-summary'}, mark(worst(rows)), ' ', text);
}

// --- The health view ----------------------------------------------------------------------------------

// If the service is not ready, it returns status 503 with the reason.
export async function load(api, signal) {
  try {
    const state = await api.get('/health', {}, signal);
    if (!state.version) throw new ApiError(401); // the response for strangers
    return state;
  } catch (error) {
    if (!error.data?.health) throw error;
    return error.data.health;
  }
}

export function show(context) {
  const from = source(context, (signal) => load(context.api, signal));
  const updated = h('span', {class: 'rd-soft'}, '\u00a0');
  const again = h(
    'button',
    {type: 'button', class: 'button', onclick: () => from.reload()},
    t('Check again'),
  );
  context.tools.append(updated, again);

  // Show the contradictory settings that the plugin found when the page was loaded.
  const problems = context.problems || [];
  for (const {title: about, text, url} of problems) {
    context.root.append(notice('warning', `${about}: ${text} `, h('a', {href: url}, t('Change this'))));
  }

  let isOpen = false;
  const render = (state) => {
    const found = state.findings || [];
    // If the state of a subject is good, show the more detailed findings of "ratingctl doctor". If the
    // state is bad, show the state, because its text explains what to do.
    const checked = new Set(found.map(({subject}) => subject));
    const rows = stateRows(state).filter(([subject, health]) => health !== 'ok' || !checked.has(subject));
    const findings = problemRows(found).filter(([subject]) => !rows.some((row) => row[0] === subject));
    updated.textContent = t('Checked at {time}', {time: clock(from.loadedAt)});
    return [
      summary([...rows, ...findings, ...problems.map(() => ['settings', 'warn'])]),
      list(t('State'), rows),
      found.length > 0 && [
        h('h4', {}, t('Checks')),
        findings.length > 0 && list(t('Checks'), sorted(findings)),
        inOrder(found),
        h(
          'details',
          {open: isOpen, ontoggle: (event) => (isOpen = event.target.open)},
          h('summary', {'data-focus': 'reports'}, t('Service report')),
          found.map((one) => [h('b', {}, nameOf(one)), report(one)]),
        ),
      ],
      h(
        'p',
        {class: 'rd-soft'},
        t('To run the checks that require root access, run “{command}” on the server.', {
          command: 'sudo ratingctl doctor',
        }),
      ),
    ];
  };
  context.root.append(panel(context, {title: t('ratingd service status'), source: from, height: 420, render}));

  const isDue = () =>
    !document.hidden && !from.busy && Date.now() - (from.loadedAt || 0) >= refreshAfter;
  const refresh = () => isDue() && !from.error && from.reload();
  const timer = setInterval(refresh, 1000);
  document.addEventListener('visibilitychange', refresh, {signal: context.signal});
  context.signal.addEventListener('abort', () => clearInterval(timer));
  from.reload();
}

const order = ['fail', 'warn', 'ok'];
const sorted = (rows) => [...rows].sort((a, b) => order.indexOf(a[1]) - order.indexOf(b[1]));
