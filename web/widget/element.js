// Defines the <ratingd-rating object-id="123" template="simple/stars"> element, which contains a widget.
// Until the widget exists, a <bdi> element shows the text from the server. Templates never contain <bdi>
// elements. Elements may be added, changed, moved and removed at any time. All elements that change in
// the same task are updated together at the end of the task.

import {all, create, page} from './page.js';

// Matches the attributes that the element passes to its widget as data-* attributes.
export const options =
  /^(category|color-scheme|counts|hide-result|size|schema|stars|template|(icon|label|object)-.+)$/;

// "scan" is a function that builds the widgets inside a list of elements. The first call to "scan"
// covers the whole page.
export const defineElement = (scan) => {
  let changed = new Set([page]);
  const change = (one) => {
    if (!changed.size) setTimeout(update);
    changed.add(one);
  };
  const update = () => {
    const elements = [...changed].filter((one) => one === page || one.update());
    changed = new Set();
    scan(elements);
  };
  // Observe changes, because frameworks set attributes one by one, and some frameworks remove unknown children.
  const observer = new MutationObserver((records) => records.forEach(({target}) => change(target)));

  class Rating extends HTMLElement {
    #place; // the placeholder from which the widget was built

    connectedCallback() {
      observer.observe(this, {attributes: true, childList: true});
      change(this);
    }

    disconnectedCallback() {
      change(this);
    }

    // Updates the placeholder. Returns whether a new widget must be built. A widget that was built from the same
    // attributes is kept.
    update() {
      if (!this.isConnected) return (this.#place = '');
      const place = create('div');
      place.dataset.ratingd = '';
      for (const {name, value} of this.attributes) {
        if (options.test(name)) place.setAttribute('data-' + name, value);
      }
      if (all(this, ':not(bdi)')[0] && this.#place === place.outerHTML) return false;
      this.#place = place.outerHTML;
      // Keep the ratings in the server's HTML visible until the widget replaces them.
      place.append(...all(this, 'bdi'));
      this.replaceChildren(place);
      return true;
    }
  }

  customElements.define('ratingd-rating', Rating);
  update();
};
