// What several views show: figures, ratings, links to objects and people.

import {emptyState, table} from './controls.js';
import {h} from './dom.js';
import {failure} from './failure.js';
import {hashFor} from './route.js';
import * as words from './words.js';
import {t, tn} from './words.js';

export const categories = ['binary', 'bipolar', 'scale'];

// A group: [{name, value, note}]. On narrow screens each group has a line of its own.
const figureGroup = (items) =>
  h(
    'dl',
    {class: 'rd-figures', style: {'flex-grow': items.length, 'flex-basis': items.length * 142 + 'px'}},
    items.map((item) =>
      h(
        'div',
        {class: 'rd-card'},
        h('dt', {}, item.name),
        h('dd', {class: 'rd-figure'}, item.value),
        h('dd', {class: 'rd-soft'}, item.note || '\u00a0'),
      ),
    ),
  );

export const figures = (...groups) =>
  h('div', {class: 'rd-figure-groups'}, groups.filter((items) => items.length > 0).map(figureGroup));

// "difference" to a period with "before" ratings. The sign tells the direction, the colour only repeats it.
export function changeText(difference, before) {
  if (before === 0 && difference === 0) return t('none in the previous period either');
  const text = before
    ? words.signedPercent(difference / before, before < 1000 ? 0 : 1)
    : words.signed(difference);
  const tone = difference > 0 ? 'rd-up' : difference < 0 ? 'rd-down' : '';
  return [h('span', {class: tone}, text), ' ', t('from {number}', {number: words.number(before)})];
}

// A figure for each category that has ratings.
export const statFigures = (stats) =>
  categories
    .filter((category) => stats[category].total > 0)
    .map((category) => {
      const one = stats[category];
      const value = {
        binary: () => words.percent(one.positive / one.total, 1), // "average" is rounded
        bipolar: () => words.signed(one.score),
        scale: () => words.average('scale', one.average),
      };
      const note = {
        binary: () => tn('likes among {n} rating', 'likes among {n} ratings', one.total),
        bipolar: () =>
          t('{up} up, {down} down', {up: words.number(one.positive), down: words.number(one.negative)}),
        scale: () =>
          tn('of {maximum} · {n} rating', 'of {maximum} · {n} ratings', one.total, {
            maximum: words.getScaleMaximum(),
          }),
      };
      return {name: words.categoryNames()[category], value: value[category](), note: note[category]()};
    });

// WordPress stores titles with entities, as HTML has them. They are resolved here, and the result stays a text.
const entities = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  hellip: '…',
  ndash: '–',
  mdash: '—',
};
export const plainText = (text) =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi, (all, decimal, hex, word) => {
    if (word) return entities[word.toLowerCase()] || all;
    const code = decimal ? Number(decimal) : parseInt(hex, 16);
    return code > 31 && code < 0x110000 ? String.fromCodePoint(code) : all;
  });

export const nameOf = (row) =>
  (row.title && plainText(row.title)) || t('{type} {id}', {type: row.object_type, id: row.object_id});

// What may be chosen as a type, by names: WordPress's, and others that have ratings.
export const typeNames = (context, others = []) => ({
  post: context.types ? t('All content of WordPress') : 'post',
  ...context.types,
  ...Object.fromEntries(others.filter((name) => name !== 'post' && !context.types?.[name]).map((name) => [name, name])),
});

// The title leads to all about the object.
export const objectCell = (row) => [
  h('a', {href: hashFor(['content', row.object_type, String(row.object_id)]), dir: 'auto'}, nameOf(row)),
  row.object_type !== 'post' && row.title && h('span', {class: 'rd-soft'}, ` ${row.object_type}`),
];

export const averagesCell = (row) =>
  h(
    'span',
    {class: 'rd-averages'},
    categories.map(
      (category) =>
        row.totals[category] > 0 &&
        h(
          'span',
          {class: 'rd-key rd-' + category, title: words.categoryNames()[category]},
          h('span', {class: 'screen-reader-text'}, words.categoryNames()[category], ' '),
          words.average(category, row.averages[category]),
        ),
    ),
  );

export const timeCell = (text) =>
  text ? h('time', {datetime: text, title: words.dateTime(text)}, words.relative(text)) : '–';

export function voterCell({voter}) {
  if (!voter) return '–';
  if (voter.type === 'user') {
    return h(
      'a',
      {href: hashFor(['people', String(voter.id)]), dir: 'auto'},
      (voter.name && plainText(voter.name)) || t('deleted user {id}', {id: voter.id}),
    );
  }
  return voter.name ? plainText(voter.name) : h('span', {class: 'rd-soft'}, t('visitor'));
}

export const ratingCell = (row) =>
  h('span', {class: 'rd-key rd-' + row.category}, words.ratingValue(row.category, row.value));

// Single ratings. "voters": whether the reader may see them. "objects": false where all are of one object.
export function ratingsTable(caption, rows, {voters, objects = true}) {
  if (rows.length === 0) return emptyState(t('No ratings in this period.'));
  return table({
    caption,
    columns: [
      objects && {title: t('Title'), header: true, cell: objectCell},
      {title: t('Rating'), header: !objects, cell: ratingCell},
      voters && {title: t('By'), cell: voterCell},
      {title: t('When'), kind: 'number', cell: (row) => timeCell(row.rated_at)},
    ].filter(Boolean),
    rows,
  });
}

// Saves a list as CSV. Errors are shown where notices are.
export function csvButton(context, path, params, name) {
  const perPage = 100;
  const limit = 100;
  const save = async () => {
    try {
      const isAll = await context.api.download(path, {...params(), per_page: perPage}, name, limit);
      if (!isAll) {
        const rows = words.number(perPage * limit);
        context.notify(
          'warning',
          t('The file has the first {rows} rows. Choose a shorter period for the rest.', {rows}),
        );
      }
    } catch (error) {
      context.notify('error', failure(context, error, t('The file could not be loaded.')));
    }
  };
  return h('button', {class: 'button', type: 'button', onclick: save}, t('Download CSV'));
}
