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
import {all, isNumbered, page} from './page.js';
import {hasNonce, renewNonce} from './server.js';
import {attach, isAttached, load} from './show.js';
import {addHandlers} from './vote.js';

const within = (elements, selector) => elements.flatMap((element) => all(element, selector)).filter(isNumbered);

// Builds what is marked with data-ratingd, and takes over widgets that are there already. What a cached page says
// does not matter.
const scan = async (...elements) => {
  if (!elements.length) elements = [page];
  const places = within(elements, '[data-ratingd]');
  const found = () =>
    within(elements, '[data-category][data-template]:not([data-ratingd])').filter((one) => !isAttached(one));
  const loaded = load([...places, ...found()]);
  await Promise.all(places.map(build));
  for (const widget of found()) {
    addHandlers(widget);
    attach(widget);
  }
  await loaded;
};

const start = async () => {
  if (!hasNonce() && page.body.classList.contains('logged-in')) await renewNonce();
  await defineElement(scan);
};

window.ratingd = {scan};
if (page.readyState === 'loading') addEventListener('DOMContentLoaded', start);
else start();
