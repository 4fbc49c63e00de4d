// Requests, in the name of the user who is logged in, or of a visitor.

import {api, further, settings, wait, warn} from './page.js';
import {words} from './words.js';

// The nonce of the user. It is empty if nobody is logged in, and null if no address has said whether somebody is.
let nonce;
// Requests that need a new nonce at the same time share one request for it, because each such request starts WordPress.
let renewal;
const renew = async (isVote) => {
  renewal ??= further('login').then((one) => one.renewNonce(api, settings)).catch(() => null);
  nonce = await renewal;
  renewal = null;
  if (isVote && nonce === null) throw {word: 'reload'};
};

// Names this page view: a vote that is sent again, and votes sent at the same moment, are one voter's, also where
// the browser keeps no cookie. Not crypto.randomUUID, which plain HTTP does not have.
const device = crypto.getRandomValues(new Uint32Array(5)).join('-');
let hasVoted; // until then no read names it: caches may answer reads

// "request" is that of a vote; without it, something is read. A vote whose answer is lost is sent again. Throws what
// went wrong. An error that the server reports has its data and {status, word}. For a vote with status 429, it also has
// say() of refused.js. While a user may be logged in, no vote is sent as a visitor's vote.
export const ask = async (path, request, hasResent, hasRenewed) => {
  hasVoted ||= request;
  if (request && nonce === null) await renew(request);
  nonce ??= /^\s*([\da-f]{10})\s*$/.exec(settings.nonce)?.[1];
  const headers = hasVoted ? {'X-Ratingd-Device': device} : {};
  const sent = nonce;
  if (sent) headers['X-WP-Nonce'] = sent;
  if (settings.ticketUrl) await (await further('login')).addTicket(headers, settings, hasRenewed);
  if (request?.body) headers['Content-Type'] = 'application/json';
  const mayResend = request && !hasResent;
  // After "Back" browsers take answers from their cache, as old as they are.
  // A vote that is under way is sent even if the visitor leaves the page.
  const more = {cache: 'no-cache', headers, credentials: settings.credentials, keepalive: !!request};
  const answer = await fetch(api + path, {...request, ...more}).catch((error) => {
    if (!mayResend) throw error;
  });
  if (mayResend && (!answer || answer.status === 503)) {
    await wait(1000);
    return ask(path, request, true, hasRenewed);
  }
  const body = await answer.json();
  nonce = answer.headers.get('X-WP-Nonce') || nonce;
  // The page may have been cached for visitors, or before a login. If nobody was logged in at the last request for a
  // nonce, only a vote requests it again.
  if (/stale|no-nonce/.test(answer.headers.get('X-Ratingd-Login')) && !hasRenewed && (request || nonce !== '')) {
    // Another request may have brought a newer nonce meanwhile.
    if (!nonce || nonce === sent) await renew(request);
    // As the user now; the vote that was just counted for a visitor becomes the user's.
    if (nonce) return ask(path, request, hasResent, true);
  }
  if (answer.ok) return body;
  const {status} = answer;
  if (status === 401 && settings.ticketUrl && !hasRenewed) return ask(path, request, hasResent, true);
  const name = body.code.replace('ratingd_', '');
  const other = status === 401 ? 'login' : status < 500 ? 'refused' : 'failed';
  const why = request && status === 429 && (await further('refused').catch(warn));
  throw {...body, ...body.data, word: name in words ? name : other, ...why};
};

export const post = (vote) => ask('rate', {method: 'POST', body: JSON.stringify(vote)});
// Some hosts block the method DELETE.
export const withdraw = (vote) =>
  ask('rate?' + new URLSearchParams({...vote, _method: 'DELETE'}), {method: 'POST'});

// Numbers without own ratings: caches have them even when the service is down.
export const askPublic = async (query, error) => {
  const body = await fetch(api + 'public/stats?' + query, {credentials: 'omit'})
    .then((answer) => answer.json())
    .catch(() => 0);
  if (!body.success) throw error;
  return body;
};
