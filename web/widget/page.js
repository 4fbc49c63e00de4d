// The page, and what its script element says.

export const page = document;

// Not page.currentScript: <img name="currentScript"> would stand in its place.
const script = Reflect.get(Document.prototype, 'currentScript', page);
export const settings = script.dataset;
export const api = new URL('.', script.src).href;

export const {round} = Math;
// Short words for what minifiers leave long.
export const dataOf = (element) => element.dataset;
export const all = (within, selector) => [...within.querySelectorAll(selector)];

export const typeOf = (element) => (dataOf(element).objectType || 'post').toLowerCase();
export const keyOf = (element) => typeOf(element) + ' ' + dataOf(element).objectId;
export const isNumbered = (element) => /^[1-9]\d{0,18}$/.test(dataOf(element).objectId);

let hasWarned;
export const warn = (reason) => {
  if (!hasWarned) console.warn('ratingd: no ratings from ' + api, reason);
  hasWarned = true;
};

// Pages whose policy wants Trusted Types allow the policy "ratingd". Templates were checked by ratingd, and words
// are escaped.
const asIs = (text) => text;
const policy = {createHTML: asIs, createScript: asIs};
export const trusted = window.trustedTypes?.createPolicy('ratingd', policy) || policy;
