// The numbers of widgets: loads and shows them.

import {fieldsOf, mostOf, queryOf, showFacets} from './facets.js';
import {all, api, create, dataOf, further, keyOf, round, trusted, typeOf, warn} from './page.js';
import {ask, askPublic} from './server.js';
import {format, formatAverage, ownWord, votesWord, word} from './words.js';

export const buttons = 'button[data-value]';
export const sliders = 'input[data-value]';
export const removers = '.ratingd-remove';

const widgets = new Set();
export const isAttached = (widget) => widgets.has(widget);

export const showSlider = (slider, value, prefix = '') => {
  slider.value = value;
  dataOf(slider).value = slider.value;
  slider.ariaValueText = prefix + formatAverage(+slider.value, 10);
};

// In words; a rating on a scale has a button that removes it.
export const showOwn = (widget, own) => {
  for (const element of all(widget, '[data-stat=own]')) {
    const text = own === null ? '' : ownWord(widget, own, dataOf(element).scale || 1);
    if (element.firstChild?.data === text) continue; // the button may have the focus
    element.textContent = text;
    if (!text || dataOf(widget).category !== 'scale') continue;
    const className = 'ratingd-choice ratingd-remove';
    element.append(create('button', {type: 'button', className, ariaLabel: word(widget, 'remove')}));
  }
};

export const showControls = (widget, own, average) => {
  const slider = widget.querySelector(sliders);
  if (slider) {
    const isAverage = own === null && average !== null;
    showSlider(slider, own ?? average ?? 0.5, isAverage ? word(widget, 'average') + ' ' : '');
  }
  const choices = all(widget, buttons);
  const distance = (button) => Math.abs(dataOf(button).value - own);
  let chosen = own !== null && [...choices].sort((a, b) => distance(a) - distance(b))[0];
  if (chosen && dataOf(widget).category !== 'scale' && distance(chosen)) chosen = null;
  for (const button of choices) {
    const isChosen = button === chosen;
    button.was ??= button.title;
    button.title = isChosen ? word(widget, 'remove') : button.was;
    if (button.role === 'radio') {
      button.ariaChecked = isChosen;
      // One is on the way of the Tab key, the others are reached by arrow keys.
      button.tabIndex = button === (chosen || choices[0]) ? 0 : -1;
    } else {
      button.ariaPressed = isChosen;
    }
  }
};

// The number of ratings that are nearest to 1 ... 5 of 5. "tenths": of the ratings nearest to 0.0, 0.1 ... 1.0.
const inStep = (tenths, step) =>
  tenths.reduce((sum, count, tenth) => sum + ((round(tenth / 2) || 1) === step ? count : 0), 0);

const show = (widget, data) => {
  const dataset = dataOf(widget);
  const {category, hideResult = 'false'} = dataset;
  const totals = data.stats[category];
  if (totals?.total === undefined) return; // no category
  const own = data.user_ratings?.[category]?.value ?? null; // public numbers have no own ratings
  dataset.userRating = own ?? '';
  const isHidden = own === null && hideResult !== 'false';
  const average = isHidden ? null : totals.average;
  if ('tenths' in dataset) dataset.tenths = average === null ? '' : round(average * 10);
  for (const element of all(widget, '[data-count],[data-stat]')) {
    const {count, stat, scale = 1} = dataOf(element);
    const [, step] = /^s\w+_(.)$/.exec(stat) || []; // step_1, share_1 ...
    const number = step ? inStep(totals.distribution, +step) : totals[count || stat];
    if (stat === 'own') continue;
    if (stat === 'average') element.textContent = formatAverage(average, scale);
    else if (/^share/.test(stat)) element.value = isHidden ? 0 : number / totals.total || 0;
    else if (isHidden) element.textContent = '';
    else element.textContent = stat === 'votes' ? votesWord(widget, totals.total) : format(number || 0);
  }
  showOwn(widget, own);
  showControls(widget, own, average);
  if (category === 'scale' && dataset.schema) {
    further('schema').then((one) => one.show(widget, totals, trusted), warn);
  }
  widget.dispatchEvent(new CustomEvent('ratingd:updated', {bubbles: true, detail: data}));
};

// The newest numbers, by key: widgets may be built later. Keys, and not the ids in the answer: long numbers lose digits
// in JSON.
const newest = {};
const times = {};
// "sent" is when the numbers were asked for: slow ones may be older than a vote.
export const showAll = (key, data, sent = performance.now()) => {
  if (sent < times[key]) return;
  times[key] = sent;
  // Public numbers may be a day old: they do not replace what is known.
  if (data.user_ratings || !newest[key]?.user_ratings) newest[key] = data;
  for (const widget of widgets) if (keyOf(widget) === key) attach(widget);
  if (FACETS) showFacets(key, data, sent);
};

// A slider that is held, or whose new value does not count yet, must not move: its widget waits.
export const attach = (widget) => {
  const data = newest[keyOf(widget)];
  widgets.add(widget);
  if (widget.timer || widget.querySelector(':active')) setTimeout(attach, 99, widget);
  else if (data) show(widget, data);
};

export const forgetRemoved = () => {
  for (const widget of widgets) if (!widget.isConnected) widgets.delete(widget);
};

// Other tabs of the site read again what was voted on here; so does a page that comes back as it was left.
let tabs;
export const joinTabs = () => {
  try {
    tabs = new BroadcastChannel(api);
    tabs.onmessage = ({data}) => load([...widgets].filter((one) => keyOf(one) === data));
  } catch {
    // Firefox has none for pages that may store nothing.
  }
};
export const tellTabs = (key) => tabs?.postMessage(key);
addEventListener('pageshow', ({persisted}) => persisted && load([...widgets]));

// One request for each type, also for its facets. What cannot be had stays as the page has it.
export const load = (elements) => {
  const ids = {__proto__: null}; // a type may be called "constructor"
  for (const element of elements) {
    (ids[FACETS ? queryOf(element) : typeOf(element)] ??= new Set()).add(dataOf(element).objectId);
  }
  const loadType = async ([type, set]) => {
    const list = [...set].sort(); // pages with the same widgets share one answer of a cache
    while (list.length) {
      const some = list.splice(0, FACETS ? mostOf(type) : 100);
      const query = new URLSearchParams(FACETS ? fieldsOf(type, some) : {object_type: type, object_ids: some});
      const sent = performance.now();
      const {data} = await ask('stats?' + query).catch((error) => askPublic(query, error));
      some.forEach((id, i) => showAll((FACETS ? type.split(' ')[0] : type) + ' ' + id, data[i], sent));
    }
  };
  return Promise.all(Object.entries(ids).map((one) => loadType(one).catch(warn)));
};
