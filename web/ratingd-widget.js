/*
 * Makes the widgets of a page work: shows their numbers, votes, and takes votes back.
 *
 *   <script src="/wp-json/ratingd/v1/ratingd-widget.js" defer></script>
 *   <div data-ratingd data-object-id="123" data-category="scale"></div>
 *
 * It builds a widget in place of each element with data-ratingd, and takes over those that are there
 * already (data-object-id, data-category, data-template). What a cached page says does not matter.
 *
 * On such an element: data-object-type (post), data-template (the settings' default of the category),
 * data-size (medium), data-color-scheme (auto), data-counts="false", data-label-like="Gefällt mir" and
 * so on for each of the words below, data-schema="Recipe" for AggregateRating as JSON-LD.
 *
 * On the script: data-nonce (a REST nonce of the logged-in user; else it is asked for),
 * data-ajax (the address of admin-ajax.php),
 * data-credentials="include" for pages of another origin that the settings allow.
 *
 * window.ratingdWords holds words of the site's language. ratingd.scan(element) looks for widgets that
 * came later. "ratingd:updated" bubbles from a widget whenever its numbers came. The console says, once,
 * why numbers or templates cannot be loaded.
 */
(() => {
  'use strict';

  const page = document;

  const words = {
    rating: 'Rating',
    like: 'Like',
    dislike: 'Dislike',
    average: 'Average rating:',
    own: 'Your rating: {n}',
    votes: 'votes',
    votes_one: 'vote',
    step: '{n} of 5',
    saved: 'Rating saved.',
    removed: 'Rating removed.',
    login: 'Please log in to rate.',
    disabled: 'Ratings are closed.',
    already_rated: 'You rated this already.',
    limited: 'Too often. Try again in {n} seconds.',
    refused: 'Rating not accepted.',
    failed: 'Not saved. Please try again.',
  };
  const siteWords = window.ratingdWords || {};

  // Not page.currentScript: <img name="currentScript"> would stand in its place.
  const script = Reflect.get(Document.prototype, 'currentScript', page);
  const settings = script.dataset;
  const api = new URL('.', script.src).href;
  const ajax = settings.ajax || api.replace(/\/wp-json\/.*/, '/wp-admin/admin-ajax.php');
  const {credentials} = settings;
  let {nonce} = settings;

  // Names this page view: a vote that is sent again, and votes sent at the same moment, are one voter's,
  // also where the browser keeps no cookie. Not crypto.randomUUID, which plain HTTP does not have.
  const device = crypto.getRandomValues(new Uint32Array(5)).join('-');
  let hasVoted; // until then no read names it: caches may answer reads

  const {round} = Math;
  // Short words for what minifiers leave long.
  const dataOf = (element) => element.dataset;
  const buttons = 'button[data-value]';
  const sliders = 'input[data-value]';
  const all = (within, selector) => [...within.querySelectorAll(selector)];

  const widgets = new Set();
  const queued = new Map(); // what a widget is to send when its request under way has ended
  let moving, timer; // the widget whose slider moved just now, and when it counts
  let hasWarned;
  const looks = {};
  const known = {}; // the newest numbers of each object

  // What the site says instead of our words.
  const siteWord = (widget, name) => widget.getAttribute('data-label-' + name) || siteWords[name];
  const word = (widget, name, n) => (siteWord(widget, name) || words[name] || '').replace('{n}', n);

  const warn = (reason) => {
    if (!hasWarned) console.warn('ratingd: no ratings from ' + api, reason);
    hasWarned = true;
  };

  // --- Requests ----------------------------------------------------------------------------------

  const renewNonce = async () => {
    // Whatever is no nonce means that nobody is logged in, as far as can be known.
    const text = await fetch(ajax + '?action=rest-nonce', {credentials})
      .then((answer) => answer.text())
      .catch(() => '');
    nonce = /^\w{10}$/.test(text) ? text : '';
  };

  // "request" is that of a vote; without it, something is read. A vote whose answer is lost is sent
  // again.
  // Throws {word, n, status, message} of an error that the server tells, or whatever else went wrong.
  const ask = async (path, request, hasResent, hasRenewed) => {
    hasVoted ||= request;
    const headers = hasVoted ? {'X-Ratingd-Device': device} : {};
    if (nonce) headers['X-WP-Nonce'] = nonce;
    if (request?.body) headers['Content-Type'] = 'application/json';
    const mayResend = request && !hasResent;
    const answer = await fetch(api + path, {...request, headers, credentials}).catch((error) => {
      if (!mayResend) throw error;
    });
    if (mayResend && (!answer || answer.status === 503)) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return ask(path, request, true, hasRenewed);
    }
    const body = await answer.json();
    nonce = answer.headers.get('X-WP-Nonce') || nonce;
    if (answer.headers.get('X-Ratingd-Login') === 'stale' && !hasRenewed) {
      await renewNonce();
      // As the user now; the vote that was just counted for a visitor becomes the user's.
      if (nonce) return ask(path, request, hasResent, true);
    }
    if (answer.ok) return body;
    const {status} = answer;
    const name = {401: 'login', 429: 'limited'}[status] || body.code.replace('ratingd_', '');
    throw {
      word: name in words ? name : status < 500 ? 'refused' : 'failed',
      n: body.data.retry_after,
      status,
      message: body.message,
    };
  };

  // --- Building ----------------------------------------------------------------------------------

  const fetchLook = async (slug, category) => {
    const path = slug ? '/' + slug : '?category=' + category;
    // Pages hold what their authors wrote: no address may come of it but that of a template.
    if (/[^\w/?=-]/.test(path)) throw path;
    const {data} = await ask('templates' + path);
    const look = slug ? data : data.find((one) => one.default) || data[0];
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(look.css);
    page.adoptedStyleSheets.push(sheet);
    return look;
  };

  const escape = (text) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

  // Numbers come later, and what the widget is about is taken over from "place".
  const render = (html, place) =>
    html
      .replace(/{{#COUNTS}}([^]*?){{\/COUNTS}}/g, dataOf(place).counts === 'false' ? '' : '$1')
      .replace(/{{(LABEL_)?(\w+)}}/g, (_, isLabel, name) =>
        isLabel ? escape(word(place, name > 0 ? 'step' : name.toLowerCase(), name)) : '',
      );

  const build = async (place) => {
    const {template, category} = dataOf(place);
    try {
      const look = await (looks[template || category] ??= fetchLook(template, category));
      const holder = page.createElement('template');
      holder.innerHTML = render(look.html, place);
      const widget = holder.content.firstElementChild;
      widget.classList.add(...place.classList);
      for (const {name, value} of place.attributes) {
        if (name !== 'class') widget.setAttribute(name, value);
      }
      const {dataset} = widget;
      delete dataset.ratingd;
      dataset.objectType ||= 'post';
      dataset.size ||= 'medium';
      dataset.colorScheme ||= 'auto';
      dataset.category = look.category;
      dataset.template = look.slug;
      place.replaceWith(widget);
    } catch (error) {
      // The place stays empty; a later scan tries again.
      warn(error);
      delete looks[template || category];
    }
  };

  // --- Showing -----------------------------------------------------------------------------------

  const {lang} = page.documentElement;

  const format = (number, places) => {
    try {
      return number.toLocaleString(lang, {minimumFractionDigits: places, useGrouping: false});
    } catch {
      return number.toFixed(places); // the page names no language
    }
  };

  // The more places the smaller the scale; rounded as ratingd does, from ten-thousandths.
  const formatAverage = (average, scale) => {
    if (average === null) return '–';
    const places = scale >= 100 ? 0 : scale >= 5 ? 1 : 2;
    const unit = 10 ** places;
    return format(round((round(average * 1e4) * scale * unit) / 1e4) / unit || 0, places);
  };

  const formatOwn = (own, scale) => {
    const value = round(own * scale * 10) / 10;
    return format(value, value % 1 ? 1 : 0);
  };

  // Our own words are English, whatever the page's language is.
  const votesWord = (widget, n) => {
    const plural = siteWord(widget, 'votes');
    let form;
    try {
      form = 'votes_' + new Intl.PluralRules(plural ? lang : 'en').select(n);
    } catch {
      // the page names no language
    }
    return siteWord(widget, form) || plural || words[form] || words.votes;
  };

  const showSlider = (slider, value, prefix = '') => {
    slider.value = value;
    dataOf(slider).value = slider.value;
    slider.ariaValueText = prefix + formatAverage(+slider.value, 10);
  };

  const showControls = (widget, own, average) => {
    const slider = widget.querySelector(sliders);
    if (slider && moving !== widget) {
      const isAverage = own === null && average !== null;
      showSlider(slider, own ?? average ?? 0.5, isAverage ? word(widget, 'average') + ' ' : '');
    }
    const choices = all(widget, buttons);
    const distance = (button) => Math.abs(dataOf(button).value - own);
    let chosen = own !== null && [...choices].sort((a, b) => distance(a) - distance(b))[0];
    if (chosen && dataOf(widget).category !== 'scale' && distance(chosen)) chosen = null;
    for (const button of choices) {
      const isChosen = button === chosen;
      if (button.role === 'radio') {
        button.ariaChecked = isChosen;
        // One is on the way of the Tab key, the others are reached by arrow keys.
        button.tabIndex = button === (chosen || choices[0]) ? 0 : -1;
      } else {
        button.ariaPressed = isChosen;
      }
    }
  };

  const schemas = {};
  const showSchema = (widget, {average, total}) => {
    const {schema} = dataOf(widget);
    if (!schema) return;
    const key = keyOf(widget);
    schemas[key]?.remove();
    const element = (schemas[key] = page.createElement('script'));
    element.type = 'application/ld+json';
    element.textContent = JSON.stringify({
      '@context': 'https://schema.org',
      '@type': schema,
      name: page.title,
      aggregateRating: {
        '@type': 'AggregateRating',
        ratingValue: round(average * 50) / 10,
        bestRating: 5,
        worstRating: 0,
        ratingCount: total,
      },
    });
    if (total) page.head.append(element);
  };

  const show = (widget, data) => {
    const {category} = dataOf(widget);
    const totals = data.stats[category];
    if (totals?.total === undefined) return; // no category
    const own = data.user_ratings[category]?.value ?? null;
    dataOf(widget).userRating = own ?? '';
    if ('tenths' in dataOf(widget)) {
      dataOf(widget).tenths = totals.average === null ? '' : round(totals.average * 10);
    }
    for (const element of all(widget, '[data-count],[data-stat]')) {
      const {count, stat, scale = 1} = dataOf(element);
      element.textContent =
        stat === 'average'
          ? formatAverage(totals.average, scale)
          : stat === 'votes'
            ? votesWord(widget, totals.total)
            : stat === 'own'
              ? own === null
                ? ''
                : word(widget, 'own', formatOwn(own, scale))
              : format(totals[count || stat] ?? 0, 0);
    }
    showControls(widget, own, totals.average);
    if (category === 'scale') showSchema(widget, totals);
    widget.dispatchEvent(new CustomEvent('ratingd:updated', {bubbles: true, detail: data}));
  };

  const say = (widget, kind, text) => {
    let element = widget.querySelector('[data-message]');
    if (!element) {
      element = page.createElement('span');
      element.role = 'status';
      widget.append(element);
    }
    dataOf(element).message = kind;
    element.textContent = text;
  };

  // --- Numbers of the server ---------------------------------------------------------------------

  const typeOf = (element) => (dataOf(element).objectType || 'post').toLowerCase();
  const keyOf = (element) => typeOf(element) + ' ' + dataOf(element).objectId;
  const isNumbered = (element) => /^[1-9]\d{0,18}$/.test(dataOf(element).objectId);

  // Keys and not what the answer says of the object: long numbers lose digits in JSON.
  const showAll = (key, numbers) => {
    // Public numbers have no own ratings: those that are known stay.
    const data = (known[key] = {user_ratings: known[key]?.user_ratings || {}, ...numbers});
    for (const widget of widgets) {
      if (!widget.isConnected) widgets.delete(widget);
      else if (keyOf(widget) === key) show(widget, data);
    }
  };

  // Numbers without own ratings: caches have them even when the service is down.
  const askPublic = async (query, error) => {
    const body = await fetch(api + 'public/stats?' + query, {credentials: 'omit'})
      .then((answer) => answer.json())
      .catch(() => 0);
    if (!body.success) throw error;
    return body;
  };

  // One request for each type. What cannot be had stays as the page has it.
  const load = (elements) => {
    const ids = {__proto__: null}; // a type may be called "constructor"
    for (const element of elements) (ids[typeOf(element)] ??= new Set()).add(dataOf(element).objectId);
    const loadType = async ([type, set]) => {
      const list = [...set].sort(); // pages with the same widgets share one answer of a cache
      while (list.length) {
        const some = list.splice(0, 100);
        const query = new URLSearchParams({object_type: type, object_ids: some});
        const {data} = await ask('stats?' + query).catch((error) => askPublic(query, error));
        some.forEach((id, i) => showAll(type + ' ' + id, data[i]));
      }
    };
    return Promise.all(Object.entries(ids).map((one) => loadType(one).catch(warn)));
  };

  // --- Voting ------------------------------------------------------------------------------------

  const send = (widget, value) => {
    const {objectId, category} = dataOf(widget);
    const vote = {object_id: objectId, object_type: typeOf(widget), category};
    if (value === null) return ask('rate?' + new URLSearchParams(vote), {method: 'DELETE'});
    vote.value = +value;
    if (category === 'scale') vote.scale = 1; // whatever maximum the settings have
    return ask('rate', {method: 'POST', body: JSON.stringify(vote)});
  };

  // "value" is null to take the vote back. Of what is asked for meanwhile, the last counts.
  const vote = async (widget, value) => {
    queued.set(widget, value);
    if (widget.ariaBusy === 'true') return;
    widget.ariaBusy = 'true';
    while (queued.has(widget)) {
      const next = queued.get(widget);
      queued.delete(widget);
      try {
        showAll(keyOf(widget), await send(widget, next));
        say(widget, 'done', word(widget, next === null ? 'removed' : 'saved'));
      } catch (error) {
        // Gone already: removed elsewhere, or by the request whose answer was lost.
        if (next === null && error.status === 404) say(widget, 'done', word(widget, 'removed'));
        else say(widget, 'error', word(widget, error.word || 'failed', error.n));
        // What is shown may be old: taken back elsewhere, or a slider that has moved already.
        await load([widget]);
      }
    }
    widget.ariaBusy = 'false';
  };

  const onClick = ({currentTarget: widget, target}) => {
    const control = target.closest(buttons + ',' + sliders);
    if (!control || moving === widget) return; // of a slider that moved, onChange knows
    const {ariaPressed, ariaChecked, value} = control;
    const isChosen = ariaPressed ?? ariaChecked ?? '' + (value === dataOf(widget).userRating);
    vote(widget, isChosen === 'true' ? null : value || dataOf(control).value);
  };

  const onChange = ({currentTarget: widget, target}) => {
    if (!target.matches(sliders)) return;
    // Arrow keys change it many times.
    if (moving === widget) clearTimeout(timer);
    moving = widget;
    timer = setTimeout(() => {
      moving = null;
      vote(widget, target.value);
    }, 400);
    showSlider(target, target.value);
  };

  const onKey = (event) => {
    // What Enter does to buttons.
    if (event.key === 'Enter' && event.target.type === 'range') event.target.click();
    const radios = all(event.currentTarget, '[role=radio]');
    const at = radios.indexOf(event.target);
    if (at < 0) return;
    const forward = getComputedStyle(event.currentTarget).direction === 'rtl' ? -1 : 1;
    const steps = {ArrowRight: forward, ArrowLeft: -forward, ArrowDown: 1, ArrowUp: -1};
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    radios[(at + step + radios.length) % radios.length].focus();
  };

  const attach = (widget) => {
    widgets.add(widget);
    widget.addEventListener('click', onClick);
    widget.addEventListener('change', onChange);
    widget.addEventListener('keydown', onKey);
    const data = known[keyOf(widget)];
    if (data) show(widget, data);
  };

  // --- The page ----------------------------------------------------------------------------------

  const scan = async (within = page) => {
    const places = all(within, '[data-ratingd]').filter(isNumbered);
    const ready = '[data-category][data-template]:not([data-ratingd])';
    const found = () => all(within, ready).filter((one) => isNumbered(one) && !widgets.has(one));
    const loaded = load([...places, ...found()]);
    await Promise.all(places.map(build));
    found().forEach(attach);
    await loaded;
  };

  const start = async () => {
    if (!nonce && page.body.classList.contains('logged-in')) await renewNonce();
    await scan();
  };

  window.ratingd = {scan};
  if (page.readyState === 'loading') addEventListener('DOMContentLoaded', start);
  else start();
})();
