// A panel shows content loaded from ratingd.
//
//   const users = source(context, (signal) => api.get('/analytics/users', {page}, signal));
//   root.append(panel(context, {title: t('Users'), source: users, height: 400, render: (answer) => […]}));
//   users.reload();
//
// A source stores the last response. Several panels may share a source. A panel keeps its content while its source is
// reloaded, and while ratingd does not respond. A single banner in the view explains what the problem
// is, how long it has lasted, and when the next attempt will be made. If the service is busy or
// unreachable, requests are repeated automatically.

import {h, newId, replace} from './dom.js';
import {clock, t, tn} from './words.js';

const slowAfter = 6000;
const pauses = [5, 10, 20, 40, 60];
const isAway = (error) => error.status === 0 || [502, 503, 504].includes(error.status);

export function source(context, load) {
  const self = {
    data: undefined,
    error: null,
    busy: false,
    loadedAt: null,
    failedAt: null,
    tries: 0,
    panels: [],
  };
  let current, timer;

  const changed = () => {
    self.panels.forEach((draw) => draw(self));
    context.sources.add(self);
    showBanner(context);
  };

  function failed(error) {
    self.error = error;
    self.failedAt ||= Date.now();
    if (error.status === 429 || isAway(error)) {
      const pause = pauses[Math.min(self.tries++, pauses.length - 1)];
      const seconds = Math.max(error.retryAfter || 0, error.status === 429 ? 1 : pause);
      self.retryAt = Date.now() + seconds * 1000;
      timer = setTimeout(self.reload, seconds * 1000);
    }
  }

  self.reload = async () => {
    if (context.signal.aborted) return;
    clearTimeout(timer);
    current?.abort();
    const mine = (current = new AbortController());
    context.signal.addEventListener('abort', () => mine.abort());
    self.busy = true;
    self.busySince = Date.now();
    self.retryAt = null;
    changed();
    try {
      const data = await load(mine.signal);
      if (mine.signal.aborted) return;
      Object.assign(self, {data, error: null, failedAt: null, tries: 0, loadedAt: Date.now()});
    } catch (error) {
      if (mine.signal.aborted) return;
      if (error.status === undefined) throw error; // show a bug in the console
      failed(error);
    }
    self.busy = false;
    changed();
  };
  // Draws the panels again with the same data.
  self.redraw = () => {
    if (self.data) self.data = {...self.data};
    self.panels.forEach((draw) => draw(self));
  };
  context.signal.addEventListener('abort', () => clearTimeout(timer));
  return self;
}

// Calls "load(page)" with the number of the list page in the URL hash. If the list has no such page, loads its first
// page.
export async function atPage(context, load) {
  try {
    return await load(context.params.get('page'));
  } catch (error) {
    if (error.code !== 'rest_invalid_page_number') throw error;
    context.update({page: ''});
    return load();
  }
}

// Calls "act" once, when the element is about to become visible.
export function whenVisible(element, signal, act) {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      act();
    },
    {rootMargin: '100px'},
  );
  observer.observe(element);
  signal.addEventListener('abort', () => observer.disconnect());
}

// --- The error banner ---------------------------------------------------------------------------------

// Maps each permission to the text that names it in error messages.
const rightNames = () => ({
  administer: t('to administer this site (manage_options)'),
  administer_network: t('to administer the network (manage_network_options)'),
  see_persons: t('to see who rated (list_users)'),
  edit_others: t('to edit other people’s posts (edit_others_posts)'),
  analytics: t('to see statistics (“Who may see statistics” setting)'),
});

export const missingRight = (right) => [
  h('strong', {}, t('You are not allowed to see this.')),
  ' ',
  t('Your account lacks permission {right}. An administrator can grant this permission.', {
    right: rightNames()[right],
  }),
];

function explain(context, failing) {
  const {error, failedAt, loadedAt} = failing;
  const since = clock(failedAt);
  if (error.status === 401) {
    return [
      h('strong', {}, t('You are logged out.')),
      ' ',
      t('Use another window to log in, then come back. Nothing on this page is lost.'),
      ' ',
      h('a', {href: context.loginPage, target: '_blank', rel: 'noopener'}, t('Log in')),
    ];
  }
  if (error.status === 403 && error.code === 'rest_forbidden') return missingRight(context.view.right);
  if (error.status === 429) return h('strong', {}, t('Too many requests.'));
  if (isAway(error)) {
    return [
      h('strong', {}, t('Ratings have been unavailable since {time}.', {time: since})),
      ' ',
      error.message || t('The service is not responding, so nobody can rate at the moment. Stored ratings are safe.'),
      loadedAt && [' ', t('Showing data from {time}.', {time: clock(loadedAt)})],
      h('br'),
      t('If the problem continues, run “{command}” on the server. The command reports problems and solutions.', {
        command: 'sudo ratingctl doctor',
      }),
    ];
  }
  return [h('strong', {}, t('The data could not be loaded.')), ' ', error.message];
}

function showBanner(context) {
  const sources = [...context.sources];
  const failing = sources.find((one) => one.error);
  const isSlow = sources.some((one) => one.busy && !one.data && Date.now() - one.busySince > slowAfter);
  const key = failing ? `${failing.error.status} ${failing.error.message}` : isSlow ? 'slow' : '';
  const {banner} = context;
  if (banner.dataset.key !== key) {
    banner.dataset.key = key;
    replace(banner, failing ? failureNotice(context, failing) : isSlow && slowNotice());
  }
  tick(context, sources);
}

const slowNotice = () =>
  h(
    'div',
    {class: 'notice notice-info inline rd-notice', role: 'status'},
    h('p', {}, t('Still loading. The connection or the site is slow.')),
  );

function failureNotice(context, failing) {
  const retry = () => [...context.sources].filter((one) => one.error).forEach((one) => one.reload());
  const kind = isAway(failing.error) || failing.error.status === 429 ? 'warning' : 'error';
  return h(
    'div',
    {class: `notice notice-${kind} inline rd-notice`},
    h('p', {role: 'alert'}, explain(context, failing)),
    h(
      'p',
      {class: 'rd-retry'},
      h('button', {class: 'button', type: 'button', onclick: retry}, t('Try again')),
      h('span', {class: 'rd-countdown rd-soft'}),
    ),
  );
}

// The countdown is not part of the alert element, because screen readers would announce each second.
function tick(context, sources) {
  clearTimeout(context.ticking);
  const times = sources.map((one) => one.retryAt).filter(Boolean);
  const seconds = times.length ? Math.max(0, Math.ceil((Math.min(...times) - Date.now()) / 1000)) : null;
  const countdown = context.banner.querySelector('.rd-countdown');
  if (countdown) {
    countdown.textContent =
      seconds === null ? '' : tn('Next attempt in {n} second.', 'Next attempt in {n} seconds.', seconds);
  }
  const isWaiting = sources.some((one) => one.busy) || seconds !== null;
  if (isWaiting && !context.signal.aborted) context.ticking = setTimeout(() => showBanner(context), 1000);
}

// --- Panels -------------------------------------------------------------------------------------------

// Replaces the element's children without losing the keyboard focus. Elements with the same data-focus
// attribute are treated as the same element.
export function redraw(element, fallback, ...children) {
  const focused = element.contains(document.activeElement) && document.activeElement;
  const key = focused && (focused.dataset.focus || focused.id);
  replace(element, ...children);
  if (!focused) return;
  const same =
    key &&
    [...element.querySelectorAll('[data-focus], [id]')].find((one) => (one.dataset.focus || one.id) === key);
  (same && !same.disabled ? same : fallback).focus({preventScroll: true});
}

// "render(data)" returns the content of the body. Until the data arrives, the panel reserves a space
// "height" pixels high, so that the page does not shift. Instead of "height", callers can pass a
// function "blank" that returns a placeholder as tall as the content at every width. "actions" are shown
// next to the title. A panel without a title has no frame.
export function panel(context, {title, source: from, render, blank, height = 160, actions, className = ''}) {
  const id = newId();
  const body = h('div', {class: 'rd-body'});
  const heading = title && h('h3', {id, tabindex: '-1'}, title);
  const element = h(
    'section',
    {class: `rd-panel ${title ? 'rd-card ' : ''}${className}`, 'aria-labelledby': title && id},
    title &&
      h('header', {class: 'rd-panel-head'}, heading, actions && h('div', {class: 'rd-actions'}, actions)),
    body,
  );
  let drawn;
  from.panels.push((self) => {
    element.setAttribute('aria-busy', self.busy);
    // Hide panels whose content could not be loaded. The error banner explains the problem.
    element.hidden = self.data === undefined && self.error !== null;
    if (self.data === undefined) {
      if (!blank) body.style.setProperty('min-block-size', height + 'px');
      replace(body, h('div', {class: 'rd-skeleton', 'aria-hidden': 'true'}, blank?.()));
    } else if (drawn !== self.data) {
      drawn = self.data;
      body.style.removeProperty('min-block-size');
      redraw(body, heading || context.heading, render(self.data, self));
    }
  });
  return element;
}
