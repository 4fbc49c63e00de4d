// The page, and the settings of the script: the attributes of its element, and the data block of the plugin for
// WordPress.

export const page = document;

export const {round} = Math;
// Short words for what minifiers leave long.
export const dataOf = (element) => element.dataset;
export const all = (within, selector) => [...within.querySelectorAll(selector)];

// Returns an object that the page has stored in a global variable. With <a id="ratingdWords">, the variable is an
// element.
export const given = (name) => (window[name]?.constructor === Object ? window[name] : {});

// Not page.currentScript, which <img name="currentScript"> replaces. Modules and scripts that other scripts run have no
// such element. If several scripts were combined into one file, it is the element of this file.
const current = Reflect.get(Document.prototype, 'currentScript', page);
const isOurs = (address) => /\/ratingd-(widget|facets)\.js/.test(address);

export let settings;
export let api;
let version;

// The page is complete by now: it may have its settings behind the script.
export const readSettings = () => {
  const script = [current, ...all(page, 'script')].find((one) => isOurs(one?.src));
  settings = {...JSON.parse(page.querySelector('script#ratingd-settings')?.text || '{}'), ...script?.dataset};
  const source = script?.src || performance.getEntriesByType('resource').find(({name}) => isOurs(name))?.name;
  api = new URL('.', new URL(settings.base || source, location)).href;
  version = source ? new URL(source, location).search : '';
};

// Loads a script that few pages need. Its URL has the version of this script, so that no cache mixes two releases.
export const further = (name) => import(api + 'ratingd-' + name + '.js' + version);

export const create = (name, properties) => Object.assign(page.createElement(name), properties);

export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export const typeOf = (element) => (dataOf(element).objectType || 'post').toLowerCase();
export const keyOf = (element) => typeOf(element) + ' ' + dataOf(element).objectId;
// One invalid id would be an error for all widgets in the same request.
export const isNumbered = (element) => {
  const {objectId = ''} = dataOf(element);
  return /^[1-9]\d{0,18}$/.test(objectId) && objectId.padStart(19, 0) <= '9223372036854775807';
};

// The style sheets of the page do not reach into shadow roots.
const sheets = [];
const adopted = new WeakMap(); // how many of them each root has
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
