// The administration page. In wp-admin, the plugin prints the element <div id="ratingd-admin"
// data-base=…>. Users who are logged in to the CMS can also open the page at {base}/admin/.
//
// A view is a module that exports "name", "title", "right" and "show".
// - "name" is the beginning of the URL hash, such as "held" in #/held?status=new.
// - "title" is a function that returns the title, such as () => t('Held').
// - "right" is the required permission: analytics, see_persons, edit_others, administer or administer_network.
// - "show" is a function that fills context.root. The page calls "show" whenever the URL hash selects the view.
//
// The context passed to "show" has these members:
// - "api" is the API client (api.js), and "rights" is a Set of permissions.
// - "root" is the element for the view, "heading" is its <h2>, and "tools" is the element next to the heading.
// - "path" and "params" are the parts of the hash after the name. "update(params)" changes the hash without calling
//   "show".
// - "signal" is aborted when the view ends.
// - "editLink(type, id)" and "profileLink(id)" return a URL or null.
// - "notify(kind, …text)" shows a notice, and "badge(number)" shows a number on the tab.
// - "retitle()" updates the title of the page after the view has changed the heading.
// - "unsaved()" returns true if the user must confirm "leaveQuestion" before the view ends.
// - "memory" is an object in which views store data until the page is closed.
// - "banner" and "sources" are for the functions in panel.js.

import {createApi} from './api.js';
import {notice} from './controls.js';
import {h, replace} from './dom.js';
import {loadTransfer} from './load_later.js';
import {missingRight} from './panel.js';
import {hashFor, parseHash} from './route.js';
import * as content from './views/content.js';
import * as health from './views/health.js';
import * as held from './views/held.js';
import * as overview from './views/overview.js';
import * as people from './views/people.js';
import * as settings from './views/settings.js';
import {language, number, setFacets, setStars, setTypes, setWords, t, tn} from './words.js';

// The transfer view has its own file, because it is rarely opened.
const transfer = {
  name: 'transfer',
  title: () => t('Import / export'),
  right: 'administer',
  async show(context) {
    const view = await loadTransfer().catch(() => null);
    if (context.signal.aborted) return;
    if (view) view.show(context);
    else context.notify('error', t('The data could not be loaded.'));
  },
};
const views = [overview, content, people, held, settings, transfer, health, settings.ofNetwork];

const allRights = ['administer', 'see_persons', 'edit_others', 'analytics'];

// --- Entry points in wp-admin and at the page's own URL -----------------------------------------------

// Loads the translations. "root" is the element that contains the page.
async function loadWords(root, address, locale) {
  let words;
  try {
    if (address) words = await (await fetch(address, {credentials: 'same-origin'})).json();
  } catch {
    // English is used if the translations cannot be loaded.
  }
  setWords({locale, words});
  Object.assign(root, language());
}

async function enterFromWordPress(root) {
  const data = root.dataset;
  await loadWords(root, data.words, data.locale);
  setTypes(data.types && JSON.parse(data.types));
  setFacets(JSON.parse(data.facets || '{}'));
  setStars(Number(data.stars) || 5);
  // Filters can change the nonces of admin-ajax.php so that the service rejects them. The plugin's own URL is missing
  // in earlier versions, and some caches respond to requests for it.
  const ajax = data.ajax && data.ajax + (data.ajax.includes('?') ? '&' : '?') + 'action=rest-nonce';
  const renew = [data.nonceUrl, ajax].filter(Boolean);
  return {
    api: createApi({base: data.base, nonce: data.nonce, renew}),
    rights: new Set((data.rights || '').split(' ').filter(Boolean)),
    edit: data.edit,
    profile: data.profile,
    steps: {
      placement: data.placement,
      names: data.names,
      isPlaced: Boolean(data.placed),
      post: data.newest,
      hint: data.hint,
    },
    held: Number(data.held),
    problems: JSON.parse(data.problems || '[]'),
    // After a logout, WordPress redirects this page to the login page, and then back to this page.
    loginPage: location.href,
  };
}

// Returns the user's first preferred language in which the page is available. The page is available in English and in
// the languages of the document's <link hreflang> elements.
function preferredLanguage() {
  for (const locale of navigator.languages) {
    const name = locale.split('-')[0];
    const link = document.querySelector(`link[hreflang="${CSS.escape(name)}"]`);
    if (link || name === 'en') return {locale, words: link && link.href};
  }
  return {locale: 'en'};
}

async function enterAlone(root) {
  const base = new URL('..', import.meta.url).href;
  const {locale, words} = preferredLanguage();
  await loadWords(document.documentElement, words, locale);
  root.classList.add('rd-alone');
  const {login} = await createApi({base}).get('');
  const loginPage = login && new URL(login.page);
  loginPage?.searchParams.set('redirect_to', location.href);
  // Send an invalid nonce, because a request without a nonce would make the browser ask for a password.
  // If the site has no CMS with user accounts, a reverse proxy may identify the sender of the request.
  const api = createApi({base, nonce: '0', renew: login ? [login.nonce] : []});
  const isStranger = login && !(await api.freshNonce());
  let rights = {};
  try {
    if (!isStranger) rights = (await api.get('/me', {per_page: 1, _fields: 'meta'})).meta.rights;
  } catch (error) {
    if (error.status !== 401) throw error;
  }
  return {
    api,
    rights: new Set(allRights.filter((name) => rights[name])),
    loginPage: loginPage?.href,
    isStranger,
  };
}

// The page in wp-admin already has a heading.
const heading = () => !document.querySelector('h1') && h('h1', {}, t('Ratings'));

// Shows numbers above 99 as "99+", like the plugin (admin-page.php).
const upTo99 = (n) => (n > 99 ? number(99) + '+' : number(n));

// Shows the number of held votes in WordPress's menu entry (admin-page.php).
function showInMenu(n) {
  for (const badge of document.querySelectorAll('#toplevel_page_ratingd .awaiting-mod')) {
    badge.className = `awaiting-mod count-${n}`;
    badge.firstChild.textContent = upTo99(n);
    badge.lastChild.textContent = tn('{n} held vote', '{n} held votes', n, {n: upTo99(n)});
  }
}

// --- Views --------------------------------------------------------------------------------------------

function start(root, door) {
  const known = views.filter((view) => door.rights.has(view.right));
  const title = document.title;
  const tabs = h('nav', {class: 'nav-tab-wrapper', 'aria-label': t('Ratings')});
  const main = h('div', {class: 'rd-view'});
  const badges = {held: door.held}; // the number of tasks, by view name
  let leave = () => {};
  let context, shownHash;
  const memory = {}; // values that a view stores for other views

  function drawTabs(current) {
    const tab = (view) =>
      h(
        'a',
        {
          class: 'nav-tab' + (view === current ? ' nav-tab-active' : ''),
          'aria-current': view === current && 'page',
          href: '#/' + view.name,
        },
        view.title(),
        badges[view.name] > 0 && h('span', {class: 'rd-badge'}, upTo99(badges[view.name])),
      );
    replace(tabs, known.map(tab));
  }

  function newContext(view, {path, params}) {
    const ending = new AbortController();
    leave = () => ending.abort();
    const notices = h('div', {});
    const made = {
      ...door,
      memory,
      view,
      path,
      params,
      signal: ending.signal,
      sources: new Set(),
      banner: h('div', {class: 'rd-banner'}),
      heading: h('h2', {tabindex: '-1', dir: 'auto'}, view.title()),
      tools: h('div', {class: 'rd-tools'}),
      root: h('div', {class: 'rd-root'}),
      unsaved: () => false,
      leaveQuestion: t('Leave this page without saving your changes?'),
      editLink: (type, id) =>
        door.edit && (type === 'post' || type === 'page') ? door.edit.replace('{id}', id) : null,
      profileLink: (id) => (door.profile ? door.profile.replace('{id}', id) : null),
      notify: (kind, ...text) => replace(notices, notice(kind, text)),
      retitle: () => (document.title = `${made.heading.textContent} ‹ ${title}`),
      badge: (n) => {
        if (ending.signal.aborted) return; // another view is shown now
        badges[view.name] = n;
        drawTabs(view);
        showInMenu(n);
      },
      update: (changes) => {
        if (ending.signal.aborted) return;
        for (const [name, value] of Object.entries(changes)) {
          if (value) made.params.set(name, value);
          else made.params.delete(name);
        }
        shownHash = hashFor([view.name, ...path], Object.fromEntries(made.params));
        history.replaceState(null, '', shownHash);
      },
    };
    replace(main, h('div', {class: 'rd-head'}, made.heading, made.tools), made.banner, notices, made.root);
    return made;
  }

  function show(isFirst) {
    const target = parseHash();
    const view = views.find((one) => one.name === target.name) || known[0];
    if (context && context.unsaved() && !window.confirm(context.leaveQuestion)) {
      history.replaceState(null, '', shownHash);
      return;
    }
    leave();
    shownHash = location.hash;
    context = newContext(view, target);
    drawTabs(view);
    if (known.includes(view)) view.show(context);
    else replace(context.root, notice('error', missingRight(view.right)));
    context.retitle();
    if (!isFirst) context.heading.focus({preventScroll: true});
  }

  addEventListener('hashchange', () => show(false));
  addEventListener('beforeunload', (event) => {
    if (context?.unsaved()) event.preventDefault();
  });
  replace(root, heading(), known.length > 1 && tabs, main);
  if (known.length === 0) showStranger(main, door);
  else show(true);
}

// Explains that nobody is logged in, or that the user lacks the permission.
function showStranger(main, door) {
  const link = door.loginPage && h('a', {class: 'button button-primary', href: door.loginPage}, t('Log in'));
  replace(
    main,
    door.isStranger
      ? notice('info', t('Please log in to see this site’s ratings.'))
      : notice('error', missingRight('analytics')),
    door.isStranger && link && h('p', {}, link),
  );
}

async function run() {
  const root = document.getElementById('ratingd-admin');
  root.classList.add('rd');
  if (!root.closest('.wrap')) root.classList.add('wrap');
  try {
    start(root, await (root.dataset.base ? enterFromWordPress(root) : enterAlone(root)));
  } catch (error) {
    if (error.status === undefined) throw error;
    const again = h('button', {class: 'button', type: 'button', onclick: () => run()}, t('Try again'));
    replace(
      root,
      h('h1', {}, t('Ratings')),
      notice('error', t('The service is not responding.'), ' ', error.message),
      again,
    );
  }
}

run();
