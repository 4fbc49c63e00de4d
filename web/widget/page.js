// Provides access to the page and to the script's settings. The settings are the attributes of the script element and
// the data block from the WordPress plugin.

export const page = document;

export const {round} = Math;
// The dataOf() and all() functions shorten expressions that minifiers cannot shorten.
export const dataOf = (element) => element.dataset;
export const all = (within, selector) => [...within.querySelectorAll(selector)];

// Returns an object that the page has defined as a global variable. If the page contains <a
// id="ratingdWords">, window.ratingdWords is that element, which given() ignores.
export const given = (name) => (window[name]?.constructor === Object ? window[name] : {});

// Do not read document.currentScript directly, because <img name="currentScript"> would override the
// property. document.currentScript is null in modules, and in scripts run by another script. If several
// scripts were combined into one file, document.currentScript is the script element of the combined
// file.
const current = Reflect.get(Document.prototype, 'currentScript', page);
const isOurs = (address) => /\/ratingd-(widget|facets)\.js/.test(address);

export let settings;
export let api;
let version;

// Call this function when the page is complete, because the settings may follow the script in the page.
export const readSettings = () => {
  const script = [current, ...all(page, 'script')].find((one) => isOurs(one?.src));
  settings = {...JSON.parse(page.querySelector('script#ratingd-settings')?.text || '{}'), ...script?.dataset};
  const source = script?.src || performance.getEntriesByType('resource').find(({name}) => isOurs(name))?.name;
  api = new URL('.', new URL(settings.base || source, location)).href;
  version = source ? new URL(source, location).search : '';
};

// Loads an additional script that only some pages need. The URL contains the version of this script, so
// that a cache does not mix two releases.
export const further = (name) => import(api + 'ratingd-' + name + '.js' + version);

export const create = (name, properties) => Object.assign(page.createElement(name), properties);

export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export const typeOf = (element) => (dataOf(element).objectType || 'post').toLowerCase();
export const keyOf = (element) => typeOf(element) + ' ' + dataOf(element).objectId;
// Returns whether an element has a valid object id. A request for several widgets fails if it contains an invalid id.
export const isNumbered = (element) => {
  const {objectId} = dataOf(element);
  return /^[1-9]\d*$/.test(objectId) && BigInt(objectId) < 2n ** 63n;
};

// The page's style sheets do not apply inside shadow roots, so add the widgets' style sheets to each root.
const sheets = [];
const adopted = new WeakMap(); // number of adopted sheets by root
export const adoptSheets = (root) => {
  for (const css of sheets.slice(adopted.get(root))) {
    try {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
      root.adoptedStyleSheets.push(sheet);
    } catch {
      // Safari before 16.4 does not support adopted style sheets.
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

// A page that requires Trusted Types allows the "ratingd" policy only once, so a second copy of the
// script must not create the policy again. The "ratingd" policy returns each text unchanged, because
// ratingd has checked the HTML of the templates, and the script escapes words.
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
