// Sends requests to the service for a logged-in user or for a visitor.

import {api, further, settings, wait, warn} from './page.js';
import {words} from './words.js';

// The user's nonce. The nonce is empty if nobody is logged in, and null or undefined if the login state
// is unknown.
let nonce;
// Each request for a nonce starts WordPress, so all waiting requests share one nonce request.
let renewal;
const renew = async (isVote) => {
  renewal ??= further('login').then((one) => one.renewNonce(api, settings)).catch(() => null);
  nonce = await renewal;
  renewal = null;
  if (isVote && nonce === null) throw {word: 'reload'};
};

// A random id for the page view. The service uses the id to recognize a voter whose browser does not
// store cookies. crypto.randomUUID() is not available over plain HTTP.
const device = crypto.getRandomValues(new Uint32Array(5)).join('-');
let hasVoted; // Until the first vote, reads do not contain the id, so that caches may respond to them.

// "request" contains the options of a vote request. If "request" is missing, ask() sends a read request instead of a
// vote. If the response to a vote is lost, the function sends the vote again.
//
// Throws an error if the request fails. If the server responds with an error, the thrown error contains
// the response data, and the "status" and "word" members. If the status of a vote is 429, the error also
// has the say() method from refused.js. If ask() cannot find out whether a user is logged in, it throws
// an error instead of sending a vote.
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
  // After a click on the Back button, browsers use even outdated responses from their cache, unless the
  // request has the "no-cache" option. With "keepalive", the browser finishes the request even if the
  // visitor leaves the page.
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
  // The nonce may be missing or outdated, because the page may come from a cache. If nobody was logged
  // in when the last nonce was requested, only votes request a new nonce.
  if (/stale|no-nonce/.test(answer.headers.get('X-Ratingd-Login')) && !hasRenewed && (request || nonce !== '')) {
    // Do not renew the nonce if another request has already renewed it.
    if (!nonce || nonce === sent) await renew(request);
    // Send the vote again with the user's nonce, so that the service turns the visitor's vote into the user's vote.
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
// Uses POST because some hosts block the DELETE method.
export const withdraw = (vote) =>
  ask('rate?' + new URLSearchParams({...vote, _method: 'DELETE'}), {method: 'POST'});

// Reads the numbers without the voter's own ratings. Caches can answer requests for public numbers even if the service
// is down.
export const askPublic = async (query, error) => {
  const body = await fetch(api + 'public/stats?' + query, {credentials: 'omit'})
    .then((answer) => answer.json())
    .catch(() => 0);
  if (!body.success) throw error;
  return body;
};
