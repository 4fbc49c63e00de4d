/*
 * Makes the ratings in a page work: shows their numbers, sends votes, and withdraws votes.
 *
 *   <script src="/wp-json/ratingd/v1/ratingd-widget.js" defer></script>
 *   <ratingd-rating object-id="123" template="simple/stars"></ratingd-rating>
 *
 * Attributes, words and events are described in docs/widgets.md.
 */

import {build} from './build.js';
import {defineElement, options} from './element.js';
import {
  addSheet, adoptSheets, all, api, create, dataOf, further, isNumbered, page, readSettings, round, typeOf, wait, warn,
} from './page.js';
import {post, withdraw} from './server.js';
import {
  attach, find, forgetRemoved, isAttached, isKnown, joinTabs, load, showAll, showControls, showOwn, sliders,
} from './show.js';
import {sheets} from './templates.js';
import {addHandlers, vote} from './vote.js';
import {formatAverage, word, words} from './words.js';

// Put a site's own template into a box. The rules of the template cannot select the box. The box clips everything
// that is painted outside of it, except for focus rings. An inline box cannot clip.
const put = (widget, place) => {
  const isBuiltin = /^simple\//.test(dataOf(widget).template);
  const box = isBuiltin ? widget : create('div', {className: 'ratingd-box'});
  place.replaceWith(box);
  if (isBuiltin) return;
  box.append(widget);
  const display = /^inline/.test(getComputedStyle(widget).display) ? 'inline-block' : 'flow-root';
  box.style = 'max-width:100%;contain:layout paint;overflow:clip;overflow-clip-margin:6px;display:' + display;
};

// Requests the numbers again, once for all widgets, until a response has numbers.
let isWaiting;
const tryLater = async () => {
  if (isWaiting) return;
  isWaiting = true;
  await wait(60_000);
  isWaiting = false;
  scan([page]);
};

// The functions in this script that the scripts for sliders, stars, criteria and reactions use.
const tools = {
  addSheet, all, sheets, create, dataOf, formatAverage, options, post, round, showAll, showControls,
  showOwn, typeOf, vote, withdraw, word, words,
};

// Builds the elements that are marked with data-ratingd. Also activates widgets that the page already contains
// because their numbers may be old.
const scan = async (elements) => {
  // An element may be within another element of the list.
  const within = (selector) => [...new Set(elements.flatMap((one) => all(one, selector)))].filter(isNumbered);
  const prepare = async (widget) => {
    const slider = find(widget, sliders);
    if (slider && !widget.slider) (await further('more-templates')).add(tools, widget, slider);
    if (dataOf(widget).stars) (await further('more-stars')).add(tools, widget);
  };
  const activate = (widget) => {
    const root = widget.getRootNode();
    if (root.host) adoptSheets(root);
    addHandlers(widget);
    attach(widget);
  };
  const found = within('[data-category][data-template]:not([data-ratingd])').filter((one) => !isAttached(one));
  const places = within('[data-ratingd]');
  // Show a widget together with its numbers because later numbers would move parts of the widget. Do not wait for
  // slow numbers.
  const numbers = load([...places, ...found]);
  const loaded = Promise.race([numbers, wait(1500)]);
  found.forEach((widget) => prepare(widget).then(() => activate(widget)));
  const replace = async (place) => {
    const widget = await build(place);
    if (widget) await prepare(widget);
    // Figures from the server stay until newer figures arrive.
    const hasFigures = place.firstElementChild;
    await (hasFigures ? numbers : loaded);
    if (hasFigures && !isKnown(place)) return tryLater();
    // If the place has no parent, another scan has replaced it.
    if (widget && place.parentNode) {
      put(widget, place);
      activate(widget);
    }
  };
  await Promise.all(places.map(replace));
  forgetRemoved();
};

// Elements of criteria and reactions load the script that fills them.
const defineGroups = () => {
  for (const name of ['criteria', 'reactions']) {
    class Group extends HTMLElement {
      async connectedCallback() {
        const script = await further(name).catch(warn);
        if (script) (this.group ??= script.create(this, tools)).update();
      }
    }
    customElements.define('ratingd-' + name, Group);
  }
};

let start;
const started = new Promise((resolve) => {
  start = () => {
    if (api) return;
    readSettings();
    joinTabs();
    defineElement(scan);
    defineGroups();
    resolve();
  };
});

// A second copy of the script does nothing, because the first copy does everything. Check for the function scan()
// because an element such as <a id="ratingd"> is also window.ratingd.
if (window.ratingd?.scan?.call) {
  window.ratingd.scan();
} else {
  window.ratingd = {scan: (within = page) => started.then(() => scan([within]))};
  // Deferred scripts run before DOMContentLoaded, and page optimizers may have moved the words or the settings behind
  // this script.
  const [navigation] = performance.getEntriesByType('navigation');
  if (page.readyState === 'complete' || navigation?.domContentLoadedEventStart) start();
  addEventListener('DOMContentLoaded', start);
  addEventListener('load', start);
}
