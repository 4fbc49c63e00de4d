// Tests the npm package with a real service. tests/e2e/client_test.py starts the service, and RATINGD_SITE contains
// its URL.

import assert from 'node:assert/strict';
import {createHmac} from 'node:crypto';
import {createServer} from 'node:http';
import {test} from 'node:test';

import {RatingdError, createClient} from 'ratingd-client';

const {url, baseUrl, keys} = JSON.parse(process.env.RATINGD_SITE);

// Signs a ticket as docs/headless.md describes.
function sign(issuer, subject, further = {}) {
  const iat = Math.floor(Date.now() / 1000);
  const claims = {iss: issuer, sub: subject, aud: url, iat, exp: iat + 60, ...further};
  const text = [{alg: 'HS256', typ: 'JWT'}, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${text}.${createHmac('sha256', keys[issuer]).update(text).digest('base64url')}`;
}

let objects = 0;
const newVote = (value = 1) => ({object_id: ++objects, category: 'binary', value});

// Returns a client and the headers that it has sent.
function client(options = {}) {
  const sent = [];
  const recording = (address, init) => {
    sent.push(init.headers ?? {});
    return fetch(address, init);
  };
  return {...createClient({baseUrl, fetch: recording, ...options}), sent};
}

const fails = (status, code, reason) => (error) => {
  assert.ok(error instanceof RatingdError, error);
  assert.deepEqual([error.status, error.code, error.data.reason], [status, code, reason]);
  return true;
};

test('one client is one voter, who is named from the first vote on', async () => {
  const {rate, stats, withdraw, request, sent} = client();
  const {object_id, category, value} = newVote();
  assert.equal((await stats(object_id)).stats.binary.total, 0);
  assert.deepEqual(sent, [{}]);
  assert.equal((await rate({object_id, category, value})).value, 1);
  const changed = await rate({object_id, category, value: 0});
  assert.deepEqual([changed.previous_value, changed.stats.binary.total], [1, 1]);
  assert.equal((await stats(object_id, 'post')).user_ratings.binary.value, 0);
  assert.deepEqual((await stats(object_id, 'page')).user_ratings, {});
  assert.equal((await request('GET', '/me', {query: {per_page: 1}})).data[0].object_id, object_id);
  assert.equal((await withdraw({object_id, category})).stats.binary.total, 0);
  await assert.rejects(withdraw({object_id, category}), fails(404, 'ratingd_not_found'));
  assert.equal(new Set(sent.slice(1).map((headers) => headers['X-Ratingd-Device'])).size, 1);
});

test('who has never rated may ask for their ratings, too', async () => {
  await assert.rejects(client().request('GET', '/me'), fails(401, 'rest_not_logged_in'));
  const {data, meta} = await client().request('GET', '/me', {query: {optional: true}});
  assert.deepEqual([data, meta.user], [[], null]);
});

test('a vote is withdrawn where a host blocks other methods than GET and POST', async () => {
  const blocking = (address, init) => {
    assert.match(init.method ?? 'GET', /^(GET|POST)$/);
    return fetch(address, init);
  };
  const {rate, withdraw} = client({fetch: blocking});
  const {object_id, category} = await rate(newVote());
  assert.equal((await withdraw({object_id, category})).value, null);
});

test("parameters arrive where URLSearchParams is React Native's", async () => {
  const standard = globalThis.URLSearchParams;
  globalThis.URLSearchParams = class {
    constructor(given) {
      this.entries = Object.keys(given).map((name) => [name, given[name]]);
    }
    toString() {
      return this.entries.map((pair) => pair.join('=')).join('&');
    }
  };
  try {
    const {rate, stats, withdraw, request} = client();
    const {object_id, category} = await rate({...newVote(), object_type: 'page'});
    assert.equal((await stats(object_id, 'page')).stats.binary.total, 1);
    assert.equal((await withdraw({object_id, object_type: 'page', category})).stats.binary.total, 0);
    await assert.rejects(request('GET', '/public/stats', {query: {object_ids: ['1&2']}}), fails(400, 'rest_invalid_param'));
  } finally {
    globalThis.URLSearchParams = standard;
  }
});

test('no address contains what ad blockers look for', async () => {
  const sent = [];
  const recording = (address, init) => {
    sent.push(address);
    return fetch(address, init);
  };
  const {request} = createClient({baseUrl, fetch: recording});
  for (const path of ['/stats', '/public/stats']) {
    const {data} = await request('GET', path, {query: {object_ids: [1, 2], object_type: 'page'}});
    assert.deepEqual(data.map((one) => one.object_type), ['page', 'page']);
  }
  assert.equal(sent.length, 2);
  for (const address of sent) assert.doesNotMatch(address, /\/stats\?object/);
});

test('all requests except public ones have the credentials', async () => {
  const sent = [];
  const recording = (address, init) => {
    sent.push(init.credentials);
    return fetch(address, init);
  };
  for (const credentials of ['include', undefined]) {
    const {rate, request} = createClient({baseUrl, fetch: recording, credentials});
    await rate(newVote());
    await request('GET', '/public/stats/{object_id}', {params: {object_id: 1}});
  }
  assert.deepEqual(sent, ['include', undefined, undefined, undefined]);
});

// Cloudflare Workers throw an error for redirect: "error" and for any value of "credentials".
test('redirects are not followed, even if the runtime does not know "error"', async (t) => {
  const arrived = [];
  const server = createServer((asked, answer) => {
    arrived.push(asked.url);
    answer.writeHead(307, {Location: '/elsewhere'}).end();
  });
  t.after(() => server.close());
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const likeAWorker = (address, init) => {
    assert.ok(['follow', 'manual', undefined].includes(init.redirect), init.redirect);
    assert.equal('credentials' in init, false);
    return fetch(address, init);
  };
  const elsewhere = createClient({baseUrl: `http://127.0.0.1:${server.address().port}`, fetch: likeAWorker});
  await assert.rejects(elsewhere.rate(newVote()), fails(307, ''));
  assert.deepEqual(arrived, ['/rate']);
});

test('two clients are two voters, and one with the same storage', async () => {
  const kept = new Map();
  const storage = {getItem: (name) => kept.get(name) ?? null, setItem: (name, token) => kept.set(name, token)};
  const vote = newVote();
  await client().rate(vote);
  for (const value of [0, 1]) assert.equal((await client({storage}).rate({...vote, value})).stats.binary.total, 2);
  assert.equal((await client({storage}).stats(vote.object_id)).user_ratings.binary.value, 1);
  assert.equal(kept.size, 1);
});

test('votes at the same moment have one token, even without a place for it', async () => {
  const blocked = () => {
    throw new Error('blocked');
  };
  const {rate, sent} = client({storage: {getItem: blocked, setItem: blocked}});
  const vote = newVote();
  const answers = await Promise.all([rate(vote), rate(vote), rate(vote)]);
  assert.deepEqual(answers.map((answer) => answer.stats.binary.total), [1, 1, 1]);
  assert.equal(new Set(sent.map((headers) => headers['X-Ratingd-Device'])).size, 1);
});

test('errors say what is wrong', async () => {
  await assert.rejects(client().rate({object_id: 1, category: 'binary', value: 7}), (error) => {
    assert.equal(error.message, 'Invalid parameter(s): value');
    assert.ok(error.data.details.value);
    return fails(400, 'rest_invalid_param')(error);
  });
  const proxy = async () => new Response('<h1>Bad gateway', {status: 502});
  await assert.rejects(createClient({baseUrl, fetch: proxy}).stats(1), fails(502, ''));
  await assert.rejects(client().stats('one'), fails(400, 'rest_invalid_param'));
  const signal = AbortSignal.abort();
  await assert.rejects(client().request('GET', '/me', {signal}), {name: 'AbortError'});
});

test('parameters do not lead to another path', async () => {
  for (const object_id of ['../settings', '..', '.', '..\\settings', '']) {
    const {stats, sent} = client();
    await assert.rejects(stats(object_id), TypeError);
    assert.deepEqual(sent, []);
  }
});

test('public counts name nobody', async () => {
  const {rate, request, sent} = client();
  const [one, other] = [newVote(), newVote()];
  await rate(one);
  const query = {object_ids: [other.object_id, one.object_id], object_type: undefined};
  const {data} = await request('GET', '/public/stats', {query});
  assert.deepEqual(data.map(({stats}) => stats.binary.total), [0, 1]);
  assert.deepEqual(sent.at(-1), {});
});

test('a ticket names the visitor, whichever client sends it', async () => {
  const vote = newVote();
  const {rate, sent} = client({ticket: sign('app', 'anna')});
  await rate(vote);
  assert.deepEqual(Object.keys(sent[0]).sort(), ['Content-Type', 'X-Ratingd-Ticket']);
  const phone = client({ticket: async () => sign('app', 'anna')});
  assert.equal((await phone.rate({...vote, value: 0})).previous_value, 1);
  assert.equal((await phone.withdraw({object_id: vote.object_id, category: 'binary'})).stats.binary.total, 0);
});

test('tickets are fetched once, and again when they end or are refused', async () => {
  let asked = 0;
  const now = Math.floor(Date.now() / 1000);
  const refused = client({ticket: () => sign('app', 'bert', asked++ ? {} : {iat: now - 600, exp: now - 540})});
  await Promise.all([1, 2, 3].map((id) => refused.stats(id)));
  await refused.stats(4);
  assert.equal(asked, 2);
  assert.equal(new Set(refused.sent.map((headers) => headers['X-Ratingd-Ticket'])).size, 2);

  asked = 0;
  const short = client({ticket: () => sign('app', 'bert', {exp: now + 5 + 100 * asked++})});
  for (const id of [1, 2, 3]) await short.stats(id);
  assert.equal(asked, 2);
});

test('a ticket that is refused again is an error', async () => {
  let asked = 0;
  const ticket = () => sign('app', 'carl', {aud: `https://${++asked}.example`});
  await assert.rejects(client({ticket}).stats(1), fails(401, 'ratingd_bad_ticket', 'wrong_audience'));
  assert.equal(asked, 2);
  await assert.rejects(client({ticket: 'nonsense'}).stats(1), fails(401, 'ratingd_bad_ticket', 'malformed'));
  const fetchFailed = () => Promise.reject(new Error('no back end'));
  await assert.rejects(client({ticket: fetchFailed}).stats(1), /no back end/);
});

test('visitors without a ticket vote with a token', async () => {
  let asked = 0;
  const {rate, stats, sent} = client({ticket: () => void ++asked});
  const vote = newVote();
  await rate(vote);
  assert.equal((await stats(vote.object_id)).user_ratings.binary.value, 1);
  assert.equal(asked, 1);
  assert.ok(sent.every((headers) => headers['X-Ratingd-Device']));
});

test('the rest of the API takes parameters, bodies and texts', async () => {
  const {request, rate} = client({ticket: () => sign('desk', '1', {rights: ['administer', 'see_persons']})});
  await rate(newVote());
  const {data} = await request('POST', '/settings', {body: {scale_maximum: 5}});
  assert.equal(data.scale_maximum, 5);
  const params = {namespace: 'simple', name: 'stars'};
  assert.equal((await request('GET', '/templates/{namespace}/{name}', {params})).data.slug, 'simple/stars');
  const lines = await request('GET', '/data/export', {query: {scope: 'ratings'}});
  assert.ok(lines.trim().split('\n').map((line) => JSON.parse(line)).length > 1);
  assert.equal((await request('POST', '/data/import', {body: lines})).success, true);
});

const device = {'X-Ratingd-Device': 'a-token-of-the-other-client'};

test("hey-api's client votes, and reads the counts", async () => {
  const {castVote, getPublicStats} = await import('./others/dist/hey-api/index.js');
  const {client: its} = await import('./others/dist/hey-api/client.gen.js');
  its.setConfig({baseUrl, throwOnError: true});
  const body = {...newVote(4.5), category: 'scale', scale: 5};
  const {data} = await castVote({body, headers: device});
  assert.deepEqual([data.value, data.stats.scale.total], [0.9, 1]);
  const path = {object_id: body.object_id};
  assert.equal((await getPublicStats({path})).data.stats.scale.total, 1);
  await assert.rejects(castVote({body: {...body, value: 6}, headers: device}), {code: 'rest_invalid_param'});
});

test("orval's client votes, reads the counts, and takes the vote back", async () => {
  const {castVote, getPublicStats, withdrawVote} = await import('./others/dist/orval/index.js');
  const body = {...newVote(4.5), category: 'scale', scale: 5};
  const {status, data} = await castVote(body, {}, {headers: device});
  assert.deepEqual([status, data.value, data.stats.scale.total], [200, 0.9, 1]);
  assert.equal((await getPublicStats(body.object_id)).data.stats.scale.total, 1);
  const refused = await castVote({...body, value: 6}, {}, {headers: device});
  assert.deepEqual([refused.status, refused.data.code], [400, 'rest_invalid_param']);
  const params = {object_id: body.object_id, category: 'scale'};
  const withdrawn = await withdrawVote(params, {headers: device});
  assert.deepEqual([withdrawn.status, withdrawn.data.stats.scale.total], [200, 0]);
});
