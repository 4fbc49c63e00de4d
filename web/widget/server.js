// Requests, in the name of the user who is logged in, or of a visitor.

import {api, further, settings, wait} from './page.js';
import {words} from './words.js';

const {credentials} = settings;
let {nonce} = settings;

// Names this page view: a vote that is sent again, and votes sent at the same moment, are one voter's, also where
// the browser keeps no cookie. Not crypto.randomUUID, which plain HTTP does not have.
const device = crypto.getRandomValues(new Uint32Array(5)).join('-');
let hasVoted; // until then no read names it: caches may answer reads

// "request" is that of a vote; without it, something is read. A vote whose answer is lost is sent again.
// Throws an error that the server reports, with its data, {status, word}, or whatever else went wrong.
export const ask = async (path, request, hasResent, hasRenewed) => {
  hasVoted ||= request;
  const headers = hasVoted ? {'X-Ratingd-Device': device} : {};
  if (nonce) headers['X-WP-Nonce'] = nonce;
  if (settings.ticketUrl) await (await further('login')).addTicket(headers, settings, hasRenewed);
  if (request?.body) headers['Content-Type'] = 'application/json';
  const mayResend = request && !hasResent;
  // After "Back" browsers take answers from their cache, as old as they are.
  const answer = await fetch(api + path, {...request, cache: 'no-cache', headers, credentials}).catch((error) => {
    if (!mayResend) throw error;
  });
  if (mayResend && (!answer || answer.status === 503)) {
    await wait(1000);
    return ask(path, request, true, hasRenewed);
  }
  const body = await answer.json();
  nonce = answer.headers.get('X-WP-Nonce') || nonce;
  // The page may have been cached for visitors, or before a login.
  if (/stale|no-nonce/.test(answer.headers.get('X-Ratingd-Login')) && !hasRenewed) {
    nonce = await further('login').then((one) => one.renewNonce(api, settings)).catch(() => 0);
    // As the user now; the vote that was just counted for a visitor becomes the user's.
    if (nonce) return ask(path, request, hasResent, true);
  }
  if (answer.ok) return body;
  const {status} = answer;
  if (status === 401 && settings.ticketUrl && !hasRenewed) return ask(path, request, hasResent, true);
  const name = {401: 'login', 429: 'limited'}[status] || body.code.replace('ratingd_', '');
  throw {...body, ...body.data, word: name in words ? name : status < 500 ? 'refused' : 'failed'};
};

// Numbers without own ratings: caches have them even when the service is down.
export const askPublic = async (query, error) => {
  const body = await fetch(api + 'public/stats?' + query, {credentials: 'omit'})
    .then((answer) => answer.json())
    .catch(() => 0);
  if (!body.success) throw error;
  return body;
};
