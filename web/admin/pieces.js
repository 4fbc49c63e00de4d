// Builds parts that several views use: figures, ratings, and links to objects and people.

import {byteOrderMark, csvRow} from './csv.js';
import {emptyState, table} from './controls.js';
import {h} from './dom.js';
import {failure} from './failure.js';
import {hashFor} from './route.js';
import {symbol} from './symbols.js';
import * as words from './words.js';
import {t, tn} from './words.js';

export const categories = ['binary', 'bipolar', 'scale'];

// Returns a group of figures. "items" is [{name, value, note, category}]. On narrow screens, each group is on a
// separate line.
const figureGroup = (items) =>
  h(
    'dl',
    {class: 'rd-figures', style: {'flex-grow': items.length, 'flex-basis': items.length * 142 + 'px'}},
    items.map((item) =>
      h(
        'div',
        {class: 'rd-card'},
        h('dt', {}, symbol(item.category), item.name),
        h('dd', {class: 'rd-figure'}, item.value),
        h('dd', {class: 'rd-soft'}, item.note || '\u00a0'),
      ),
    ),
  );

export const figures = (...groups) =>
  h('div', {class: 'rd-figure-groups'}, groups.filter((items) => items.length > 0).map(figureGroup));

const blank = {name: '\u00a0', value: '\u00a0'};
// Returns empty groups of figures as placeholders that are as tall as real groups. Each argument is the
// number of figures in a group.
export const blankFigures = (...counts) => figures(...counts.map((n) => Array(n).fill(blank)));

// Describes how much the number of ratings has changed since the previous period. "before" is the number of ratings
// in the previous period. The text contains a plus or minus sign, because not all users can distinguish
// the colours.
export function changeText(difference, before) {
  if (before === 0 && difference === 0) return t('no ratings in the previous period either');
  const text = before
    ? words.signedPercent(difference / before, before < 1000 ? 0 : 1)
    : words.signed(difference);
  const tone = difference > 0 ? 'rd-up' : difference < 0 ? 'rd-down' : '';
  return [h('span', {class: tone}, text), ' ', t('from {number}', {number: words.number(before)})];
}

// Returns how much an average has changed since the previous period. Depending on the category, the unit is percentage
// points, a score or stars. Returns null if either of the two averages is unknown.
export function averageDifference(category, now, before) {
  const [is, was] = [now, before].map((value) => words.averageNumber(category, value));
  return is === null || was === null ? null : Number((is - was).toFixed(2));
}

function averageChange(category, now, before) {
  const difference = averageDifference(category, now, before);
  if (difference === null) return null;
  const tone = difference > 0 ? 'rd-up' : difference < 0 ? 'rd-down' : 'rd-soft';
  return h('span', {class: tone}, words.difference(category, difference));
}
const fromBefore = (category, before) => t('from {number}', {number: words.average(category, before)});

// Returns the figures for each category with ratings. "change" is optional and describes the change since the previous
// period.
export const statFigures = (stats, change) =>
  categories
    .filter((category) => stats[category].total > 0)
    .map((category) => {
      const one = stats[category];
      const changeOf = () => {
        const before = change?.previous_averages[category];
        const text = averageChange(category, one.average, before ?? null);
        if (!text) return null;
        const isScore = category === 'bipolar'; // The figure is a sum, so the text shows the average before its change.
        return [isScore && t('Average') + ' ', text, ' ', fromBefore(category, before), h('br')];
      };
      const note = {
        binary: () => tn('likes out of {n} rating', 'likes out of {n} ratings', one.total),
        bipolar: () =>
          t('{up} up, {down} down', {up: words.number(one.positive), down: words.number(one.negative)}),
        scale: () =>
          tn('of {maximum} · {n} rating', 'of {maximum} · {n} ratings', one.total, {
            maximum: words.getScaleMaximum(),
          }),
      };
      return {
        category,
        name: words.categoryNames()[category],
        value: category === 'bipolar' ? words.signed(one.score) : words.average(category, one.average),
        note: [changeOf(), note[category]()],
      };
    });

// WordPress stores titles with HTML entities, which plainText() replaces with characters.
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
  (row.title && plainText(row.title)) || t('{type} {id}', {type: words.typeOf(row), id: row.object_id});

// Returns the text for each reason why votes may be held.
export const heldReasons = () => ({
  few_networks: t('Many votes from few networks'),
  one_agent: t('Same browser and same rating from many networks'),
});

// Returns the object's title as a link to the object's details.
export const objectCell = (row) => [
  h('a', {href: hashFor(['content', row.object_type, String(row.object_id)]), dir: 'auto'}, nameOf(row)),
  row.title &&
    (words.isFacet(row) || (row.type || row.object_type) !== 'post') &&
    h('span', {class: 'rd-soft'}, ` (${words.typeOf(row)})`),
];

export function averageChangeCell(category, now, before) {
  const text = averageChange(category, now, before ?? null);
  return text && h('span', {title: fromBefore(category, before)}, h('bdi', {}, text));
}

function changeCell(category, {averages, previous_averages: before}) {
  const cell = averageChangeCell(category, averages[category], before?.[category]);
  return cell && [' ', h('small', {}, cell)];
}

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
          symbol(category),
          h('span', {class: 'screen-reader-text'}, words.categoryNames()[category], ' '),
          h('bdi', {}, words.average(category, row.averages[category])),
          changeCell(category, row),
        ),
    ),
  );

export const timeCell = (text) =>
  text ? h('time', {datetime: text, title: words.dateTime(text)}, words.relative(text)) : '–';

function voterCell({voter}) {
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
  h(
    'span',
    {class: 'rd-key'},
    symbol(row.category, row.category === 'binary' ? row.value === 0 : row.value < 0),
    words.ratingValue(row.category, row.value),
  );

// Shows the text of a reason with its original line breaks.
const reasonCell = ({reason}) => (reason ? h('span', {class: 'rd-reason', dir: 'auto'}, reason) : '–');

// Returns a table of individual ratings. "voters" is true if the user may see the voters. "objects" is false if the
// table shows the ratings of a single object. "box" is an optional table column that contains checkboxes
// (selection.js). "counted" is true if the period has ratings, even if the table has no rows.
export function ratingsTable(caption, rows, {voters, objects = true, box, counted}) {
  if (rows.length === 0) {
    return emptyState(
      counted ? t('Ratings in this period are stored only as totals.') : t('No ratings in this period.'),
    );
  }
  const reasons = rows.some((row) => row.reason);
  return table({
    caption,
    columns: [
      box,
      objects && {title: t('Title'), header: true, cell: objectCell},
      {title: t('Rating'), header: !objects, cell: ratingCell},
      reasons && {title: t('Reason'), cell: reasonCell},
      voters && {title: t('By'), cell: voterCell},
      {title: t('When'), kind: 'number', cell: (row) => timeCell(row.rated_at)},
    ].filter(Boolean),
    rows,
  });
}

// --- Spreadsheet files ------------------------------------------------------------------------------------

const timeOf = (text) => (text ? new Date(text) : null);

// The columns of a spreadsheet file are pairs [title, value(row)].
export const idColumns = () => [
  [t('Type'), (row) => words.typeOf(row)],
  [t('Content ID'), (row) => String(row.object_id)],
];
export const objectColumns = () => [
  [t('Title'), (row) => row.title && plainText(row.title)],
  ...idColumns(),
  [t('Link'), (row) => row.link],
];
export const averageColumns = () =>
  categories.map((category) => [
    words.averageName(category),
    (row) => words.averageNumber(category, row.averages[category]),
  ]);
export const timeColumn = (title, key) => [title, (row) => timeOf(row[key])];
export function ratingColumns() {
  const names = words.categoryNames();
  const value = ({category, value: rating}) =>
    category === 'scale' ? words.averageNumber(category, rating) : words.ratingValue(category, rating);
  return [
    [t('Kind of rating'), (row) => names[row.category]],
    [`${t('Rating')} / ${words.getScaleMaximum()}`, value],
  ];
}
export const reasonColumn = () => [t('Reason'), (row) => row.reason];
export const voterColumn = () => [
  t('By'),
  ({voter}) =>
    voter && ((voter.name && plainText(voter.name)) || (voter.type === 'user' ? String(voter.id) : t('visitor'))),
];

// Returns a button that saves all pages of a list as a spreadsheet file. "columns" is a function that
// returns the columns of the file. Errors are shown as notices.
export function csvButton(context, {path, params, name, columns, rowsOf = (answer) => answer.data}) {
  const perPage = 100;
  const limit = 100;
  async function save() {
    const parts = [byteOrderMark];
    let pages = 1;
    for (let page = 1; page <= Math.min(pages, limit); ++page) {
      const answer = await context.api.get(path, {...params(), per_page: perPage, page});
      words.setTimeZone(answer.meta.timezone);
      const known = columns(answer);
      if (page === 1) parts.push(csvRow(known.map(([title]) => title)));
      parts.push(...rowsOf(answer).map((row) => csvRow(known.map(([, value]) => value(row)))));
      pages = answer.pages;
    }
    context.api.saveCsv(parts, name);
    if (pages <= limit) return;
    const rows = words.number(perPage * limit);
    const text = t('The file contains only the first {rows} rows. To get all rows, choose a shorter period.', {rows});
    context.notify('warning', text);
  }
  const onclick = () =>
    save().catch((error) =>
      context.notify('error', failure(context, error, t('The file could not be loaded.'))),
    );
  return h('button', {class: 'button', type: 'button', onclick}, t('Download CSV'));
}
