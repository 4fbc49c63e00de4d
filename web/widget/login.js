// Identifies the visitor. ratingd-widget.js loads this file if its script element has a data-ticket-url
// attribute, or if a WordPress nonce is missing or too old.

// Returns the nonce of the logged-in user. The nonce is empty if nobody is logged in, and null if no URL
// returns a usable response. The plugin's own URL is tried first, because wp-admin may be blocked or may
// redirect.
export const renewNonce = async (api, {ajax, nonceUrl, credentials}) => {
  const home = api.replace(/\/wp-json\/.*/, '');
  const ajaxUrl = (ajax || home + '/wp-admin/admin-ajax.php') + '?action=rest-nonce';
  for (const address of [nonceUrl || home + '/?ratingd-nonce', ajaxUrl]) {
    // Resolve the address relative to the page's URL, ignoring any <base> element.
    const text = await fetch(new URL(address, location), {cache: 'no-store', credentials})
      .then((answer) => answer.text())
      .catch(() => '');
    const [nonce] = /^([\da-f]{10}|0)$/.exec(text.trim()) || [];
    if (nonce) return nonce === '0' ? '' : nonce;
  }
  // Browsers do not allow pages on other sites to read the nonce.
  return new URL(api).origin === location.origin ? null : '';
};

// --- Tickets of other front ends (docs/headless.md) ----------------------------------------------

const margin = 10_000; // ms; a ticket must stay valid this long because the request takes time
const withoutTicket = 60_000; // ms between two requests for a ticket while the visitor has none

// Returns how long a ticket is valid, in milliseconds. The result does not depend on the browser's
// clock.
const lifeOf = (ticket) => {
  const [, claims] = ticket.split('.');
  const {iat, exp} = JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/')));
  return 1000 * (exp - iat);
};

let ticket;
let end = 0; // when the ticket expires, in milliseconds since the page was opened
let asking;

const keep = (text, since) => {
  ticket = text;
  end = since + (text ? Math.max(lifeOf(text) - margin, 0) : withoutTicket);
};

const fetchTicket = async (url) => {
  const since = performance.now();
  const answer = await fetch(url, {cache: 'no-store', credentials: 'include'});
  // Status codes 204, 401 and 403 mean that nobody is logged in or that the visitor has no ticket.
  if ([204, 401, 403].includes(answer.status)) return keep('', since);
  const text = (await answer.text()).trim();
  if (!answer.ok || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)) throw new Error('no ticket from ' + url);
  keep(text, since);
};

// If the visitor has a ticket, adds the ticket to the request headers. The page itself may contain the
// visitor's first ticket. "isRefused" is true if the service rejected the last ticket.
export const addTicket = async (headers, {ticket: ofPage, ticketUrl}, isRefused) => {
  if (ticket === undefined && ofPage) keep(ofPage, 0);
  if (isRefused) end = 0;
  if (performance.now() >= end) {
    await (asking ??= fetchTicket(ticketUrl).finally(() => (asking = null)));
  }
  if (ticket) headers['X-Ratingd-Ticket'] = ticket;
};
