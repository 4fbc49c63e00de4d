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
import {all, isNumbered, keyOf, page} from './page.js';
import {hasNonce, renewNonce} from './server.js';
import {attach, forgetRemoved, isAttached, load} from './show.js';
import {addHandlers} from './vote.js';

// Builds what is marked with data-ratingd, and takes over widgets that are there already. What a cached page says
// does not matter.
const scan = async (elements) => {
  const within = (selector) => elements.flatMap((one) => all(one, selector)).filter(isNumbered);
  const found = () => within('[data-category][data-template]:not([data-ratingd])').filter((one) => !isAttached(one));
  const numbers = {};
  const takeOver = () => {
    for (const widget of found()) {
      addHandlers(widget);
      attach(widget, numbers[keyOf(widget)]);
    }
  };
  const places = within('[data-ratingd]');
  const loaded = load([...places, ...found()], numbers);
  takeOver();
  const built = await Promise.all(places.map(build));
  // A widget appears with its numbers, which would move parts of it.
  await loaded;
  places.forEach((place, i) => built[i] && place.replaceWith(built[i]));
  takeOver();
  forgetRemoved();
};

const start = async () => {
  if (!hasNonce() && page.body.classList.contains('logged-in')) await renewNonce();
  defineElement(scan);
};

// A second copy of the script leaves everything to the first. Not just any value: <a id="ratingd"> is one, too.
if (typeof window.ratingd?.scan === 'function') {
  window.ratingd.scan();
} else {
  window.ratingd = {scan: (...elements) => scan(elements.length ? elements : [page])};
  if (page.readyState === 'loading') addEventListener('DOMContentLoaded', start);
  else start();
}
