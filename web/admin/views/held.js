// Shows the suspicious votes that ratingd holds for review. Held votes are stored, but they do not count
// until an administrator releases them.

import {confirm} from '../confirm.js';
import {emptyState, pager, table} from '../controls.js';
import {h} from '../dom.js';
import {failure} from '../failure.js';
import {atPage, panel, source} from '../panel.js';
import {heldReasons, nameOf, objectCell, ratingCell, timeCell} from '../pieces.js';
import {hashFor} from '../route.js';
import {selectable} from '../selection.js';
import {number, t, timeRange, tn} from '../words.js';

export const name = 'held';
export const title = () => t('Held');
export const right = 'administer';

const perPage = 50;
const atOnce = 100; // The number of votes in a request. It is small, so that progress can be shown.
const mostListed = 2000; // If an object has more held votes than this number, the view does not search for bursts.
const gap = 10 * 60 * 1000; // The maximum time between two votes of a burst, in milliseconds.

// Returns the number of held votes, which the tab and the menu entry show.
const countHeld = async (api, signal) =>
  (await api.get('/data/held', {per_page: 1, _fields: 'success'}, signal)).total;

function voterName(held) {
  if (held.user_id) return t('User {id}', {id: held.user_id});
  if (held.issuer) return t('{subject} at {issuer}', {subject: held.subject, issuer: held.issuer});
  return t('visitor');
}

// Finds the bursts among the held votes, and returns them as [{reasons, from, to, ids}]. All votes in a
// burst were held for the same reasons. The time between two successive votes in a burst is at most
// "gap". "rows" is ordered from the newest to the oldest vote.
function burstsOf(rows) {
  const bursts = [];
  for (const {id, reasons, held_at: at} of rows) {
    const key = reasons.join();
    const near = bursts.find((one) => one.key === key && new Date(one.from) - new Date(at) <= gap);
    if (near) {
      near.ids.push(id);
      near.from = at;
    } else {
      bursts.push({key, reasons, from: at, to: at, ids: [id]});
    }
  }
  return bursts;
}

// The name of a user links to all of the user's ratings.
const voter = (held) =>
  held.user_id ? h('a', {href: hashFor(['people', String(held.user_id)])}, voterName(held)) : voterName(held);

const questions = {
  release: (n, objectName) => ({
    title: tn('Release {n} held vote?', 'Release {n} held votes?', n),
    text: [
      t('Released votes count from the time they were cast.'),
      objectName && t('Content: {name}', {name: objectName}),
    ],
    action: tn('Release {n} vote', 'Release {n} votes', n),
  }),
  drop: (n, objectName) => ({
    title: tn('Delete {n} held vote?', 'Delete {n} held votes?', n),
    text: [
      t('Deleted votes never count and cannot be restored.'),
      objectName && t('Content: {name}', {name: objectName}),
    ],
    action: tn('Delete {n} vote', 'Delete {n} votes', n),
    danger: true,
  }),
};

const button = (text, onclick, more) =>
  h('button', {type: 'button', class: 'button', onclick, ...more}, text);

export function show(context) {
  const {api, params} = context;
  const object = params.get('object_id') && {
    object_id: params.get('object_id'),
    object_type: params.get('object_type') || 'post',
  };
  const selected = new Set();
  const bar = h('progress', {max: 1, 'aria-label': t('Progress')});
  const done = h('span', {role: 'status'});
  const stop = h('button', {type: 'button', class: 'button', onclick: () => (isStopped = true)}, t('Stop'));
  const progress = h('div', {class: 'rd-filters', hidden: true}, bar, done, stop);
  let isRunning = false;
  let isStopped = false;
  context.unsaved = () => isRunning;
  context.leaveQuestion = t('Leave this page before deciding on all votes?');

  const from = source(context, async (signal) => {
    const answer = await atPage(context, (page) =>
      api.get('/data/held', {...object, page, per_page: perPage}, signal),
    );
    context.badge(object ? await countHeld(api, signal) : answer.total);
    return object ? {...answer, bursts: await findBursts(answer, signal)} : answer;
  });

  async function findBursts({total}, signal) {
    if (total <= 1 || total > mostListed) return [];
    const asked = {...object, per_page: atOnce, _fields: 'data.id,data.reasons,data.held_at'};
    const rows = [];
    for (let next = 1; rows.length < total; ++next) {
      const {data} = await api.get('/data/held', {...asked, page: next}, signal).catch((error) => {
        if (error.code === 'rest_invalid_page_number') return {data: []}; // The votes were resolved in the meantime.
        throw error;
      });
      if (data.length === 0) break;
      rows.push(...data);
    }
    return burstsOf(rows);
  }

  // Splits "ids" into lists of at most "atOnce" ids. If "ids" is null, yields the ids of all held votes on the object.
  async function* parts(ids) {
    for (let i = 0; ids && i < ids.length; i += atOnce) yield ids.slice(i, i + atOnce);
    while (!ids) {
      const {data} = await api.get('/data/held', {...object, per_page: atOnce, _fields: 'data.id'});
      if (data.length === 0) return;
      yield data.map(({id}) => id);
    }
  }

  function showProgress(count, n) {
    bar.value = n ? Math.min(1, count / n) : 0;
    done.textContent = t('{done} of {n}', {done: number(count), n: number(n)});
  }

  const outcomes = {
    release: (n) => tn('{n} vote released. It counts now.', '{n} votes released. They count now.', n),
    drop: (n) => tn('{n} vote deleted.', '{n} votes deleted.', n),
  };

  // Releases or drops the "n" votes whose ids are in "ids". If "ids" is null, releases or drops all held votes on the
  // object.
  async function resolve(action, n, ids, objectName) {
    if (isRunning) return;
    const needsSure = action === 'drop' || n > 1;
    if (needsSure && !(await confirm(questions[action](n, objectName)))) return;
    isRunning = true;
    isStopped = false;
    progress.hidden = n <= atOnce;
    let count = 0;
    try {
      for await (const some of parts(ids)) {
        showProgress(count, n);
        const {data} = await api.send('POST', '/data/held', {action, ids: some});
        count += data.released ?? data.dropped;
        // If the request did not change any votes, another administrator has already released or dropped
        // them.
        if (isStopped || context.signal.aborted || (data.released ?? data.dropped) === 0) break;
      }
      context.notify('success', outcomes[action](count));
      selected.clear();
      // Releasing or dropping votes shortens the list, so its current page may no longer exist.
      const pages = Math.ceil((from.data.total - count) / perPage);
      if (params.get('page') > pages) context.update({page: pages > 1 && pages});
    } catch (error) {
      const text = failure(context, error, count === 0 && t('Nothing was changed.'));
      context.notify('error', count > 0 && [outcomes[action](count), ' '], text);
    }
    isRunning = false;
    progress.hidden = true;
    await from.reload();
  }

  const rowButtons = (held) => {
    const act = (action, text, label) =>
      button(text, () => resolve(action, 1, [held.id], nameOf(held)), {
        class: action === 'drop' ? 'button rd-danger' : 'button',
        'aria-label': label,
        'data-focus': `${action}-${held.id}`,
      });
    const of = {name: nameOf(held), voter: voterName(held)};
    return h(
      'div',
      {class: 'rd-actions'},
      act('release', t('Release'), t('Release the vote by {voter} on {name}', of)),
      act('drop', t('Delete'), t('Delete the vote by {voter} on {name}', of)),
    );
  };

  function columns(box) {
    const ofObject = (held) => ({object_id: held.object_id, object_type: held.object_type});
    const what = (held) => [
      objectCell(held),
      !object && h('div', {}, h('a', {href: hashFor(['held'], ofObject(held))}, t('Only this content'))),
    ];
    const names = heldReasons();
    return [
      box,
      {title: t('Content'), header: true, cell: what},
      {title: t('Vote'), cell: ratingCell},
      {title: t('Voter'), cell: voter},
      {title: t('Reason'), cell: (held) => held.reasons.map((one) => h('div', {}, names[one] || one))},
      {title: t('Since'), cell: (held) => timeCell(held.held_at)},
      {title: t('Actions'), cell: rowButtons},
    ];
  }

  // Returns the buttons that release or drop "n" votes at once. If "ids" is null, the buttons act on all held votes on
  // the object.
  const both = (key, n, ids, objectName, release, drop) => [
    button(release, () => resolve('release', n, ids, objectName), {'data-focus': `release-${key}`}),
    button(drop, () => resolve('drop', n, ids, objectName), {'data-focus': `drop-${key}`, class: 'button rd-danger'}),
  ];

  function burstList(bursts, objectName) {
    const several = bursts.filter(({ids}) => ids.length > 1);
    if (bursts.length < 2 || several.length === 0) return null;
    const names = heldReasons();
    const line = ({reasons, from: first, to: last, ids}, index) => {
      const n = {n: number(ids.length)};
      return h(
        'li',
        {},
        h(
          'span',
          {},
          timeRange(first, last),
          ' · ',
          reasons.map((one) => names[one] || one).join(', '),
        ),
        h(
          'span',
          {class: 'rd-actions'},
          both(
            `burst-${index}`,
            ids.length,
            ids,
            objectName,
            t('Release these votes ({n})', n),
            t('Delete these votes ({n})', n),
          ),
        ),
      );
    };
    return [h('h3', {}, t('Votes that arrived together')), h('ul', {class: 'rd-bursts'}, several.map(line))];
  }

  function listOf(rows, total, bursts) {
    const several = (action) => (ids) => resolve(action, ids.length, ids);
    const objectName = nameOf(rows[0]);
    const count = {n: number(total)};
    const whole = () =>
      both(
        'object',
        total,
        null,
        objectName,
        t('Release all votes for this content ({n})', count),
        t('Delete all votes for this content ({n})', count),
      );
    const list = selectable({
      rows,
      selected,
      idOf: ({id}) => id,
      label: (held) => t('Select the vote by {voter} on {name}', {voter: voterName(held), name: nameOf(held)}),
      actions: [
        {
          key: 'release',
          text: (n) => (n ? t('Release selected ({n})', n) : t('Release selected')),
          act: several('release'),
        },
        {key: 'drop', danger: true, text: (n) => (n ? t('Delete selected ({n})', n) : t('Delete selected')), act: several('drop')},
      ],
      list: (box) => table({caption: t('Held votes'), columns: columns(box), rows}),
      more: object && whole(),
    });
    return [object && h('div', {class: 'rd-about'}, burstList(bursts, objectName)), list];
  }

  function render({data: rows, total, pages, bursts}) {
    if (rows.length === 0) {
      return emptyState(
        t('No votes are held.'),
        t('Suspicious votes appear here if the “Hold suspicious ratings” setting is on.'),
      );
    }
    return [listOf(rows, total, bursts), pager(context, {pages, total}, from.reload)];
  }

  const everything = object && h('a', {class: 'button', href: hashFor(['held'])}, t('Show all content'));
  if (everything) context.tools.append(everything);
  context.root.append(
    h(
      'p',
      {class: 'rd-soft rd-lead'},
      t('Held votes are stored but do not count. Release the honest votes, and delete the other votes.'),
    ),
    progress,
    panel(context, {source: from, height: 400, className: 'rd-card rd-held', render}),
  );
  from.reload();
}
