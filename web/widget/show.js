// Loads and shows the numbers of widgets.

import {all, api, create, dataOf, further, keyOf, round, settings, trusted, typeOf, warn} from './page.js';
import {ask, askPublic} from './server.js';
import {format, formatAverage, ownWord, votesWord, word, words} from './words.js';

export const buttons = 'button[data-value]';
export const sliders = 'input[data-value]';

export const widgets = new Set();
export const isAttached = (widget) => widgets.has(widget);
export const isBusy = (widget) => widget.ariaBusy === 'true';

export const find = (widget, selector) => widget.querySelector(selector);

// --- The visitor's own rating --------------------------------------------------------------------

// Returns a button that acts on the visitor's own rating.
export const action = (widget, name) =>
  create('button', {
    type: 'button',
    className: 'ratingd-choice ratingd-' + name,
    textContent: word(widget, name),
    ariaLabel: word(widget, name + '_own') || word(widget, name),
  });

// Returns whether the visitor may withdraw the rating. Visitors cannot withdraw final ratings, or
// ratings that cannot be changed yet.
const mayRemove = (widget) => !/^(already|cool)/.test(dataOf(widget).refused);

// Shows the visitor's own rating in words. For ratings on a scale, also shows buttons that change and remove the
// rating.
export const showOwn = (widget, own) => {
  for (const element of all(widget, '[data-stat=own]')) {
    element.textContent = own === null ? '' : ownWord(widget, own, dataOf(element).scale || 1);
  }
  const {refused, category, facets, template} = dataOf(widget);
  const names = [];
  if (category === 'scale' && own !== null && template !== 'criteria') {
    if (!refused && !facets) names.push('change'); // a criterion has only room for one line
    if (mayRemove(widget)) names.push('remove');
  }
  const actions = find(widget, '.ratingd-actions');
  if (!actions || actions.shown === '' + names) return; // do not replace a button that may have the focus
  actions.shown = '' + names;
  actions.replaceChildren(...names.flatMap((name, i) => [i ? ' · ' : '', action(widget, name)]));
};

// --- The controls --------------------------------------------------------------------------------

export const showControls = (widget, own, average) => {
  const {category, refused} = dataOf(widget);
  widget.slider?.show(own, average, !!refused);
  const choices = all(widget, buttons);
  const distance = (button) => Math.abs(dataOf(button).value - own);
  // Select the star that is nearest to the rating. No star corresponds to a rating of 0, which only programs can send.
  let chosen = own !== null && [...choices].sort((a, b) => distance(a) - distance(b))[0];
  if (chosen && (category !== 'scale' || !own) && distance(chosen)) chosen = null;
  for (const button of choices) {
    const isChosen = button === chosen;
    button.ariaDisabled = !!refused && !(isChosen && category !== 'scale' && mayRemove(widget));
    if (button.role === 'radio') {
      button.ariaChecked = isChosen;
      // Describe the number of stars in words for the tooltip and for screen readers.
      button.title = word(widget, 'step_' + (button.step || dataOf(button).value * 5));
      // The Tab key focuses only one button in a group. Arrow keys move the focus within the group.
      button.tabIndex = button === (chosen || choices[0]) ? 0 : -1;
    } else {
      button.ariaPressed = isChosen;
      button.was ??= button.title;
      button.title = isChosen && category !== 'scale' ? word(widget, 'remove_own') : button.was;
    }
  }
};

// --- The numbers ---------------------------------------------------------------------------------

// Returns the number of ratings that round to "step" stars on a scale of "stars" stars. "tenths"
// contains, at index i, the number of ratings nearest to i / 10. On a scale of less than seven stars, a half star may
// be up to 0.2 less than a half, and is rounded up. On a longer scale, a whole star may be more than 0.3 too high.
const inStep = (tenths, step, stars) => {
  let sum = 0; // Prototype 1.6 replaces reduce().
  tenths.forEach((count, tenth) => (sum += (round((tenth * stars) / 10 + (stars < 7) / 5) || 1) === step && count));
  return sum;
};

// Returns the text with the key "name". If a login is required, the text is a link to the login page. The login page
// redirects back to this page.
export const loginOr = (widget, name) => {
  const textContent = word(widget, name);
  return name === 'login' && settings.login
    ? create('a', {href: settings.login + encodeURIComponent(location), textContent})
    : textContent;
};

export const reasonOf = (widget) => {
  const {refused} = dataOf(widget);
  const other = /^login/.test(refused) ? 'login' : 'disabled';
  return refused && loginOr(widget, refused in words ? refused : other);
};

// Shows the reason why the visitor may not vote, or invites the visitor to be the first voter.
const showHint = (widget) => {
  const {empty} = dataOf(widget);
  find(widget, '.ratingd-hint')?.replaceChildren(reasonOf(widget) || (empty ? word(widget, 'first') : ''));
};

const show = (widget, data) => {
  const dataset = dataOf(widget);
  const {category, hideResult = 'false'} = dataset;
  const totals = data.stats[category];
  if (!(totals?.total >= 0)) return; // the response does not contain the category
  const own = data.user_ratings?.[category]?.value ?? null; // public numbers do not contain the visitor's own ratings
  const set = (name, value) => (value ? (dataset[name] = value) : delete dataset[name]);
  dataset.userRating = own ?? '';
  delete dataset.pending;
  set('refused', data.refusals?.[category]);
  const isHidden = own === null && hideResult !== 'false';
  set('empty', category === 'scale' && !totals.total && !isHidden);
  const average = isHidden ? null : totals.average;
  if ('tenths' in dataset) {
    dataset.tenths = average === null ? '' : round(average * 10);
    // Fill the icons in steps of half an icon.
    widget.style.setProperty('--ratingd-fill', round(average * 2 * (widget.stars || 5)) / 2);
  }
  for (const element of all(widget, '[data-count],[data-stat]')) {
    const {count, stat, scale = 1} = dataOf(element);
    const [, step] = /^s\w+_(.+)$/.exec(stat) || []; // step_1, share_1 ...
    const number = step ? inStep(totals.distribution, +step, widget.stars || 5) : totals[count || stat];
    if (stat === 'own') continue;
    if (stat === 'average') element.textContent = formatAverage(average, scale);
    else if (/^share/.test(stat)) element.value = isHidden ? 0 : number / totals.total || 0;
    else if (isHidden) element.textContent = '';
    else element.textContent = stat === 'votes' ? votesWord(widget, totals.total) : format(number || 0);
  }
  showOwn(widget, own);
  showControls(widget, own, average);
  showHint(widget);
  if (category === 'scale' && dataset.schema) {
    further('schema').then((one) => one.show(widget, totals, trusted), warn);
  }
  widget.dispatchEvent(new CustomEvent('ratingd:updated', {bubbles: true, detail: data}));
};

// Stores the newest numbers for each object, for widgets that are built later. The keys contain the
// object ids from the page, because long ids in a JSON response lose digits in JavaScript.
const newest = {};
const times = {};
export const isKnown = (widget) => keyOf(widget) in newest;
// "sent" is the time of the request. Numbers from a slow request may be older than the last vote.
export const showAll = (key, data, sent = performance.now()) => {
  if (sent < times[key]) return;
  times[key] = sent;
  // Public numbers may be outdated, so they must not replace numbers that include the visitor's own ratings.
  if (data.user_ratings || !newest[key]?.user_ratings) newest[key] = data;
  for (const widget of widgets) if (keyOf(widget) === key) attach(widget);
  for (const name in data.facets) showAll(key.replace(' ', `:${name} `), data.facets[name], sent);
};

// Shows the newest numbers in a widget. Waits until the visitor stops moving the slider and all pending
// votes have been stored.
export const attach = (widget) => {
  const data = newest[keyOf(widget)];
  widgets.add(widget);
  if (widget.timer || isBusy(widget) || find(widget, ':active')) setTimeout(attach, 99, widget);
  else if (data) show(widget, data);
};

export const forgetRemoved = () => {
  for (const widget of widgets) if (!widget.isConnected) widgets.delete(widget);
};

// --- Requests ------------------------------------------------------------------------------------

// After a vote, the site's pages in other tabs reload their numbers. When the browser restores a page
// from its cache, the page also reloads the numbers.
let tabs;
export const joinTabs = () => {
  try {
    tabs = new BroadcastChannel(api);
    tabs.onmessage = ({data}) => load([...widgets].filter((one) => keyOf(one) === data));
  } catch {
    // Firefox does not provide BroadcastChannel to pages that are not allowed to store data.
  }
};
export const tellTabs = (key) => tabs?.postMessage(key);
addEventListener('pageshow', ({persisted}) => persisted && load([...widgets]));

// Returns the query parameters for a widget. One request loads the numbers for all widgets with the same
// object type and facets.
const queryOf = (widget) => {
  const {facets, whole} = dataOf(widget);
  return facets ? whole + ' ' + facets : typeOf(widget);
};

// Loads the numbers for "elements". If a request fails, the numbers in the page do not change, and the result contains
// the error.
export const load = (elements) => {
  const ids = {__proto__: null}; // a type may be called "constructor"
  for (const element of elements) (ids[queryOf(element)] ??= new Set()).add(dataOf(element).objectId);
  const loadAll = async ([query, set]) => {
    const list = [...set].sort(); // a fixed order, so that pages with the same widgets share one cached response
    const [type, facets] = query.split(' ');
    while (list.length) {
      // One request reads at most 100 objects and facets.
      const some = list.splice(0, 100 / query.split(/[ ,]/).length);
      // Ad blockers block addresses with "/stats?object", so another parameter is first.
      const asked = new URLSearchParams({_method: 'GET', object_type: type, object_ids: some, ...(facets && {facets})});
      const sent = performance.now();
      const {data} = await ask('stats?' + asked).catch((error) => askPublic(asked, error));
      some.forEach((id, i) => showAll(type + ' ' + id, data[i], sent));
    }
  };
  return Promise.all(Object.entries(ids).map((one) => loadAll(one).catch((error) => warn(error) || error)));
};
