// Votes that ratingd holds as suspicious: stored, but not counted until an administrator decides.

import {confirm} from '../confirm.js';
import {emptyState, pager, table} from '../controls.js';
import {h} from '../dom.js';
import {failure} from '../failure.js';
import {panel, source} from '../panel.js';
import {heldReasons, nameOf, objectCell, ratingCell, timeCell} from '../pieces.js';
import {hashFor} from '../route.js';
import {selectable} from '../selection.js';
import {number, t, tn} from '../words.js';

export const name = 'held';
export const title = () => t('Held');
export const right = 'administer';

const perPage = 50;

// How many votes are held: what the tab and the menu entry show.
export const countHeld = async (api, signal) =>
  (await api.get('/data/held', {per_page: 1, _fields: 'success'}, signal)).total;

function voterName(held) {
  if (held.user_id) return t('User {id}', {id: held.user_id});
  if (held.issuer) return t('{subject} at {issuer}', {subject: held.subject, issuer: held.issuer});
  return t('Anonymous');
}

// A user's name leads to all ratings of the user.
const voter = (held) =>
  held.user_id ? h('a', {href: hashFor(['people', String(held.user_id)])}, voterName(held)) : voterName(held);

const questions = {
  release: (n, objectName) => ({
    title: tn('Count {n} held vote?', 'Count {n} held votes?', n),
    text: [
      t('They count from the time at which they were cast, as if they had never been held.'),
      objectName && t('Object: {name}', {name: objectName}),
    ],
    action: tn('Release {n} vote', 'Release {n} votes', n),
  }),
  drop: (n, objectName) => ({
    title: tn('Delete {n} held vote?', 'Delete {n} held votes?', n),
    text: [
      t('What is dropped never counts and does not come back.'),
      objectName && t('Object: {name}', {name: objectName}),
    ],
    action: tn('Drop {n} vote', 'Drop {n} votes', n),
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
  let page = Number(params.get('page')) || 1;

  const from = source(context, async (signal) => {
    const ask = (one) => api.get('/data/held', {...object, page: one, per_page: perPage}, signal);
    let answer;
    try {
      answer = await ask(page);
    } catch (error) {
      if (error.code !== 'rest_invalid_page_number') throw error;
      answer = await ask((page = 1)); // somebody else resolved the rest
    }
    context.badge(object ? await countHeld(api, signal) : answer.total);
    return answer;
  });

  // "order": what is sent, beside the action.
  async function resolve(action, n, order, objectName) {
    const needsSure = action === 'drop' || n > 1;
    if (needsSure && !(await confirm(questions[action](n, objectName)))) return;
    try {
      const {data} = await api.send('POST', '/data/held', {action, ...order});
      const done =
        action === 'release'
          ? tn('{n} vote released: it counts now.', '{n} votes released: they count now.', data.released)
          : tn('{n} vote dropped.', '{n} votes dropped.', data.dropped);
      context.notify('success', done);
      selected.clear();
      // The last page may be gone.
      const pages = Math.ceil((from.data.total - n) / perPage);
      page = Math.max(1, Math.min(page, pages));
    } catch (error) {
      context.notify('error', failure(context, error, t('Nothing was changed.')));
    }
    await from.reload();
  }

  function goTo(next) {
    page = next;
    selected.clear();
    context.update({page: next > 1 && String(next)});
    from.reload();
  }

  const rowButtons = (held) => {
    const act = (action, text, label) =>
      button(text, () => resolve(action, 1, {ids: [held.id]}, nameOf(held)), {
        'aria-label': label,
        'data-focus': `${action}-${held.id}`,
      });
    const of = {name: nameOf(held), voter: voterName(held)};
    return h(
      'div',
      {class: 'rd-actions'},
      act('release', t('Release'), t('Release the vote of {voter} on {name}', of)),
      act('drop', t('Drop'), t('Drop the vote of {voter} on {name}', of)),
    );
  };

  function columns(box) {
    const ofObject = (held) => ({object_id: held.object_id, object_type: held.object_type});
    const what = (held) => [
      objectCell(held),
      !object && h('div', {}, h('a', {href: hashFor(['held'], ofObject(held))}, t('Only this object'))),
    ];
    const names = heldReasons();
    return [
      box,
      {title: t('Object'), header: true, cell: what},
      {title: t('Vote'), cell: ratingCell},
      {title: t('Voter'), cell: voter},
      {title: t('Reason'), cell: (held) => held.reasons.map((one) => h('div', {}, names[one] || one))},
      {title: t('Since'), cell: (held) => timeCell(held.held_at)},
      {title: t('Actions'), cell: rowButtons},
    ];
  }

  function listOf(rows, total) {
    const several = (action) => (ids) => resolve(action, ids.length, {ids});
    const whole = (action, text) =>
      button(text, () => resolve(action, total, object, nameOf(rows[0])), {
        'data-focus': `${action}-object`,
      });
    return selectable({
      rows,
      selected,
      idOf: ({id}) => id,
      label: (held) => t('Select the vote of {voter} on {name}', {voter: voterName(held), name: nameOf(held)}),
      actions: [
        {
          key: 'release',
          text: (n) => (n ? t('Release selected ({n})', n) : t('Release selected')),
          act: several('release'),
        },
        {key: 'drop', text: (n) => (n ? t('Drop selected ({n})', n) : t('Drop selected')), act: several('drop')},
      ],
      list: (box) => table({caption: t('Held votes'), columns: columns(box), rows}),
      more: object && [
        whole('release', t('Release all of this object ({n})', {n: number(total)})),
        whole('drop', t('Drop all of this object ({n})', {n: number(total)})),
      ],
    });
  }

  function render({data: rows, total, pages}) {
    if (rows.length === 0) {
      return emptyState(
        t('No votes are held.'),
        t('Suspicious votes appear here if “Hold suspicious ratings” is on in the settings.'),
      );
    }
    return [listOf(rows, total), pager(page, pages, total, goTo)];
  }

  const everything = object && h('a', {class: 'button', href: hashFor(['held'])}, t('Show all objects'));
  if (everything) context.tools.append(everything);
  context.root.append(
    h(
      'p',
      {class: 'rd-soft rd-lead'},
      t('These votes are stored but not counted. Release what is honest, drop what is not.'),
    ),
    panel(context, {source: from, height: 400, className: 'rd-card rd-held', render}),
  );
  from.reload();
}
