// <ratingd-rating object-id="123" template="simple/stars">: builds its widget as a child when it comes into a page,
// and forgets it when it leaves. Its attributes are those of data-ratingd, without "data-".

import {all, page} from './page.js';
import {forget} from './show.js';

const own = ['class', 'id', 'style', 'slot', 'hidden', 'is'];
const observed = ['object-id', 'object-type', 'category', 'template', 'size', 'color-scheme', 'counts'];

// What came, until it is looked at, all at once; first the whole page.
let arrived = new Set([page]);

// "scan" looks for widgets within elements.
export const defineElement = (scan) => {
  const look = () => {
    const elements = arrived.has(page) ? [page] : arrived;
    arrived = new Set();
    return scan(...elements);
  };

  class Rating extends HTMLElement {
    static observedAttributes = observed;

    connectedCallback() {
      if (!this.querySelector('[data-object-id]')) this.build();
      if (!arrived.size) queueMicrotask(look);
      arrived.add(this);
    }

    disconnectedCallback() {
      // Not if it was only moved.
      queueMicrotask(() => this.isConnected || all(this, '[data-object-id]').forEach(forget));
    }

    // Frameworks set attributes one by one, also after the element is in the page.
    attributeChangedCallback() {
      if (!this.isConnected || !this.firstChild) return;
      all(this, '[data-object-id]').forEach(forget);
      this.build();
      this.connectedCallback();
    }

    build() {
      const place = page.createElement('div');
      place.dataset.ratingd = '';
      for (const {name, value} of this.attributes) {
        if (!own.includes(name)) place.setAttribute((name.startsWith('data-') ? '' : 'data-') + name, value);
      }
      this.replaceChildren(place);
    }
  }

  customElements.define('ratingd-rating', Rating);
  return look();
};
