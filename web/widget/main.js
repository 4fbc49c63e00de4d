/*
 * Makes the ratings of a page work: shows their numbers, votes, and takes votes back.
 *
 *   <script src="/wp-json/ratingd/v1/ratingd-widget.js" defer></script>
 *   <ratingd-rating object-id="123" template="simple/stars"></ratingd-rating>
 *
 * Attributes, words and events: docs/widgets.md.
 */

import {build} from './build.js';
import {defineElement} from './element.js';
import {defineFacets} from './facets.js';
import {adoptSheets, all, api, create, dataOf, isNumbered, page, readSettings, wait} from './page.js';
import {attach, forgetRemoved, isAttached, joinTabs, load} from './show.js';
import {addHandlers} from './vote.js';

// A template of the site gets a box, which the rules of the template cannot select. The box clips what is painted
// outside of it, except for focus rings. An inline box cannot clip.
const put = (widget, place) => {
  const isBuiltin = /^simple\//.test(dataOf(widget).template);
  const box = isBuiltin ? widget : create('div', {className: 'ratingd-box'});
  place.replaceWith(box);
  if (isBuiltin) return;
  box.append(widget);
  const display = /^inline/.test(getComputedStyle(widget).display) ? 'inline-block' : 'flow-root';
  box.style = 'max-width:100%;contain:layout paint;overflow:clip;overflow-clip-margin:6px;display:' + display;
};

// Builds what is marked with data-ratingd, and activates widgets that are there already, whose numbers may be old.
const scan = async (elements) => {
  // One of them may be within another.
  const within = (selector) => [...new Set(elements.flatMap((one) => all(one, selector)))].filter(isNumbered);
  const activate = (widget) => {
    const root = widget.getRootNode();
    if (root.host) adoptSheets(root);
    addHandlers(widget);
    attach(widget);
  };
  const found = within('[data-category][data-template]:not([data-ratingd])').filter((one) => !isAttached(one));
  const places = within('[data-ratingd]');
  // A widget appears with its numbers, which would move parts of it. Slow ones come later.
  const loaded = Promise.race([load([...places, ...found]), wait(1500)]);
  found.forEach(activate);
  const replace = async (place) => {
    const widget = await build(place);
    await loaded;
    // Without a parent another scan has replaced it.
    if (widget && place.parentNode) {
      put(widget, place);
      activate(widget);
    }
  };
  await Promise.all(places.map(replace));
  forgetRemoved();
};

let start;
const started = new Promise((resolve) => {
  start = () => {
    if (api) return;
    readSettings();
    joinTabs();
    defineElement(scan);
    if (FACETS) defineFacets();
    resolve();
  };
});

// A second copy of the script leaves everything to the first. Not just any value: <a id="ratingd"> is one, too.
if (window.ratingd?.scan?.call) {
  window.ratingd.scan();
} else {
  window.ratingd = {scan: (within = page) => started.then(() => scan([within]))};
  // Deferred scripts run before DOMContentLoaded, and optimizers may have put what this one needs behind it.
  const [navigation] = performance.getEntriesByType('navigation');
  if (page.readyState === 'complete' || navigation?.domContentLoadedEventStart) start();
  addEventListener('DOMContentLoaded', start);
  addEventListener('load', start);
}
