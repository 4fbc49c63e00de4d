// Whether ratingd works, as GET /health says it: its state, and the findings of "ratingctl doctor" that need no root.

import {ApiError} from '../api.js';
import {table} from '../controls.js';
import {h} from '../dom.js';
import {panel, source} from '../panel.js';
import {clock, number, t, tn} from '../words.js';

export const name = 'health';
export const title = () => t('Health');
export const right = 'administer';

const refreshAfter = 10000;

const marks = () => ({
  ok: ['✓', t('OK')],
  warn: ['!', t('Warning')],
  fail: ['✕', t('Failed')],
});

// The word says what the icon and the colour say.
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

const subjects = () => ({
  address: t('The site’s address'),
  'app passwords': t('Application passwords'),
  tickets: t('Connection of WordPress to ratingd'),
  proxies: t('Visitors’ addresses behind a proxy'),
  browsers: t('Votes without the signs of a browser'),
  'ticket use': t('Tickets for more than one request'),
  database: t('Database'),
  schema: t('Tables of ratings'),
  clock: t('Clocks'),
  durability: t('Safety of votes'),
  encryption: t('Connection to the database'),
  excess: t('Rights that are not needed'),
  rights: t('Rights in the database'),
  engine: t('Type of the tables'),
  zone: t('Time zone'),
  settings: t('Settings'),
});

// What a site's owner does about a subject; the plugin says the same in WordPress's Site Health. What a check says is
// for who runs the server, and English.
const advice = () => ({
  address: t(
    'Browsers may vote only from pages of the address in Settings > General. Correct it if visitors ' +
    'use another one.',
  ),
  browsers: t(
    'A proxy or CDN in front of the site seems to remove request headers. Let Origin and ' +
    'Sec-Fetch-Site through, or visitors of one network may count as one.',
  ),
  clock: t('The clocks of the web server and the database differ. Synchronize them.'),
  database: t('Check that the database runs and that its password has not changed.'),
  durability: t(
    'If the database’s server crashes, the last votes may be lost. Change its configuration if you ' +
    'cannot accept that.',
  ),
  encryption: t(
    'The database is on another server, and the connection is not encrypted or not verified. Set it ' +
    'up as docs/operations.md describes.',
  ),
  engine: t('Sums can become wrong with tables that have no transactions. Convert them to InnoDB.'),
  excess: t('ratingd’s account may do more than it needs. Take the other rights from it.'),
  proxies: t(
    'Many visitors seem to have one address, and so share its limits. If a proxy or CDN is in front ' +
    'of the site, configure the web server for it.',
  ),
  rights: t('ratingd’s account lacks rights. Run “ratingctl grants” on the server and apply what it prints.'),
  settings: t('A stored setting has no effect. Choose another value in Ratings > Settings.'),
  'ticket use': t(
    'The plugin is older than the service, or a program of this site makes tickets as version 0.2 ' +
    'did. The next version rejects them. Run “sudo ratingctl setup” on the server.',
  ),
  tickets: t(
    'WordPress cannot prove to ratingd who it is. Set AUTH_KEY and AUTH_SALT in wp-config.php. On ' +
    'the server, the clocks must be right, and ratingd.conf must not have “wp-tickets = no”.',
  ),
});

// --- The state ----------------------------------------------------------------------------------------

function schemaRow({schema, schema_wanted: wanted}) {
  if (schema === null || schema === undefined) return null;
  const versions = {schema: number(schema), wanted: number(wanted)};
  if (schema === wanted) return ['schema', 'ok', t('Version {schema}', versions)];
  const text =
    schema < wanted
      ? t('Version {schema}, but this program needs {wanted}: run “ratingctl migrate”.', versions)
      : t('Version {schema} is newer than this program, which is made for {wanted}: update it.', versions);
  return ['schema', schema < wanted ? 'fail' : 'warn', text];
}

function queueRow({queue, queue_limit: limit}) {
  const values = {n: number(queue), limit: number(limit)};
  return [t('Votes being written'), queue > limit / 2 ? 'warn' : 'ok', t('{n} of at most {limit}', values)];
}

function zoneRow({timezone, timezone_pending: pending}) {
  if (!timezone) return null;
  if (!pending) return ['zone', 'ok', timezone];
  const zones = {timezone, pending};
  return [
    'zone',
    'warn',
    t('Days are counted in {timezone}, but the site is in {pending}: run “ratingctl rebuild”.', zones),
  ];
}

// Rows of [subject, health, text].
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
      state.database === 'ok' ? t('It answers.') : t('It does not answer.'),
    ],
    schemaRow(state),
    zoneRow(state),
    state.rebuild_unfinished && [
      t('Rebuild'),
      'warn',
      t('Running, or interrupted: votes take longer until “ratingctl rebuild” has finished.'),
    ],
  ].filter(Boolean);
}

const report = ({text}) => h('p', {lang: 'en', dir: 'ltr', class: 'rd-report'}, text);

// Rows for the subjects whose checks found something: what to do, and what they found.
function problemRows(findings) {
  const known = advice();
  return subjectsOf(findings, false).map((subject) => {
    const found = findings.filter((one) => one.subject === subject && one.health !== 'ok');
    const health = worst(found.map((one) => [subject, one.health]));
    return [subject, health, [known[subject], found.map(report)]];
  });
}

// The subjects of which all findings are good, or of which some are not.
function subjectsOf(findings, isGood) {
  const bad = new Set(findings.filter(({health}) => health !== 'ok').map(({subject}) => subject));
  return [...new Set(findings.map(({subject}) => subject))].filter((subject) => bad.has(subject) !== isGood);
}

function inOrder(findings) {
  const names = subjects();
  const good = subjectsOf(findings, true).map((subject) => names[subject] || subject);
  return good.length > 0 && h('p', {}, mark('ok'), ` ${good.join(' · ')}`);
}

function list(caption, rows) {
  const names = subjects();
  return table({
    caption,
    columns: [
      {title: t('Subject'), header: true, cell: ([subject]) => names[subject] || subject},
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
    n === 0 ? t('Everything works.') : tn('{n} point needs attention.', '{n} points need attention.', n);
  return h('p', {class: 'rd-health-summary'}, mark(worst(rows)), ' ', text);
}

// --- The view -----------------------------------------------------------------------------------------

// A service that is not ready answers 503, and says why.
async function load(api, signal) {
  try {
    const state = await api.get('/health', {}, signal);
    if (!state.version) throw new ApiError(401); // what strangers see
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

  let isOpen = false;
  const render = (state) => {
    const found = state.findings || [];
    // A check says more than a state that is good; a state that is not says what to do.
    const checked = new Set(found.map(({subject}) => subject));
    const rows = stateRows(state).filter(([subject, health]) => health !== 'ok' || !checked.has(subject));
    const findings = problemRows(found).filter(([subject]) => !rows.some((row) => row[0] === subject));
    updated.textContent = t('Checked at {time}', {time: clock(from.loadedAt)});
    return [
      summary([...rows, ...findings]),
      list(t('State'), rows),
      found.length > 0 && [
        h('h4', {}, t('Checks')),
        findings.length > 0 && list(t('Checks'), sorted(findings)),
        inOrder(found),
        h(
          'details',
          {open: isOpen, ontoggle: (event) => (isOpen = event.target.open)},
          h('summary', {'data-focus': 'reports'}, t('What the service reports')),
          found.map(report),
        ),
      ],
      h(
        'p',
        {class: 'rd-soft'},
        t('Checks that need root are made by “{command}”.', {command: 'sudo ratingctl doctor'}),
      ),
    ];
  };
  context.root.append(panel(context, {title: t('State of the service'), source: from, height: 420, render}));

  const isDue = () =>
    !document.hidden && !from.busy && Date.now() - (from.loadedAt || 0) >= refreshAfter - 100;
  const refresh = () => isDue() && !from.error && from.reload();
  const timer = setInterval(refresh, refreshAfter);
  document.addEventListener('visibilitychange', refresh, {signal: context.signal});
  context.signal.addEventListener('abort', () => clearInterval(timer));
  from.reload();
}

const order = ['fail', 'warn', 'ok'];
const sorted = (rows) => [...rows].sort((a, b) => order.indexOf(a[1]) - order.indexOf(b[1]));
