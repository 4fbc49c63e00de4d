// Makes the vectors in tests/fixtures/ticket_vectors.json with new keys:
//
//   node web/ticket_vectors.mjs >tests/fixtures/ticket_vectors.json
//
// jose makes the tokens. Tokens that jose refuses to make are made by hand.

import crypto from 'node:crypto';
import {CompactSign, SignJWT} from 'jose';
import {judge} from './ticket_rules.mjs';

const NOW = 1795000000;
const SITE = 'https://example.org';
const ALL = ['administer', 'see_persons', 'see_unpublished'];

const newSecret = () => crypto.randomBytes(32).toString('base64url');
const newPair = () => crypto.generateKeyPairSync('ec', {namedCurve: 'P-256'});
const shared = (name, more) => ({name, algorithm: 'HS256', secret: newSecret(), rights: [], ...more});

const privateKeys = new Map();
function asymmetric(name, more) {
  const {publicKey, privateKey} = newPair();
  const key = {name, algorithm: 'ES256', public_key: publicKey.export({type: 'spki', format: 'pem'}), rights: [], ...more};
  privateKeys.set(key, privateKey);
  return key;
}

const shop = shared('shop');
const app = asymmetric('app');
const next = shared('next', {rights: ALL, may_forward: true});
const some = asymmetric('some', {rights: ['see_persons'], may_forward: true});
const cms = shared('cms', {rights: ALL, cms_users: true});
const [older, newer] = [shared('rotated'), shared('rotated')];
const [mixedShared, mixed] = [shared('mixed'), asymmetric('mixed')];
const KEYS = [shop, app, next, some, cms, older, newer, mixedShared, mixed];

const claimsOf = (key, more = {}) => ({iss: key.name, sub: 'visitor-1', aud: SITE, iat: NOW, exp: NOW + 300, ...more});
const without = (claims, name) => Object.fromEntries(Object.entries(claims).filter(([other]) => other !== name));
const signingKey = (key) => privateKeys.get(key) ?? new TextEncoder().encode(key.secret);
const headerOf = (key, more) => ({alg: key.algorithm, typ: 'JWT', ...more});

// Signs a token with jose.
const sign = (key, claims, more = {}) => new SignJWT(claims).setProtectedHeader(headerOf(key, more)).sign(signingKey(key));
const signBytes = (key, bytes) =>
  new CompactSign(Buffer.from(bytes)).setProtectedHeader(headerOf(key)).sign(signingKey(key));

// Makes a token by hand, with any header and any secret.
const base64url = (text) => Buffer.from(text).toString('base64url');
const hmac = (secret, text, hash = 'sha256') => crypto.createHmac(hash, secret).update(text).digest('base64url');
function forge(header, claims, secret, hash) {
  const text = `${base64url(typeof header === 'string' ? header : JSON.stringify(header))}.${base64url(JSON.stringify(claims))}`;
  return `${text}.${secret === undefined ? '' : hmac(secret, text, hash)}`;
}
function signEs256(header, claims, privateKey, dsaEncoding = 'ieee-p1363') {
  const text = `${base64url(JSON.stringify(header))}.${base64url(JSON.stringify(claims))}`;
  return `${text}.${crypto.sign('sha256', Buffer.from(text), {key: privateKey, dsaEncoding}).toString('base64url')}`;
}

const vectors = [];
async function add(name, token, more = {}) {
  const vector = {name, token: await token, ...more};
  vectors.push({...vector, ...(await judge(vector, {now: NOW, keys: KEYS, audiences: [SITE]}))});
}

// Claims that replace the usual claims, for a key of each algorithm.
const LONG = {
  'sub of 255 bytes': 'a'.repeat(255),
  'sub of 256 bytes': 'a'.repeat(256),
  'sub of 255 bytes of UTF-8': `${'ä'.repeat(127)}a`,
  'sub of 256 bytes of UTF-8': 'ä'.repeat(128),
};
const TIMES = {
  'exp 59 s ago': {exp: NOW - 59},
  'exp 59.5 s ago': {exp: NOW - 59.5},
  'exp 60 s ago': {exp: NOW - 60},
  'exp 61 s ago': {exp: NOW - 61},
  'exp of 1970': {exp: 0},
  'exp before 1970': {exp: -1},
  'exp now': {exp: NOW},
  'exp in 600 s': {exp: NOW + 600},
  'exp in 660 s': {exp: NOW + 660},
  'exp in 660.5 s': {exp: NOW + 660.5},
  'exp in 661 s': {exp: NOW + 661},
  'exp in milliseconds': {exp: (NOW + 300) * 1000},
  'exp with a fraction': {exp: NOW + 300.25},
  'iat in 60 s': {iat: NOW + 60},
  'iat in 60.5 s': {iat: NOW + 60.5},
  'iat in 61 s': {iat: NOW + 61},
  'iat long ago': {iat: 1},
  'nbf now': {nbf: NOW},
  'nbf in 60 s': {nbf: NOW + 60},
  'nbf in 61 s': {nbf: NOW + 61},
};
const AUDIENCES = {
  'aud with a slash': `${SITE}/`,
  'aud with two slashes': `${SITE}//`,
  'aud of another site': 'https://example.com',
  'aud that begins alike': `${SITE}.example.com`,
  'aud of another scheme': 'http://example.org',
  'aud in capitals': SITE.toUpperCase(),
  'aud with a port': `${SITE}:443`,
  'aud empty': '',
  'aud a list': [SITE],
  'aud a list with others': ['https://example.com', `${SITE}/`],
  'aud a list of others': ['https://example.com', 'https://example.net'],
  'aud an empty list': [],
  'aud a list with a number': [1, SITE],
};
const WRONG_TYPES = {'null': null, 'a number': 5, 'a string': '1795000100', 'true': true, 'an object': {}, 'a list': [NOW]};

async function addClaims(key) {
  const signed = (more) => sign(key, claimsOf(key, more));
  await add(`${key.algorithm}: as it should be`, signed());
  for (const [name, sub] of Object.entries(LONG)) await add(`${key.algorithm}: ${name}`, signed({sub}));
  for (const [name, more] of Object.entries(TIMES)) await add(`${key.algorithm}: ${name}`, signed(more));
  for (const [name, aud] of Object.entries(AUDIENCES)) await add(`${key.algorithm}: ${name}`, signed({aud}));
  for (const name of ['iss', 'sub', 'aud', 'iat', 'exp']) {
    await add(`${key.algorithm}: no ${name}`, sign(key, without(claimsOf(key), name)));
  }
}

async function addTypes(key) {
  for (const name of ['iss', 'sub', 'aud', 'iat', 'exp', 'nbf', 'rights']) {
    for (const [type, value] of Object.entries(WRONG_TYPES)) {
      await add(`${name} is ${type}`, signBytes(key, JSON.stringify(claimsOf(key, {[name]: value}))));
    }
  }
}

async function addSubjects() {
  const signed = (sub) => sign(shop, claimsOf(shop, {sub}));
  for (const sub of ['', ' ', 'a b', 'ä', '訪問者', '🙂', 'auth0|5f7c', 'https://id.example.org/7', '\u0000a', 'a\nb']) {
    await add(`sub ${JSON.stringify(sub)}`, signed(sub));
  }
  await add('sub with half a character', signed('\ud800'));
  for (const sub of ['0', '1', '42', '9223372036854775807', '9223372036854775808', '01', '-1', '+1', '1.0', '1e3', ' 1',
    '1 ', 'visitor', '٣', '00', '18446744073709551617']) {
    await add(`sub ${JSON.stringify(sub)} of a user of the CMS`, sign(cms, claimsOf(cms, {sub})));
  }
}

async function addIssuers() {
  for (const iss of ['nobody', '', 'SHOP', 'shop ', 'shop\u0000', 'shop.']) {
    await add(`iss ${JSON.stringify(iss)}`, sign(shop, claimsOf(shop, {iss})));
  }
  await add('signed with the key of another issuer', sign(next, claimsOf(shop)));
  await add('iss of an ES256 key, signed with the key of another', sign(some, claimsOf(app)));
  await add('signed with the older of two keys', sign(older, claimsOf(older)));
  await add('signed with the newer of two keys', sign(newer, claimsOf(newer)));
  await add('signed with neither of two keys', sign(shop, claimsOf(older)));
  await add('HS256 where both algorithms have a key', sign(mixedShared, claimsOf(mixed)));
  await add('ES256 where both algorithms have a key', sign(mixed, claimsOf(mixed)));
  await add('HS256 with the public key where both algorithms have a key',
    forge({alg: 'HS256'}, claimsOf(mixed), mixed.public_key));
}

async function addRights() {
  const rights = {
    'none': [], 'one': ['administer'], 'all': ALL, 'one twice': ['see_persons', 'see_persons'], 'unknown': ['root'],
    'unknown among others': ['administer', 'manage_options'], 'in capitals': ['Administer'], 'empty': [''], 'with a number': [1],
    'nested': [['administer']],
  };
  for (const key of [shop, next, some]) {
    for (const [name, list] of Object.entries(rights)) {
      await add(`rights ${name}, ${key.rights.length} allowed`, sign(key, claimsOf(key, {rights: list})));
    }
  }
}

async function addAddresses() {
  const addresses = ['192.0.2.7', '2001:db8::1', '::ffff:192.0.2.7', '', 'nonsense', '192.0.2.7:80', '192.0.2.256', '192.0.2.07',
    '[2001:db8::1]', 'fe80::1%eth0', ' 192.0.2.7', '192.0.2.0/24', 5, null, {country: 'DE'}, ['192.0.2.7']];
  for (const address of addresses) {
    await add(`address ${JSON.stringify(address)}`, sign(next, claimsOf(next, {address})));
  }
  for (const address of ['192.0.2.7', 'nonsense', {country: 'DE'}]) {
    await add(`address ${JSON.stringify(address)} that may not be forwarded`, sign(shop, claimsOf(shop, {address})));
  }
}

// Adds tickets for one request.
async function addBindings() {
  const hash = (body) => crypto.createHash('sha256').update(body).digest('base64url');
  const bound = {request: 'POST /rate', body: [hash('{}')], jti: 'n'.repeat(16)};
  const changed = {
    'as it should be': {}, 'of no body': {body: []}, 'of 32 pieces': {body: Array(32).fill(hash('a'))},
    'of 33 pieces': {body: Array(33).fill(hash('a'))}, 'without body': {body: undefined}, 'body a string': {body: hash('{}')},
    'body of numbers': {body: [1]}, 'hash in hex': {body: [Buffer.from(hash('a'), 'base64url').toString('hex')]},
    'hash with padding': {body: [`${hash('a')}=`]}, 'hash too short': {body: [hash('a').slice(0, -2)]}, 'hash empty': {body: ['']},
    'without jti': {jti: undefined}, 'jti a number': {jti: 1234567890123456}, 'jti of 15 bytes': {jti: 'n'.repeat(15)},
    'jti of 64 bytes': {jti: 'n'.repeat(64)}, 'jti of 65 bytes': {jti: 'n'.repeat(65)},
    'jti of 8 characters, 16 bytes': {jti: 'ä'.repeat(8)},
    'request a number': {request: 5}, 'request null': {request: null}, 'request a list': {request: ['GET', '/']},
    'request empty': {request: ''}, 'request with spaces': {request: 'GET /stats ?a b'},
    'jti and body without request': {request: undefined},
    '30 s old': {iat: NOW - 30}, '30.5 s old': {iat: NOW - 30.5}, '31 s old': {iat: NOW - 31}, 'in 30 s': {iat: NOW + 30},
    'in 31 s': {iat: NOW + 31}, 'in 61 s': {iat: NOW + 61},
  };
  for (const key of [next, app]) {
    for (const [name, more] of Object.entries(changed)) {
      await add(`${key.algorithm}: bound, ${name}`, sign(key, claimsOf(key, {...bound, ...more})));
    }
  }
}

async function addAlgorithms() {
  const claims = claimsOf(shop);
  const secret = shop.secret;
  for (const alg of ['none', 'None', 'NONE', '', 'hs256', 'HS256 ', 'HS384', 'HS512', 'RS256', 'PS256', 'ES256', 'ES384', 'EdDSA']) {
    await add(`alg ${JSON.stringify(alg)} with a signature by HS256`, forge({alg, typ: 'JWT'}, claims, secret));
    if (/^none$/i.test(alg)) await add(`alg ${JSON.stringify(alg)} without a signature`, forge({alg}, claims));
  }
  await add('no alg', forge({typ: 'JWT'}, claims, secret));
  await add('alg a list', forge({alg: ['HS256']}, claims, secret));
  await add('alg null', forge({alg: null}, claims, secret));
  await add('HS384 with the secret', forge({alg: 'HS384'}, claims, secret, 'sha384'));
  await add('HS512 by jose', new SignJWT(claims).setProtectedHeader({alg: 'HS512'}).sign(Buffer.from(secret.repeat(2))));
  await add('HS512 with the secret', forge({alg: 'HS512'}, claims, secret, 'sha512'));
  await add('ES256 for an HS256 key', sign(app, claims));
  const publicKey = crypto.createPublicKey(app.public_key);
  const point = publicKey.export({format: 'jwk'});
  const secrets = {
    'the public key in PEM': app.public_key,
    'the public key in PEM without the last line feed': app.public_key.trim(),
    'the public key in DER': publicKey.export({type: 'spki', format: 'der'}),
    'the coordinates of the public key': Buffer.concat([Buffer.from(point.x, 'base64url'), Buffer.from(point.y, 'base64url')]),
    'an empty secret': '',
  };
  for (const [name, wrong] of Object.entries(secrets)) {
    await add(`HS256 with ${name}`, forge({alg: 'HS256'}, claimsOf(app), wrong));
  }
  await add('the bytes that the secret stands for', forge({alg: 'HS256'}, claims, Buffer.from(secret, 'base64url')));
}

async function addHeaders() {
  const signed = (more) => forge({alg: 'HS256', ...more}, claimsOf(shop), shop.secret);
  for (const typ of ['JWT', 'jwt', 'Jwt', '', 'JWS', 'at+jwt', 'application/jwt', null, 5]) {
    await add(`typ ${JSON.stringify(typ)}`, signed({typ}));
  }
  await add('no typ', signed({}));
  const more = [{crit: []}, {crit: ['b64'], b64: true}, {crit: ['b64'], b64: false}, {crit: ['exp'], exp: NOW + 300}, {crit: ['nothing']},
    {crit: null}, {crit: 'b64'}, {b64: false}, {b64: true}, {kid: 'other'}, {kid: '../../dev/null'},
    {jku: 'https://example.com/keys'}, {x5u: 'https://example.com/cert'}, {cty: 'JWT'}, {zip: 'DEF'}, {enc: 'A256GCM'}];
  for (const header of more) await add(`header ${JSON.stringify(header)}`, signed(header));
  const {publicKey, privateKey} = newPair();
  await add('header jwk with the key of a forger',
    signEs256({alg: 'ES256', jwk: publicKey.export({format: 'jwk'})}, claimsOf(app), privateKey));
}

const flip = (text, index, mask = 1) => {
  const bytes = Buffer.from(text, 'base64url');
  bytes[index < 0 ? bytes.length + index : index] ^= mask;
  return bytes.toString('base64url');
};

async function addSignatures(key) {
  const [header, claims, signature] = (await sign(key, claimsOf(key))).split('.');
  const other = (await sign(key, claimsOf(key, {sub: 'visitor-2'}))).split('.');
  const changed = {
    'first bit flipped': flip(signature, 0, 0x80),
    'last bit flipped': flip(signature, -1),
    'a middle bit flipped': flip(signature, 15, 0x10),
    'cut by a byte': Buffer.from(signature, 'base64url').subarray(0, -1).toString('base64url'),
    'cut by a character': signature.slice(0, -1),
    'cut to one byte': Buffer.from(signature, 'base64url').subarray(0, 1).toString('base64url'),
    'longer by a byte': `${Buffer.concat([Buffer.from(signature, 'base64url'), Buffer.alloc(1)]).toString('base64url')}`,
    'longer by two bytes': `${Buffer.concat([Buffer.from(signature, 'base64url'), Buffer.alloc(2)]).toString('base64url')}`,
    'empty': '',
    'of zeros': Buffer.alloc(Buffer.from(signature, 'base64url').length).toString('base64url'),
    'of ones': Buffer.alloc(Buffer.from(signature, 'base64url').length, 0xff).toString('base64url'),
    'of another ticket': other[2],
    'with padding': `${signature}${'='.repeat((4 - (signature.length % 4)) % 4)}`,
    'with a line feed': `${signature}\n`,
    'with bits behind its end': `${signature.slice(0, -1)}${String.fromCharCode(signature.charCodeAt(signature.length - 1) + 1)}`,
  };
  for (const [name, wrong] of Object.entries(changed)) {
    await add(`${key.algorithm}: signature ${name}`, `${header}.${claims}.${wrong}`);
  }
  await add(`${key.algorithm}: claims of another ticket`, `${header}.${other[1]}.${signature}`);
  await add(`${key.algorithm}: a bit of the claims flipped`, `${header}.${flip(claims, -3)}.${signature}`);
}

async function addPoints() {
  const text = (await sign(app, claimsOf(app))).split('.').slice(0, 2).join('.');
  await add('ES256 in DER', signEs256(headerOf(app), claimsOf(app), privateKeys.get(app), 'der'));
  const raw = crypto.sign('sha256', Buffer.from(text), {key: privateKeys.get(app), dsaEncoding: 'ieee-p1363'});
  const order = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551');
  const hex = (number) => Buffer.from(number.toString(16).padStart(64, '0'), 'hex');
  const [r, s] = [raw.subarray(0, 32), raw.subarray(32)];
  const negated = hex(order - BigInt(`0x${s.toString('hex')}`));
  const wrong = {
    'with the other valid s': [r, negated], 'with s = 0': [r, Buffer.alloc(32)], 'with r = 0': [Buffer.alloc(32), s],
    'with r = n': [hex(order), s], 'with s = n': [r, hex(order)], 'with r and s exchanged': [s, r],
    'with zeros before r and s': [Buffer.alloc(1), r, Buffer.alloc(1), s],
  };
  for (const [name, parts] of Object.entries(wrong)) {
    await add(`ES256 ${name}`, `${text}.${Buffer.concat(parts).toString('base64url')}`);
  }
}

async function addForms() {
  const good = await sign(shop, claimsOf(shop));
  const [header, claims, signature] = good.split('.');
  const forms = {
    'empty': '', 'one dot': '.', 'two dots': '..', 'three dots': '...', 'a word': 'ticket', 'two parts': `${header}.${claims}`,
    'four parts': `${good}.${signature}`, 'five parts': `${good}..`, 'a space before': ` ${good}`, 'a space behind': `${good} `,
    'a dot behind': `${good}.`, 'Bearer before': `Bearer ${good}`, 'no header': `.${claims}.${signature}`,
    'no claims': `${header}..${signature}`, 'padding behind the header': `${header}=.${claims}.${signature}`,
    'padding behind the claims': `${header}.${claims}=.${signature}`,
    'a line feed in the claims': `${header}.${claims.slice(0, 9)}\n${claims.slice(9)}.${signature}`,
    'not ASCII': `${header}.${claims}.ä`, 'header and claims exchanged': `${claims}.${header}.${signature}`,
    'the JSON itself': `${JSON.stringify(headerOf(shop))}.${JSON.stringify(claimsOf(shop))}.${signature}`,
  };
  for (const [name, token] of Object.entries(forms)) await add(`form: ${name}`, token);
  // Claims with the characters that base64 and base64url encode differently, such as "/" and "_".
  const dense = await sign(shop, claimsOf(shop, {more: '???>>>~~~'}));
  await add('form: base64url with both of its characters', dense);
  await add('form: the other alphabet', dense.replaceAll('-', '+').replaceAll('_', '/'));
}

async function addJson() {
  const text = JSON.stringify(claimsOf(shop));
  const nested = (depth) => `${text.slice(0, -1)},"more":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
  const texts = {
    'white space': ` \n${text.replaceAll(',', ' ,\t')} `,
    'an escaped name': text.replace('"sub"', '"\\u0073ub"'),
    'a member twice': `${text.slice(0, -1)},"sub":"visitor-2"}`,
    'a member twice, once escaped': `${text.slice(0, -1)},"s\\u0075b":"visitor-2"}`,
    'a nested member twice': `${text.slice(0, -1)},"more":{"a":1,"a":1}}`,
    'other members': `${text.slice(0, -1)},"more":{"a":[1,{"sub":2}]},"jti":"7"}`,
    'depth 32': nested(32), 'depth 33': nested(33), 'a byte order mark': `\ufeff${text}`, 'NUL behind': `${text}\u0000`,
    'more behind': `${text}{}`, 'a comma too many': `${text.slice(0, -1)},}`,
    'a comment': `${text} // claims`, 'cut': text.slice(0, -1),
    'single quotes': text.replaceAll('"', "'"), 'a list': `[${text}]`,
    'a string': JSON.stringify(text), 'null': 'null', 'empty': '', 'an empty object': '{}',
    'exp in exponent form': text.replace(`"exp":${NOW + 300}`, '"exp":1.7950003e9'),
    'exp beyond doubles': text.replace(`"exp":${NOW + 300}`, '"exp":1e400'),
    'exp NaN': text.replace(`"exp":${NOW + 300}`, '"exp":NaN'), 'exp with a leading zero': text.replace('"exp":', '"exp":0'),
    'nbf minus zero': `${text.slice(0, -1)},"nbf":-0}`, '__proto__': `${text.slice(0, -1)},"__proto__":{"rights":["administer"]}}`,
  };
  for (const [name, claims] of Object.entries(texts)) await add(`claims: ${name}`, signBytes(shop, claims));
  await add('claims: bad UTF-8', signBytes(shop, Buffer.from(text.replace('visitor-1', 'visitor-\xff'), 'latin1')));
  await add('claims: overlong UTF-8', signBytes(shop, Buffer.from(text.replace('visitor-1', '\xc0\xaf'), 'latin1')));
  const headers = {
    'alg twice': '{"alg":"none","alg":"HS256"}', 'a list': '["HS256"]', 'a string': '"HS256"', 'empty': '',
    'white space': ' { "alg" : "HS256" } ', 'cut': '{"alg":"HS256"', 'beyond ASCII': '{"alg":"HS256","a":"ä"}',
  };
  for (const [name, header] of Object.entries(headers)) {
    await add(`header: ${name}`, forge(header, claimsOf(shop), shop.secret));
  }
}

// Returns a token of exactly this length. The header and the claims together take up the remainder of a division.
async function tokenOfLength(length) {
  for (let kid = 0; kid < 4; ++kid) {
    for (let pad = Math.trunc(length / 2); pad < length; ++pad) {
      const token = forge({alg: 'HS256', kid: 'k'.repeat(kid)}, claimsOf(shop, {pad: 'p'.repeat(pad)}), shop.secret);
      if (token.length === length) return token;
      if (token.length > length) break;
    }
  }
  throw new Error(`no token of ${length} bytes`);
}

async function addLengths() {
  for (const length of [4095, 4096, 4097, 10000]) await add(`length ${length}`, tokenOfLength(length));
}

async function addSites() {
  const blog = {audiences: [`${SITE}/blog/`, 'https://www.example.org']};
  for (const aud of [`${SITE}/blog`, `${SITE}/blog/`, SITE, 'https://www.example.org/', `${SITE}/blog/more`]) {
    await add(`aud ${aud} of a site with two addresses`, sign(shop, claimsOf(shop, {aud})), blog);
  }
}

await addClaims(shop);
await addClaims(app);
await addTypes(shop);
for (const part of [addSubjects, addIssuers, addRights, addAddresses, addBindings, addAlgorithms, addHeaders, addPoints, addForms, addJson,
  addLengths, addSites]) {
  await part();
}
await addSignatures(shop);
await addSignatures(app);

const lines = (items) => items.map((item) => `    ${JSON.stringify(item)}`).join(',\n');
process.stdout.write(`{
  "now": ${NOW},
  "audiences": ["${SITE}"],
  "keys": [
${lines(KEYS)}
  ],
  "vectors": [
${lines(vectors)}
  ]
}
`);
