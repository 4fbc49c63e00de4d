/*
 * Activates the ratings in a page. The script shows their numbers, and sends and withdraws votes.
 *
 *   <script src="/wp-json/ratingd/v1/ratingd-widget.js" defer></script>
 *   <ratingd-rating object-id="123" template="simple/stars"></ratingd-rating>
 *
 * docs/widgets.md describes the attributes, words and events.
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

// Wrap a site's own template in a box that the template's CSS cannot select. The box clips everything
// that the template paints outside the box, except for focus rings. The "display" property of the box is
// never "inline", because inline boxes cannot clip their content.
const put = (widget, place) => {
  const isBuiltin = /^simple\//.test(dataOf(widget).template);
  const box = isBuiltin ? widget : create('div', {className: 'ratingd-box'});
  place.replaceWith(box);
  if (isBuiltin) return;
  box.append(widget);
  const display = /^inline/.test(getComputedStyle(widget).display) ? 'inline-block' : 'flow-root';
  box.style = 'max-width:100%;contain:layout paint;overflow:clip;overflow-clip-margin:6px;display:' + display;
};

// Requests the numbers of all widgets again after one minute.
let timer;
const tryLater = () => {
  timer ||= setTimeout(() => {
    timer = 0;
    scan([page]);
  }, 60_000);
};

// The scripts for sliders, stars, criteria and reactions use the functions in "tools".
const tools = {
  addSheet, all, sheets, create, dataOf, formatAverage, options, post, round, showAll, showControls,
  showOwn, typeOf, vote, withdraw, word, words,
};

// Builds widgets in elements that have the data-ratingd attribute. Also activates widgets in the
// server's HTML, because their numbers may be outdated.
const scan = async (elements) => {
  // The Set removes duplicates, because an element in the list may contain other elements in the list.
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
  // Show each widget only after its numbers have arrived, because adding the numbers later would shift
  // parts of the widget. Do not wait long for slow responses.
  const numbers = load([...places, ...found]);
  const loaded = Promise.race([numbers, wait(1500)]);
  found.forEach((widget) => prepare(widget).then(() => activate(widget)));
  const replace = async (place) => {
    const widget = await build(place);
    if (widget) await prepare(widget);
    // Keep the server's numbers until newer numbers arrive.
    if (place.firstElementChild) {
      await numbers;
      if (!isKnown(place)) return tryLater();
    }
    await loaded;
    // If the placeholder has no parent, another scan has already replaced it.
    if (widget && place.parentNode) {
      put(widget, place);
      activate(widget);
    }
  };
  await Promise.all(places.map(replace));
  forgetRemoved();
  return numbers;
};

// <ratingd-criteria> and <ratingd-reactions> elements load their own scripts.
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

// A second copy of the script only scans the page again. Check for scan(), because window.ratingd may
// also be an element such as <a id="ratingd">.
if (window.ratingd?.scan?.call) {
  window.ratingd.scan();
} else {
  window.ratingd = {scan: (within = page) => started.then(() => scan([within]))};
  // Wait for all deferred scripts, because page optimizers may have moved scripts that define words or
  // settings.
  const [navigation] = performance.getEntriesByType('navigation');
  if (page.readyState === 'complete' || navigation?.domContentLoadedEventStart) start();
  addEventListener('DOMContentLoaded', start);
  addEventListener('load', start);
}
