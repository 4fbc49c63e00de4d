// Access to the page and to the script's settings. The settings are the attributes of the script element and the
// data block from the WordPress plugin.

export const page = document;

export const {round} = Math;
// Short names for expressions that minifiers cannot shorten.
export const dataOf = (element) => element.dataset;
export const all = (within, selector) => [...within.querySelectorAll(selector)];

// Returns an object that the page has stored in a global variable. If the page has <a id="ratingdWords">, the
// variable is an element, which is ignored.
export const given = (name) => (window[name]?.constructor === Object ? window[name] : {});

// Do not use page.currentScript, because <img name="currentScript"> replaces it. Modules, and scripts that another
// script runs, have no such element. If several scripts were combined into one file, this is the element that
// loaded the combined file.
const current = Reflect.get(Document.prototype, 'currentScript', page);
const isOurs = (address) => /\/ratingd-(widget|facets)\.js/.test(address);

export let settings;
export let api;
let version;

// Call this when the page is complete, because its settings may come after the script.
export const readSettings = () => {
  const script = [current, ...all(page, 'script')].find((one) => isOurs(one?.src));
  settings = {...JSON.parse(page.querySelector('script#ratingd-settings')?.text || '{}'), ...script?.dataset};
  const source = script?.src || performance.getEntriesByType('resource').find(({name}) => isOurs(name))?.name;
  api = new URL('.', new URL(settings.base || source, location)).href;
  version = source ? new URL(source, location).search : '';
};

// Loads a script that few pages need. The URL contains the version of this script, so that a cache cannot mix two
// releases.
export const further = (name) => import(api + 'ratingd-' + name + '.js' + version);

export const create = (name, properties) => Object.assign(page.createElement(name), properties);

export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export const typeOf = (element) => (dataOf(element).objectType || 'post').toLowerCase();
export const keyOf = (element) => typeOf(element) + ' ' + dataOf(element).objectId;
// Returns whether the id is valid. One invalid id would make the request fail for all widgets in it.
export const isNumbered = (element) => {
  const {objectId = ''} = dataOf(element);
  return /^[1-9]\d{0,18}$/.test(objectId) && objectId.padStart(19, 0) <= '9223372036854775807';
};

// The page's style sheets do not apply in shadow roots.
const sheets = [];
const adopted = new WeakMap(); // the number of adopted sheets by root
export const adoptSheets = (root) => {
  for (const css of sheets.slice(adopted.get(root))) {
    try {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
      root.adoptedStyleSheets.push(sheet);
    } catch {
      // Safari before 16.4
      (root.head || root).append(create('style', {textContent: css}));
    }
  }
  adopted.set(root, sheets.length);
};
export const addSheet = (css) => {
  sheets.push(css);
  adoptSheets(page);
};

let hasWarned;
export const warn = (reason) => {
  hasWarned ||= !console.warn('ratingd: no ratings from ' + api, reason);
};

// A page whose policy requires Trusted Types allows the policy "ratingd" once, so a second copy of the script must
// not create the policy again. Unchanged texts are safe because ratingd has checked the templates and words are
// escaped.
const unchanged = (text) => text;
const rules = {createHTML: unchanged, createScript: unchanged};
let policy;
export const trusted = () => {
  try {
    return (policy ||= window.trustedTypes?.createPolicy('ratingd', rules) || rules);
  } catch {
    return (policy = rules); // The page does not allow the policy "ratingd". It may have a default policy.
  }
};
