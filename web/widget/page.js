// The page, and the attributes of the script element.

export const page = document;

// Not page.currentScript: <img name="currentScript"> would stand in its place.
const script = Reflect.get(Document.prototype, 'currentScript', page);
export const settings = script.dataset;
export const api = new URL('.', script.src).href;

// A script that few pages need.
export const further = (name) => import(api + 'ratingd-' + name + '.js');

export const {round} = Math;
// Short words for what minifiers leave long.
export const dataOf = (element) => element.dataset;
export const all = (within, selector) => [...within.querySelectorAll(selector)];

export const create = (name, properties) => Object.assign(page.createElement(name), properties);

export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export const typeOf = (element) => (dataOf(element).objectType || 'post').toLowerCase();
export const keyOf = (element) => typeOf(element) + ' ' + dataOf(element).objectId;
export const isNumbered = (element) => /^[1-9]\d{0,18}$/.test(dataOf(element).objectId);

export const addSheet = (css) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  page.adoptedStyleSheets.push(sheet);
};

let hasWarned;
export const warn = (reason) => {
  hasWarned ||= !console.warn('ratingd: no ratings from ' + api, reason);
};

// Pages whose policy requires Trusted Types allow the policy "ratingd", once: a second copy of the script must not
// create it. Templates were checked by ratingd, and words are escaped.
const unchanged = (text) => text;
const rules = {createHTML: unchanged, createScript: unchanged};
let policy;
export const trusted = () => {
  try {
    return (policy ||= window.trustedTypes?.createPolicy('ratingd', rules) || rules);
  } catch {
    return (policy = rules); // not in the page's list of policies, which may have one of its own for all
  }
};
