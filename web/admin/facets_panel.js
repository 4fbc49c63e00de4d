// Shows the figures for an object's criteria and reactions. The panel is hidden if the object has no ratings of
// criteria or reactions.

import {table} from './controls.js';
import {h} from './dom.js';
import {panel, source} from './panel.js';
import {averagesCell, categories} from './pieces.js';
import {hashFor} from './route.js';
import {facetNames, isFacet, number, t, typeName} from './words.js';

const of = (stats, key) => Object.fromEntries(categories.map((category) => [category, stats[category][key]]));

const rowsOf = (type, facets) =>
  Object.entries(facets)
    .map(([name, {stats}]) => ({type: `${type}:${name}`, totals: of(stats, 'total'), averages: of(stats, 'average')}))
    .map((row) => ({...row, total: Object.values(row.totals).reduce((sum, one) => sum + one, 0)}))
    .filter(({total}) => total > 0);

export function facetsPanel(context, type, id) {
  const names = facetNames();
  const place = h('div', {hidden: true});
  if (names.length === 0 || isFacet({object_type: type})) return place;
  const none = (error) => {
    if (![400, 404].includes(error.status)) throw error;
    return {facets: {}}; // the names were removed, the type is too long for facets, or the object is not public
  };
  const facets = source(context, (signal) =>
    context.api.get(`/stats/${id}`, {object_type: type, facets: names.join(',')}, signal).catch(none),
  );
  const caption = `${t('Criteria and reactions')} · ${t('all time')}`;
  const render = (answer) => {
    const rows = rowsOf(type, answer.facets);
    place.hidden = rows.length === 0;
    return table({
      caption,
      columns: [
        {
          title: t('Label'),
          header: true,
          cell: (row) => h('a', {href: hashFor(['content', row.type, id]), dir: 'auto'}, typeName(row.type)),
        },
        {title: t('Ratings'), kind: 'number', cell: ({total}) => number(total)},
        {title: t('Averages'), kind: 'number', cell: averagesCell},
      ],
      rows,
    });
  };
  place.append(panel(context, {title: caption, source: facets, className: 'rd-list', render}));
  facets.reload();
  return place;
}
