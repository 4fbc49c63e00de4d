// A shop's pages, rendered on the server, with ratings by ratingd: Node 18 or newer, without dependencies.
// Its web server, the only one that reaches it, sets X-Real-IP.
import {createHmac, randomUUID} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {createServer} from 'node:http';

const {RATINGD_URL, RATINGD_SITE, RATINGD_KEY_NAME, RATINGD_KEY_FILE, ORIGIN, PORT} = process.env;
const key = readFileSync(RATINGD_KEY_FILE, 'utf8').trim();
const products = {1: 'Teapot', 2: 'Cups & saucers'};
const sessions = new Map(); // Cookie -> visitor's id. A real shop has sessions already.
const counts = new Map(); // Product -> its counts, kept for two seconds.

// Says who the visitor is. Never write it to a log or into an address.
function ticket({id, address}) {
  const iat = Math.floor(Date.now() / 1000);
  const claims = {iss: RATINGD_KEY_NAME, sub: id, aud: RATINGD_SITE, iat, exp: iat + 60, address};
  const text = [{alg: 'HS256', typ: 'JWT'}, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
}

async function ask(path, visitor, vote) {
  const headers = {'Content-Type': 'application/json'};
  if (visitor) headers['X-Ratingd-Ticket'] = ticket(visitor);
  const options = vote ? {method: 'POST', body: JSON.stringify(vote)} : {};
  const signal = AbortSignal.timeout(5000);
  const response = await fetch(RATINGD_URL + path, {...options, headers, signal, redirect: 'error'});
  const answer = await response.json();
  if (!response.ok) throw new Error(`ratingd answered ${response.status} ${answer.code}: ${answer.message}`);
  return answer;
}

// The same for everybody: one request in two seconds, however many visitors wait for its answer.
function countsOf(product) {
  if (!(counts.get(product)?.until > Date.now())) {
    const answer = ask(`/public/stats/${product}?object_type=product`);
    answer.catch(() => counts.delete(product));
    counts.set(product, {until: Date.now() + 2000, answer});
  }
  return counts.get(product).answer;
}

async function page(product, visitor) {
  const own = visitor.id ? ask(`/stats/${product}?object_type=product`, visitor) : null;
  const [{stats}, answer] = await Promise.all([countsOf(product), own]);
  const stars = (value) => (value === undefined || value === null ? 'none' : `${(value * 5).toFixed(1)} stars`);
  const title = products[product].replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
  return `<!doctype html><meta charset="utf-8"><title>${title}</title><h1>${title}</h1>
<p>Average of ${stats.scale.total} ratings: ${stars(stats.scale.average)}</p>
<p>Your rating: ${stars(answer?.user_ratings.scale?.value)}</p>
<form method="post"><button name="stars" value="5">Great</button><button name="stars" value="1">Bad</button></form>`;
}

async function serve(request, response) {
  const product = /^\/products\/(\d+)$/.exec(request.url)?.[1];
  if (!Object.hasOwn(products, product)) return response.writeHead(404).end('Not found');
  let session = /(?:^|; )session=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1];
  const visitor = {id: sessions.get(session), address: request.headers['x-real-ip']};
  if (request.method !== 'POST') {
    const html = await page(product, visitor);
    return response.writeHead(200, {'Content-Type': 'text/html', 'Cache-Control': 'no-store'}).end(html);
  }
  // ratingd cannot check from which page a vote comes: it only sees this server.
  if (request.headers.origin !== ORIGIN) return response.writeHead(403).end('Forbidden');
  let body = '';
  for await (const chunk of request) if ((body += chunk).length > 1000) return request.destroy();
  if (!visitor.id) sessions.set(session = randomUUID(), visitor.id = randomUUID());
  const value = new URLSearchParams(body).get('stars');
  await ask('/rate', visitor, {object_id: product, object_type: 'product', category: 'scale', value, scale: 5});
  const cookie = `session=${session}; Path=/; HttpOnly; Secure; SameSite=Lax`;
  return response.writeHead(303, {Location: request.url, 'Set-Cookie': cookie}).end();
}

createServer((request, response) => serve(request, response).catch((error) => {
  console.error(error.message);
  response.writeHead(502).end('Ratings are not available. Please try again.');
})).listen(Number(PORT), '127.0.0.1');
