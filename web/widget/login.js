// Who the visitor is. ratingd-widget.js loads this file if its script element has data-ticket-url, and when a nonce
// of WordPress is missing or too old.

// Returns the nonce of the user who is logged in. It is empty if nobody is logged in, and null if no address returns a
// usable answer. The plugin's own address is asked first, because wp-admin may be closed, or redirect.
export const renewNonce = async (api, {ajax, nonceUrl, credentials}) => {
  const home = api.replace(/\/wp-json\/.*/, '');
  const ajaxUrl = (ajax || home + '/wp-admin/admin-ajax.php') + '?action=rest-nonce';
  for (const address of [nonceUrl || home + '/?ratingd-nonce', ajaxUrl]) {
    // A <base> of the page is for its own links.
    const text = await fetch(new URL(address, location), {cache: 'no-store', credentials})
      .then((answer) => answer.text())
      .catch(() => '');
    const [nonce] = /^([\da-f]{10}|0)$/.exec(text.trim()) || [];
    if (nonce) return nonce === '0' ? '' : nonce;
  }
  // Pages of other sites cannot read the nonce.
  return new URL(api).origin === location.origin ? null : '';
};

// --- Tickets of other front ends (docs/headless.md) ----------------------------------------------

const margin = 10_000; // ms, for a request that is under way
const withoutTicket = 60_000; // ms until a visitor who had no ticket is asked for again

// Milliseconds for which a ticket is valid, whatever the browser's clock says.
const lifeOf = (ticket) => {
  const [, claims] = ticket.split('.');
  const {iat, exp} = JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/')));
  return 1000 * (exp - iat);
};

let ticket;
let end = 0; // of its use, in milliseconds since the page was opened
let asking;

const keep = (text, since) => {
  ticket = text;
  end = since + (text ? Math.max(lifeOf(text) - margin, 0) : withoutTicket);
};

const fetchTicket = async (url) => {
  const since = performance.now();
  const answer = await fetch(url, {cache: 'no-store', credentials: 'include'});
  // Nobody is logged in, or the visitor has no ticket.
  if ([204, 401, 403].includes(answer.status)) return keep('', since);
  const text = (await answer.text()).trim();
  if (!answer.ok || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)) throw new Error('no ticket from ' + url);
  keep(text, since);
};

// Adds the visitor's ticket, if there is one: at first that of the page. "isRefused": the last one was not accepted.
export const addTicket = async (headers, {ticket: ofPage, ticketUrl}, isRefused) => {
  if (ticket === undefined && ofPage) keep(ofPage, 0);
  if (isRefused) end = 0;
  if (performance.now() >= end) {
    await (asking ??= fetchTicket(ticketUrl).finally(() => (asking = null)));
  }
  if (ticket) headers['X-Ratingd-Ticket'] = ticket;
};
