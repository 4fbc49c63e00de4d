// <ratingd-rating object-id="123" template="simple/stars">: has its widget as a child; until then, what the server says
// in a <bdi>, which no template has. Elements may come, change, move and go at any time; those that do in one task are
// updated together, when it has ended.

import {all, create, page} from './page.js';

// The attributes of widgets, and the icons of groups.
export const options =
  /^(category|color-scheme|counts|hide-result|size|schema|stars|template|(icon|label|object)-.+)$/;

// "scan" builds the widgets within elements; at first those of the whole page.
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
  // Frameworks set attributes one by one, and some remove children that they did not make.
  const observer = new MutationObserver((records) => records.forEach(({target}) => change(target)));

  class Rating extends HTMLElement {
    #place; // what the widget was built from

    connectedCallback() {
      observer.observe(this, {attributes: true, childList: true});
      change(this);
    }

    disconnectedCallback() {
      change(this);
    }

    // Whether there is something to build: not if the widget was built from the same attributes.
    update() {
      if (!this.isConnected) return (this.#place = '');
      const place = create('div');
      place.dataset.ratingd = '';
      for (const {name, value} of this.attributes) {
        if (options.test(name)) place.setAttribute('data-' + name, value);
      }
      if (all(this, ':not(bdi)')[0] && this.#place === place.outerHTML) return false;
      this.#place = place.outerHTML;
      // The figures in words that the server wrote stay until the widget replaces them.
      place.append(...all(this, 'bdi'));
      this.replaceChildren(place);
      return true;
    }
  }

  customElements.define('ratingd-rating', Rating);
  update();
};
