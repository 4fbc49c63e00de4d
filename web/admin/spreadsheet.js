// Exports ratings as a spreadsheet file. Terms and number formats are the same as on the administration
// page.

import {
  ApiError,
  byteOrderMark,
  csvRow,
  heldReasons,
  idColumns,
  ratingColumns,
  reasonColumn,
  setTimeZone,
  t,
  timeColumn,
} from './later.js';

const visitorOf = (row) => (row.issuer ? t('{subject} at {issuer}', row) : row.visitor);

// Splits a daily sum of old ratings into one row for each rating value, in ascending order. Old ratings
// are stored as daily sums without voters.
function ratingsOf(row) {
  if (row.kind === 'rating') return [{...row, count: 1}];
  const valueOf = (bin) => (row.category === 'bipolar' ? bin / 5 - 1 : bin / 10);
  return row.bins
    .map((count, bin) => ({...row, count, value: valueOf(bin), rated_at: row.last_rated_at}))
    .filter(({count}) => count > 0);
}

const columns = () => [
  ...idColumns(),
  ...ratingColumns(),
  [t('Ratings'), (row) => row.count],
  [t('User ID'), (row) => row.user_id && String(row.user_id)],
  [t('Visitor'), visitorOf],
  timeColumn(t('First'), 'created_at'),
  timeColumn(t('Last'), 'rated_at'),
  reasonColumn(),
  [t('Held'), (row) => row.held?.map((reason) => heldReasons()[reason] || reason).join('; ')],
];

// "params" are the parameters of GET /data/export. Throws the same errors as api.get(), and also throws
// an error if the response is truncated.
export async function saveRatings(context, params, name) {
  // Days and times in the file are in the site's time zone.
  const {meta} = await context.api.get('/analytics/recent', {per_page: 1, _fields: 'meta'});
  setTimeZone(meta.timezone);
  const known = columns();
  const parts = [byteOrderMark, csvRow(known.map(([title]) => title))];
  let rows = 0;
  let isComplete = false;
  await context.api.readRows('/data/export', {...params, format: 'ndjson'}, (row) => {
    if (row.kind === 'end') isComplete = row.rows === rows;
    else {
      ++rows;
      for (const rating of ratingsOf(row)) parts.push(csvRow(known.map(([, value]) => value(rating))));
    }
  });
  if (!isComplete) throw new ApiError(0);
  context.api.saveCsv(parts, name);
}
