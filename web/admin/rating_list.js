// Shows a list of individual ratings. Users with permission to administer the site and to see voters can
// select ratings with checkboxes, and delete or download the selected ratings.

import {confirm} from './confirm.js';
import {failure} from './failure.js';
import {loadTransfer} from './load_later.js';
import {ratingsTable} from './pieces.js';
import {selectable} from './selection.js';
import {dateTime, ratingValue, t, tn} from './words.js';

// Returns the "ids" request parameter, which asks ratingd to include the ids of ratings in the response.
// The ids are needed only for selecting ratings.
export const withIds = ({rights}) => ({ids: rights.has('administer') && rights.has('see_persons') ? 'true' : ''});

async function removeSelected(context, ids, of, reload) {
  const n = ids.length;
  const isSure = await confirm({
    title: tn('Delete {n} rating?', 'Delete {n} ratings?', n),
    text: [
      tn('{n} rating will be deleted: {of}.', '{n} ratings will be deleted: {of}.', n, {of}),
      t('Deleted ratings cannot be restored. Download the ratings first if you might need them.'),
    ],
    action: tn('Delete {n} rating', 'Delete {n} ratings', n),
    danger: true,
  });
  if (!isSure) return;
  try {
    const {data} = await context.api.send('POST', '/data/clean', {scope: 'ratings', ratings: ids, confirm: true});
    context.notify('success', tn('{n} rating deleted.', '{n} ratings deleted.', data.ratings));
    await reload();
  } catch (error) {
    context.notify('error', failure(context, error, t('Nothing was deleted.')));
  }
}

async function saveSelected(context, ids) {
  try {
    const {saveRatings} = await loadTransfer();
    await saveRatings(context, {ratings: ids.join(',')}, `ratingd-${location.hostname}-selected.csv`);
  } catch (error) {
    context.notify('error', error.status === undefined ? t('The file could not be loaded.') : failure(context, error));
  }
}

// "voters", "objects" and "counted" have the same meaning as in ratingsTable(). "selected" is a Set of the ids of
// the selected ratings. "of" is the name of the user or object whose ratings are listed. "reload()" is
// called after a deletion and must reload the list.
export function ratingList(context, caption, rows, {selected, of, reload, ...options}) {
  const list = (box) => ratingsTable(caption, rows, {...options, box});
  if (rows.length === 0 || !rows[0].id) return list();
  return selectable({
    rows,
    selected,
    idOf: ({id}) => id,
    label: ({category, value, rated_at: at}) =>
      t('Select the {rating} rating from {time}', {rating: ratingValue(category, value), time: dateTime(at)}),
    actions: [
      {
        key: 'save',
        text: (n) => (n ? t('Download selected ({n})', n) : t('Download selected')),
        act: (ids) => saveSelected(context, ids),
      },
      {
        key: 'delete',
        danger: true,
        text: (n) => (n ? t('Delete selected ({n})', n) : t('Delete selected')),
        act: (ids) => removeSelected(context, ids, of(), reload),
      },
    ],
    list,
  });
}
