// Judges tickets with a second implementation. jose, which is another implementation of JWT, checks the signature and
// the registered claims. Plain code checks ratingd's additional requirements. ticket_vectors.mjs stores the verdicts,
// and lib/identity/ticket.cpp must agree with them.

import {isIP} from 'node:net';
import {importSPKI, jwtVerify} from 'jose';

const MAX_BYTES = 4096;
const MAX_LIFE = 600;
const LEEWAY = 60;
const BOUND_LIFE = 30;
const MAX_PIECES = 32;
const MAX_DEPTH = 32;
const RIGHTS = ['administer', 'see_persons', 'see_unpublished'];

// jose's errors and their names in ratingd.
const REASONS = {
  ERR_JWT_EXPIRED: 'expired',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'bad_signature',
  ERR_JOSE_ALG_NOT_ALLOWED: 'wrong_algorithm',
  ERR_JOSE_NOT_SUPPORTED: 'critical_header',
};
const REASONS_OF_CLAIMS = {aud: 'wrong_audience', nbf: 'not_yet_valid', iat: 'not_yet_valid'};

const withoutSlash = (address) => address.replace(/\/$/, '');
const isStrictBase64url = (text) => Buffer.from(text, 'base64url').toString('base64url') === text;

function reasonOf(error) {
  if (error.code !== 'ERR_JWT_CLAIM_VALIDATION_FAILED') return REASONS[error.code] ?? 'malformed';
  return error.reason === 'check_failed' ? REASONS_OF_CLAIMS[error.claim] : 'malformed';
}

const secretOf = (key) =>
  key.algorithm === 'HS256' ? new TextEncoder().encode(key.secret) : importSPKI(key.public_key, 'ES256');

// Returns jose's verdict for one key: "accepted" or a reason.
async function verdictByKey(token, key, audiences, now) {
  try {
    await jwtVerify(token, await secretOf(key), {
      algorithms: [key.algorithm],
      issuer: key.name,
      audience: audiences.flatMap((address) => [withoutSlash(address), `${withoutSlash(address)}/`]),
      clockTolerance: LEEWAY,
      currentDate: new Date(now * 1000),
      requiredClaims: ['exp', 'iat', 'sub'],
      maxTokenAge: Number.MAX_SAFE_INTEGER, // jose checks "iat" only with this option
    });
    return 'accepted';
  } catch (error) {
    return reasonOf(error);
  }
}

// Returns jose's verdict: "accepted" if one of the keys accepts the token.
export async function joseVerdict(token, keys, audiences, now) {
  const verdicts = await Promise.all(keys.map((key) => verdictByKey(token, key, audiences, now)));
  const telling = (verdict) => !['bad_signature', 'wrong_algorithm'].includes(verdict);
  return verdicts.find(telling) ?? verdicts.find((verdict) => verdict === 'bad_signature') ?? verdicts[0];
}

// Returns whether valid JSON has an object with a duplicate member, or is nested too deeply.
function isOddJson(text) {
  const objects = [];
  for (const [all, string, colon] of text.matchAll(/("(?:\\.|[^"\\])*")\s*(:?)|[{}[\]]/g)) {
    if (all === '{' || all === '[') {
      objects.push(new Set());
      if (objects.length > MAX_DEPTH) return true;
    } else if (all === '}' || all === ']') {
      objects.pop();
    } else if (colon) {
      const name = JSON.parse(string);
      if (objects.at(-1).has(name)) return true;
      objects.at(-1).add(name);
    }
  }
  return false;
}

// Returns the JSON object in a part of a token. Returns undefined if ratingd does not accept the part.
function objectIn(part) {
  try {
    const text = new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(Buffer.from(part, 'base64url'));
    let isOdd = false;
    const value = JSON.parse(text, (name, item) => {
      isOdd ||= (typeof item === 'string' && !item.isWellFormed()) || (typeof item === 'number' && !Number.isFinite(item));
      return item;
    });
    return isOdd || isOddJson(text) || Object.prototype.toString.call(value) !== '[object Object]' ? undefined : value;
  } catch {
    return undefined;
  }
}

// Checks the rules about the form and the header.
function formRefusal(token, header, claims, keys) {
  if (Buffer.byteLength(token) > MAX_BYTES) return 'too_long';
  if (!header || !claims || typeof claims.iss !== 'string') return 'malformed';
  if (keys.length === 0) return 'unknown_issuer';
  if (!keys.some((key) => key.algorithm === header.alg)) return 'wrong_algorithm';
  if (Object.hasOwn(header, 'crit')) return 'critical_header';
  if (Object.hasOwn(header, 'typ') && String(header.typ).toUpperCase() !== 'JWT') return 'malformed';
  return undefined;
}

function subjectRefusal(subject, key) {
  if (typeof subject !== 'string' || subject === '' || Buffer.byteLength(subject) > 255) return 'malformed';
  if (!key.cms_users) return undefined;
  return /^(0|[1-9][0-9]*)$/.test(subject) && BigInt(subject) < 2n ** 63n ? undefined : 'malformed';
}

function addressRefusal(claims, key) {
  if (!key.may_forward || !Object.hasOwn(claims, 'address')) return undefined;
  const {address} = claims;
  return typeof address === 'string' && isIP(address) && !address.includes('%') ? undefined : 'malformed';
}

const isHash = (text) =>
  typeof text === 'string' && isStrictBase64url(text) && Buffer.from(text, 'base64url').length === 32;

// Checks a ticket for one request.
function bindingRefusal(claims, now) {
  if (!Object.hasOwn(claims, 'request')) return undefined;
  const {request, body, jti} = claims;
  if (typeof request !== 'string' || typeof jti !== 'string') return 'malformed';
  if (Buffer.byteLength(jti) < 16 || Buffer.byteLength(jti) > 64) return 'malformed';
  if (!Array.isArray(body) || body.length > MAX_PIECES || !body.every(isHash)) return 'malformed';
  if (now > claims.iat + BOUND_LIFE) return 'expired';
  return claims.iat > now + BOUND_LIFE ? 'not_yet_valid' : undefined;
}

// Checks the rules about claims that jose does not check.
function claimsRefusal(claims, key, now) {
  const audience = [claims.aud].flat();
  if (!audience.every((address) => typeof address === 'string')) return 'malformed';
  if (claims.exp > now + MAX_LIFE + LEEWAY) return 'lives_too_long';
  const refusal = subjectRefusal(claims.sub, key);
  if (refusal) return refusal;
  const rights = Object.hasOwn(claims, 'rights') ? claims.rights : [];
  if (!Array.isArray(rights) || !rights.every((right) => typeof right === 'string')) return 'malformed';
  if (!rights.every((right) => RIGHTS.includes(right))) return 'unknown_right';
  return bindingRefusal(claims, now) ?? addressRefusal(claims, key);
}

function ticketOf(claims, key) {
  const given = claims.rights ?? [];
  const rights = RIGHTS.filter((right) => given.includes(right) && key.rights.includes(right));
  const address = key.may_forward && claims.address ? {address: claims.address} : {};
  const {request, body, jti} = claims;
  const binding = request === undefined ? {} : {request, body, jti};
  return {issuer: claims.iss, subject: claims.sub, rights, ...address, ...binding};
}

// Returns {jose, verdict, ticket}. "jose" and "verdict" are "accepted" or a reason. "ticket" contains the facts that an
// accepted ticket proves. In these vectors, keys with the same name have the same permissions and flags.
export async function judge(vector, {now, keys: all, audiences}) {
  const {token} = vector;
  const parts = token.split('.');
  const isStrict = parts.length === 3 && parts.every(isStrictBase64url);
  const [header, claims] = isStrict ? parts.map(objectIn) : [];
  const keys = all.filter((key) => key.name === claims?.iss);
  const jose = await joseVerdict(token, keys.length ? keys : all, vector.audiences ?? audiences, now);
  const early = formRefusal(token, header, claims, keys);
  if (early) return {jose, verdict: early};
  if (jose === 'bad_signature') return {jose, verdict: jose};
  const late = claimsRefusal(claims, keys[0], now);
  if (late || jose !== 'accepted') return {jose, verdict: late ?? jose};
  return {jose, verdict: 'accepted', ticket: ticketOf(claims, keys[0])};
}
