// Provides texts, numbers and dates in the user's language. The English texts are the keys of the translation table:
//
//   t('Rated by {name}', {name})     tn('{n} vote', '{n} votes', n)
//
// Use only string literals as English texts, because xgettext collects literals. A translation is a text, or a list of
// plural forms in gettext's order. The translations may also be in the format of "wp i18n make-json".

let locale = 'en';
let table = {};
let isRightToLeft = false;
let timeZone;
let plurals, categories;
const rightToLeft = ['Arab', 'Hebr', 'Thaa', 'Syrc', 'Nkoo', 'Adlm'];

// Values on scales, such as stars, are stored as numbers from 0 to 1. The user can choose the highest
// value on the page's scales: 5, 10, 100 or, by default, the site's number of stars.
export let scaleMaximums;
let scaleMaximum, kept;
export function setStars(stars) {
  scaleMaximums = [...new Set([stars, 5, 10, 100])].sort((a, b) => a - b);
  kept = 'ratingd-scale' + (stars === 5 ? '' : stars);
  scaleMaximum = stars;
  try {
    scaleMaximum = scaleMaximums.find((n) => String(n) === localStorage.getItem(kept)) || stars;
  } catch {
    // If the browser blocks local storage, use the site's number of stars.
  }
}

// If "words" is missing, English is used for texts, numbers, dates and the text direction.
export function setWords({locale: wanted = 'en', words} = {}) {
  table = words?.locale_data?.messages || (words?.keys ? unpacked(words) : words) || {};
  locale = words || wanted.startsWith('en') ? wanted : 'en';
  try {
    plurals = new Intl.PluralRules(locale);
  } catch {
    locale = 'en'; // The locale is not a valid language tag.
    plurals = new Intl.PluralRules(locale);
  }
  isRightToLeft = rightToLeft.includes(new Intl.Locale(locale).maximize().script);
  categories = plurals.resolvedOptions().pluralCategories;
  const order = ['zero', 'one', 'two', 'few', 'many', 'other'];
  categories = order.filter((category) => categories.includes(category));
}

// Sets the site's time zone, which is "meta.timezone" in responses. The page shows times and days in the site's time
// zone. WordPress also allows time zones such as "+02:00", which older browsers do not support.
export function setTimeZone(name) {
  try {
    new Intl.DateTimeFormat(locale, {timeZone: name});
    timeZone = name;
  } catch {
    timeZone = undefined;
  }
}

export function setScaleMaximum(maximum) {
  scaleMaximum = maximum;
  try {
    localStorage.setItem(kept, maximum);
  } catch {
    // If the browser blocks local storage, the chosen maximum is lost when the page is closed.
  }
}
export const getScaleMaximum = () => scaleMaximum;

// Maps WordPress post types, in a form such as "post:page", to their titles. If the titles are unknown,
// "types" is undefined.
let types;
export const setTypes = (titles) => (types = titles);
export const getTypes = () => types;

// Maps the names of criteria and reactions to their labels. If the labels are unknown, "facets" is
// empty.
let facets = {};
export const setFacets = (labels) => (facets = labels);
export const facetNames = () => Object.keys(facets);
// Returns the label of a facet type such as "post:taste", or undefined for other types.
const facetLabel = (type) => {
  const [, name] = /:([^:]+)$/.exec(type) || [];
  return Object.hasOwn(facets, name) && facets[name];
};
export const isFacet = ({object_type: type}) => Boolean(facetLabel(type));

// Returns the usual name of an object type. ratingd stores ratings of all WordPress post types under the
// object type "post".
export function typeName(type) {
  if (!types) return type;
  const further = {comment: t('Comments'), term: t('Categories and tags'), author: t('Authors')};
  const names = {post: t('WordPress content'), ...further, ...types};
  return Object.hasOwn(names, type) ? names[type] : facetLabel(type) || type;
}
// Returns the name of the object type in a row of a response. For a post, returns the name of its WordPress post type
// if that type is known.
export const typeOf = ({type, object_type: rated}) =>
  facetLabel(rated) || typeName(types && type === 'post' ? 'post:post' : type || rated);

// Returns an object that maps the available types to their names. The map contains WordPress's post types, and the
// types in "others".
export function typeNames(others = []) {
  const own = {post: types ? t('All WordPress content') : 'post', ...types};
  const further = others.filter((type) => !Object.hasOwn(own, type));
  return {...own, ...Object.fromEntries(further.map((type) => [type, typeName(type)]))};
}

// Returns the page's language as the attributes "lang" and "dir".
export const language = () => ({lang: locale, dir: isRightToLeft ? 'rtl' : 'ltr'});

// In right-to-left text, isolates a part that may be left-to-right (Unicode's FIRST STRONG ISOLATE).
const isolated = (text) => (isRightToLeft ? `\u2068${text}\u2069` : text);
const fill = (text, values) =>
  values ? text.replace(/\{(\w+)\}/g, (all, name) => (name in values ? isolated(values[name]) : all)) : text;
// Returns the key of an English text in our own translation files: the first 20 bits of the text's
// FNV-1a hash. If the English texts were the keys, the translation files would be twice as large.
// Translation files contain all keys before the texts, because this order compresses better than pairs
// of keys and texts.
function hash(text) {
  let value = 0x811c9dc5;
  for (const character of String(text)) value = Math.imul(value ^ character.codePointAt(0), 0x01000193) >>> 0;
  return (value >>> 12).toString(36).padStart(hashDigits, '0');
}
const hashDigits = 4;
const unpacked = ({keys, texts}) =>
  Object.fromEntries(texts.map((text, i) => [keys.slice(i * hashDigits, (i + 1) * hashDigits), text]));
const forms = (key) => [].concat(table[key] || table[hash(key)] || []);

export const t = (text, values) => fill(forms(text)[0] || isolated(text), values);

// Translates a message from the service. If the message contains values, the response also contains its "pattern" and
// "values".
export const said = (text, {pattern, values = {}}) =>
  pattern
    ? t(pattern, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, valueSaid(value)])))
    : t(text);
function valueSaid(value) {
  if (typeof value === 'number') return number(value);
  if (value.unit) return format({style: 'unit', unit: value.unit, unitDisplay: 'long'}, value.number);
  return value.pattern ? said('', value) : value;
}
// Returns the "lang" and "dir" attributes for English if the message has no translation, and false
// otherwise.
export const languageSaid = (text, {pattern}) =>
  forms(pattern || text).length === 0 && {lang: 'en', dir: 'ltr'};

// Replaces {n} with the number in the format of the user's language.
export function tn(one, other, n, values) {
  const known = forms(one);
  const index = Math.min(categories.indexOf(plurals.select(n)), known.length - 1);
  return fill(known[index] || isolated(n === 1 ? one : other), {n: number(n), ...values});
}

// Creating a formatter is slow, so the formatter for each set of options is cached.
const formatters = new Map();
function formatter(Kind, options, tag = locale) {
  const key = Kind.name + tag + JSON.stringify(options);
  if (!formatters.has(key)) formatters.set(key, new Kind(tag, options));
  return formatters.get(key);
}
const format = (options, value) => formatter(Intl.NumberFormat, options).format(value);

export const number = (value, digits = 0) => format({maximumFractionDigits: digits}, value);
const fixed = (value, digits, more) =>
  format({minimumFractionDigits: digits, maximumFractionDigits: digits, ...more}, value);
export const signed = (value) => format({signDisplay: 'exceptZero', maximumFractionDigits: 0}, value);
// Formats the difference between two averages. In the "binary" category, "value" is in percentage
// points. In other categories, "value" has the same unit as an average.
export const difference = (category, value) =>
  fixed(value, category === 'binary' ? 1 : 2, {signDisplay: 'exceptZero'});
export const compact = (value) => format({notation: 'compact', maximumFractionDigits: 1}, value);
export const percent = (value, digits = 0) =>
  format({style: 'percent', maximumFractionDigits: digits}, value);
export const signedPercent = (value, digits = 0) =>
  format({style: 'percent', signDisplay: 'exceptZero', maximumFractionDigits: digits}, value);
export function bytes(value) {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'];
  const power = Math.min(3, value < 1000 ? 0 : Math.floor(Math.log10(value) / 3));
  return format(
    {style: 'unit', unit: units[power], maximumFractionDigits: power ? 1 : 0},
    value / 1000 ** power,
  );
}

// Days (YYYY-MM-DD) have no time zone. Timestamps (RFC 3339) are converted to the site's time zone.
const day = (text, options) =>
  formatter(Intl.DateTimeFormat, {...options, timeZone: 'UTC'}).format(new Date(text + 'T00:00:00Z'));
export const date = (text) => day(text, {dateStyle: 'medium'});
export const dateRange = (from, to) =>
  formatter(Intl.DateTimeFormat, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  }).formatRange(new Date(from), new Date(to));
// Returns the current day in the site's time zone. Swedish dates have the form YYYY-MM-DD.
export const today = () =>
  formatter(Intl.DateTimeFormat, {dateStyle: 'short', timeZone}, 'sv').format(new Date());
export const shortDate = (text) => day(text, {day: 'numeric', month: 'short'});
export const weekday = (text) =>
  day(text, {weekday: 'short', day: 'numeric', month: 'short', year: 'numeric'});
export const month = (text) => day(text, {month: 'short', year: 'numeric'});
export const dateTime = (text) =>
  formatter(Intl.DateTimeFormat, {dateStyle: 'medium', timeStyle: 'short', timeZone}).format(new Date(text));
export const timeRange = (from, to) =>
  formatter(Intl.DateTimeFormat, {dateStyle: 'medium', timeStyle: 'short', timeZone}).formatRange(
    new Date(from),
    new Date(to),
  );
// All spreadsheets recognize Swedish dates and times, such as 2026-11-24 10:15:00.
export const timeOfSpreadsheet = (time) =>
  formatter(Intl.DateTimeFormat, {dateStyle: 'short', timeStyle: 'medium', timeZone}, 'sv-SE').format(time);
export const clock = (time) => formatter(Intl.DateTimeFormat, {timeStyle: 'short', timeZone}).format(time);

const spans = [
  ['year', 31536000],
  ['month', 2592000],
  ['day', 86400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];
// Returns a relative time such as "3 hours ago".
export function relative(text, now = Date.now()) {
  const seconds = (new Date(text).getTime() - now) / 1000;
  const [unit, length] = spans.find((span) => Math.abs(seconds) >= span[1]) || spans[5];
  return formatter(Intl.RelativeTimeFormat, {numeric: 'auto'}).format(Math.trunc(seconds / length), unit);
}

// --- Ratings ------------------------------------------------------------------------------------------

export const categoryNames = () => ({
  binary: t('Likes'),
  bipolar: t('Up and down'),
  scale: t('Stars'),
});

// Formats a single rating.
export function ratingValue(category, value) {
  if (category === 'binary') return value > 0 ? t('Like') : t('Dislike');
  if (category === 'bipolar') return value > 0 ? t('Up') : value < 0 ? t('Down') : t('Neutral');
  return t('{value} of {maximum}', {value: number(value * scaleMaximum, 2), maximum: number(scaleMaximum)});
}

// Formats an average of ratings.
export function average(category, value) {
  const shown = averageNumber(category, value);
  if (shown === null) return '–';
  if (category === 'binary') return percent(shown / 100, 1);
  if (category === 'bipolar') return difference(category, shown);
  return fixed(shown, scaleMaximum > 10 ? 1 : 2);
}

// Returns an average in percent, as a score or in stars. The average is rounded from ten-thousandths, as in the plugin
// (figures.php), because 0.819 * 5 is less than 4.095.
export function averageNumber(category, value) {
  if (value === null || value === undefined) return null;
  const [factor, digits] = {
    binary: [100, 1],
    bipolar: [1, 2],
    scale: [scaleMaximum, scaleMaximum > 10 ? 1 : 2],
  }[category];
  const unit = 10 ** digits;
  return (Math.sign(value) * Math.round((Math.round(Math.abs(value) * 1e4) * factor * unit) / 1e4)) / unit;
}
// Returns the name and the unit of averageNumber().
export const averageName = (category) =>
  categoryNames()[category] + {binary: ' %', bipolar: '', scale: ` / ${scaleMaximum}`}[category];

setWords();
setStars(5);
