'use strict';

// Lists the visitor's ratings, which GET /me returns.
((show) => {
  const start = () => show(window.ratingdMine);
  // Wait for the page's settings if this script runs before the browser has parsed them.
  if (window.ratingdMine && document.querySelector('script#ratingd-settings')) start();
  else addEventListener('DOMContentLoaded', start);
})(({names, scale, words}) => {
  const {base, ajax, nonceUrl, credentials, nonce: first} = JSON.parse(
    document.querySelector('script#ratingd-settings').text,
  );
  // Returns the longest prefix that is a valid language tag, such as "pt-PT" for "pt-PT-ao90".
  const valid = (tag) => {
    try {
      new Intl.NumberFormat(tag);
      return tag;
    } catch {
      return valid(tag.replace(/-?[^-]*$/, '') || 'en');
    }
  };
  const lang = valid(document.documentElement.lang.replace(/_/g, '-'));
  const number = (value) => (Math.round(value * 10) / 10).toLocaleString(lang);
  const element = (name, properties) => Object.assign(document.createElement(name), properties);
  const entities = {
    __proto__: null, // a title may contain &constructor;
    amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\xa0', shy: '\xad', ndash: '–', mdash: '—', hellip: '…',
  };
  const decode = (entity, decimal, hex, name) =>
    name ? (entities[name] ?? entity) : String.fromCodePoint(decimal ?? `0x${hex}`);
  // WordPress stores titles as HTML. Do not use DOMParser, which Trusted Types forbid.
  const plain = (html) =>
    html.replace(/<[a-z/!][^>]*>/gi, '').replace(/&(?:#(\d{1,6})|#x([\da-f]{1,5})|(\w+));/gi, decode);

  // A cached page may lack the nonce that a logged-in user needs.
  let nonce = first;
  const ask = async (index, hasRenewed) => {
    const headers = nonce ? {'X-WP-Nonce': nonce} : {};
    const query = `optional=1&page=${index}`;
    const answer = await fetch(`${base}me?${query}`, {headers, cache: 'no-store', credentials: 'include'});
    if (!hasRenewed && /stale|no-nonce/.test(answer.headers.get('X-Ratingd-Login'))) {
      const {renewNonce} = await import(base + 'ratingd-login.js');
      nonce = await renewNonce(base, {ajax, nonceUrl, credentials});
      if (nonce === null) throw new Error('no nonce');
      return ask(index, true);
    }
    if (answer.status === 401) return {data: [], pages: 0}; // a service before version 0.4 does not know "optional"
    if (!answer.ok) throw new Error(answer.status);
    return {data: (await answer.json()).data, pages: +answer.headers.get('X-WP-TotalPages')};
  };

  const inWords = ({category, value}) => {
    if (category === 'scale') return words.of.replace('%1$s', number(value * scale)).replace('%2$s', number(scale));
    if (category === 'bipolar' && !value) return words.neutral;
    return value > 0 ? words.like : words.dislike;
  };

  const abouts = new Map(Object.entries(names));
  // The label of a reaction says what the visitor has chosen. The name of a removed criterion or reaction has no label.
  const said = (rating) => {
    const [, facet] = /:([^:]+)$/.exec(rating.object_type) || [];
    const {label, group} = abouts.get(facet) ?? {label: facet};
    if (group === 'reactions' && rating.value > 0) return label;
    return (label ? label + ': ' : '') + inWords(rating);
  };

  const itemOf = (rating) => {
    const item = element('li', {className: 'ratingd-top-item'});
    // Services before version 0.3 do not return titles.
    const title = rating.title === null ? words.untitled : plain(rating.title ?? '') || '#' + rating.object_id;
    const name = rating.link
      ? element('a', {className: 'ratingd-top-link', href: rating.link})
      : element('span', {className: 'ratingd-top-link'});
    name.append(element('span', {className: 'ratingd-top-title', dir: 'auto', textContent: title}));
    const date = new Date(rating.rated_at).toLocaleDateString(lang, {dateStyle: 'medium'});
    item.append(name, element('span', {className: 'ratingd-top-figure', textContent: said(rating) + ' · ' + date}));
    return item;
  };

  const fill = async (place) => {
    const list = element('ul', {className: 'ratingd-top-list'});
    const more = element('button', {type: 'button', textContent: words.more, hidden: true});
    const failure = element('p', {textContent: words.failed});
    let page = 0;
    const show = async () => {
      more.disabled = true;
      try {
        const {data, pages} = await ask(++page);
        if (page === 1) place.replaceChildren(...(data.length ? [list, more] : [words.none]));
        const items = data.map(itemOf);
        list.append(...items);
        more.hidden = page >= pages;
        if (page > 1) items[0]?.querySelector('a')?.focus(); // the button may have been removed
        failure.remove();
      } catch {
        --page;
        place[page ? 'append' : 'replaceChildren'](failure);
      }
      more.disabled = false;
    };
    more.addEventListener('click', show);
    await show();
  };

  document.querySelectorAll('[data-ratingd-mine]').forEach(fill);
});
