// Sends requests for the user who is logged in, or for a visitor.

import {api, further, settings, wait, warn} from './page.js';
import {words} from './words.js';

// The user's nonce. It is empty if nobody is logged in, and null if this is not known yet.
let nonce;
// If several requests need a new nonce at the same time, they share one request for the nonce, because each request for
// a nonce starts WordPress.
let renewal;
const renew = async (isVote) => {
  renewal ??= further('login').then((one) => one.renewNonce(api, settings)).catch(() => null);
  nonce = await renewal;
  renewal = null;
  if (isVote && nonce === null) throw {word: 'reload'};
};

// The id of this page view. If a vote is sent again, or if several votes are sent at the same moment, the id shows
// that they come from one voter, even if the browser stores no cookie. crypto.randomUUID() is not available over
// plain HTTP.
const device = crypto.getRandomValues(new Uint32Array(5)).join('-');
let hasVoted; // Until the first vote, reads do not contain the id, so that caches may respond to them.

// "request" is the request for a vote. If it is missing, the function reads. A vote whose response is lost is sent
// again.
//
// Throws an error if the request fails. An error that the server reports has its data and {status, word}. An error
// for a vote with status 429 also has the method say() from refused.js. While a user may be logged in, no vote is
// sent as a visitor's vote.
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
  // After "Back", browsers take even old responses from their cache, so "no-cache" makes them ask the server.
  // "keepalive" lets a vote finish if the visitor leaves the page.
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
  // nonce, only a vote requests a new nonce.
  if (/stale|no-nonce/.test(answer.headers.get('X-Ratingd-Login')) && !hasRenewed && (request || nonce !== '')) {
    // Another request may have received a newer nonce in the meantime.
    if (!nonce || nonce === sent) await renew(request);
    // Vote again as the user. The vote that was just counted for a visitor becomes the user's vote.
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
// Uses POST because some hosts block the method DELETE.
export const withdraw = (vote) =>
  ask('rate?' + new URLSearchParams({...vote, _method: 'DELETE'}), {method: 'POST'});

// Reads the numbers without the voter's own ratings. Caches can respond to this request even if the service is down.
export const askPublic = async (query, error) => {
  const body = await fetch(api + 'public/stats?' + query, {credentials: 'omit'})
    .then((answer) => answer.json())
    .catch(() => 0);
  if (!body.success) throw error;
  return body;
};
