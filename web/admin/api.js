// Sends requests to ratingd. All responses are JSON. If a request fails, the functions throw an ApiError.
//
// A page may stay open after its REST nonce has expired. If a request is rejected because of its nonce,
// the page fetches a new nonce and retries the request once, so that the user's input is not lost. If
// several requests are rejected at once, the page fetches only one new nonce.

import {said, t} from './words.js';

export class ApiError extends Error {
  // "params" maps the name of each invalid parameter to an error message. "retryAfter" is the number of
  // seconds to wait before the next attempt, or null. "data" is the "data" member of the error response.
  // If there was no response, the status is 0 and the code is "network".
  constructor(status, body, retryAfter) {
    super(body?.message ? said(body.message, body.data || {}) : '');
    this.status = status;
    this.code = (body && body.code) || (status ? 'http' : 'network');
    this.data = (body && body.data) || {};
    const {params, details = {}} = this.data;
    const sentences = Array.isArray(params) ? [] : Object.entries(params || {});
    this.params = Object.fromEntries(
      sentences.map(([name, text]) => [name, said(text, details[name]?.data || {})]),
    );
    this.retryAfter = this.data.retry_after ?? (retryAfter ? Number(retryAfter) : null);
  }
}

const notJson = () => t('Another program, such as a proxy or a firewall, responded instead of ratingd.');

// Converts object ids to strings if they are too large for a JavaScript number to represent exactly.
const parse = (text) =>
  JSON.parse(
    text.replace(/("(?:object_id|id)":)(\d{16,})/g, (all, name, id) =>
      Number.isSafeInteger(Number(id)) ? all : `${name}"${id}"`,
    ),
  );

function parseOrNull(text) {
  try {
    return parse(text);
  } catch {
    return null; // the error page of a proxy
  }
}

// "base" is the URL of the API. "renew" contains the URLs for fetching a new nonce. The first URL is tried first.
export function createApi({base, nonce, renew = []}) {
  let renewing;

  // Without permalinks, the base URL already contains the query string ?rest_route=/ratingd/v1.
  function address(path, params = {}) {
    const url = new URL(base, location.href);
    if (url.searchParams.has('rest_route')) {
      url.searchParams.set('rest_route', url.searchParams.get('rest_route').replace(/\/$/, '') + path);
    } else {
      url.pathname = url.pathname.replace(/\/$/, '') + path;
    }
    for (const [name, value] of Object.entries(params)) {
      if (value !== undefined && value !== null && value !== '') url.searchParams.set(name, value);
    }
    return url.href;
  }

  // Resolves to the nonce at "url", or to null if there is no nonce.
  async function fetchNonce(url) {
    let answer, text;
    try {
      answer = await fetch(url, {credentials: 'same-origin', cache: 'no-store'});
      text = (await answer.text()).trim();
    } catch {
      throw new ApiError(0);
    }
    if (answer.status >= 500) throw new ApiError(answer.status);
    return answer.ok && /^[0-9a-f]{6,20}$/.test(text) ? text : null;
  }

  async function renewNonce() {
    for (const url of renew) {
      const found = await fetchNonce(url).catch((error) => {
        if (url === renew.at(-1)) throw error;
      });
      if (found) nonce = found;
      if (found) return true;
    }
    return false;
  }

  // Fetches a new nonce. Resolves to true if a new nonce was received, and to false if no user is logged
  // in. Rejects with an ApiError if there is no response.
  function freshNonce() {
    renewing ||= renewNonce().finally(() => (renewing = undefined));
    return renewing;
  }

  // If a request's nonce has expired, public routes respond as if no user were logged in.
  const isStale = ({status, text, header}) =>
    renew.length > 0 &&
    (header('X-Ratingd-Login') === 'stale' ||
      (status === 401 && (parseOrNull(text) || {}).code === 'rest_cookie_invalid_nonce'));

  // "once" is a function that sends the request and resolves to {status, text, header(name)}.
  async function attempt(once) {
    let answer = await once();
    if (isStale(answer) && (await freshNonce())) answer = await once();
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw new ApiError(answer.status, parseOrNull(answer.text), answer.header('Retry-After'));
  }

  const headers = (more) => ({...(nonce && {'X-WP-Nonce': nonce}), ...more});

  async function request(method, path, {params, body, signal} = {}) {
    const answer = await attempt(async () => {
      try {
        const response = await fetch(address(path, params), {
          method,
          signal,
          credentials: 'same-origin',
          headers: headers(body && {'Content-Type': 'application/json'}),
          body: body && JSON.stringify(body),
        });
        const text = await response.text();
        return {status: response.status, text, header: (name) => response.headers.get(name)};
      } catch (error) {
        if (error.name === 'AbortError') throw error;
        throw new ApiError(0);
      }
    });
    const json = parseOrNull(answer.text);
    if (!json && answer.text.trim().startsWith('<')) throw new ApiError(answer.status, {message: notJson()});
    return {json, text: answer.text, header: answer.header};
  }

  // Resolves to the response body. For a list, the result also has "total" and "pages" members.
  async function get(path, params, signal) {
    const {json, header} = await request('GET', path, {params, signal});
    return {...json, total: Number(header('X-WP-Total')), pages: Number(header('X-WP-TotalPages'))};
  }

  // Sends a request that changes data, such as POST or DELETE. Resolves to the response body. If the
  // change may have been made although the request failed, the error's "mayBeDone" member is true.
  async function send(method, path, body, params) {
    try {
      return (await request(method, path, {body, params})).json;
    } catch (error) {
      error.mayBeDone = error.status < 400 || error.status >= 500;
      throw error;
    }
  }

  // Sends a file. Calls "onProgress(share)" with numbers from 0 to 1. Aborting "signal" cancels the
  // upload.
  async function upload(path, file, {params, type, onProgress, signal}) {
    const once = () =>
      new Promise((resolve, reject) => {
        const sending = new XMLHttpRequest();
        sending.open('POST', address(path, params));
        for (const [name, value] of Object.entries(headers({'Content-Type': type}))) {
          sending.setRequestHeader(name, value);
        }
        sending.upload.onprogress = (event) =>
          onProgress && event.total && onProgress(event.loaded / event.total);
        sending.onload = () =>
          resolve({
            status: sending.status,
            text: sending.responseText,
            header: (name) => sending.getResponseHeader(name),
          });
        sending.onerror = () => reject(new ApiError(0));
        sending.onabort = () => reject(new DOMException('', 'AbortError'));
        signal?.addEventListener('abort', () => sending.abort());
        sending.send(file);
      });
    return parse((await attempt(once)).text);
  }

  function save(href, name) {
    const link = document.createElement('a');
    link.href = href;
    link.download = name;
    link.click();
  }

  // Saves a CSV file with the contents of "parts", which are strings or Blobs.
  function saveCsv(parts, name) {
    const href = URL.createObjectURL(new Blob(parts, {type: 'text/csv;charset=utf-8'}));
    save(href, name);
    setTimeout(() => URL.revokeObjectURL(href), 10000);
  }

  // Calls "onRow" with each row of an NDJSON response as the row arrives. Resolves at the end of the response.
  async function readRows(path, params, onRow) {
    const {body} = await attempt(async () => {
      try {
        const answer = await fetch(address(path, params), {credentials: 'same-origin', headers: headers()});
        const header = (name) => answer.headers.get(name);
        return {status: answer.status, text: answer.ok ? '' : await answer.text(), header, body: answer.body};
      } catch {
        throw new ApiError(0);
      }
    });
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const {value, done} = await reader.read().catch(() => Promise.reject(new ApiError(0)));
      if (done) return;
      const lines = (rest + value).split('\n');
      rest = lines.pop();
      for (const line of lines) onRow(parse(line));
    }
  }

  // Downloads a long response to a file, which the browser writes while the response arrives. The URL
  // contains the nonce, because the browser does not send a nonce header. The function always fetches a
  // new nonce first, because if the nonce had expired, the browser would save the error response as the
  // file.
  async function stream(path, params, name) {
    if (renew.length > 0 && !(await freshNonce())) throw new ApiError(401);
    save(address(path, {...params, _wpnonce: nonce}), name);
  }

  return {get, send, upload, saveCsv, readRows, stream, address, freshNonce};
}
