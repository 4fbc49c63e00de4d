// The page, and the settings of the script: attributes of its element, and what the plugin for WordPress prints.

export const page = document;

export const {round} = Math;
// Short words for what minifiers leave long.
export const dataOf = (element) => element.dataset;
export const all = (within, selector) => [...within.querySelectorAll(selector)];

// An object that the page gives in a global variable. <a id="ratingdWords"> makes an element of that name.
export const given = (name) => (window[name]?.constructor === Object ? window[name] : {});

// Not page.currentScript: <img name="currentScript"> would stand in its place. Modules and scripts that other scripts
// run have no such element, or that of a file into which several scripts were combined.
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

// A script that few pages need. It has the version of this one, so that no cache mixes two releases.
export const further = (name) => import(api + 'ratingd-' + name + '.js' + version);

export const create = (name, properties) => Object.assign(page.createElement(name), properties);

export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export const typeOf = (element) => (dataOf(element).objectType || 'post').toLowerCase();
export const keyOf = (element) => typeOf(element) + ' ' + dataOf(element).objectId;
// One wrong id would be an error for all that are asked for with it.
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
