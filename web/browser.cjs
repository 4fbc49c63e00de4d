'use strict';

// Starts Chromium for tests and opens pages of the site started by tests/e2e/widget_test.py. The
// environment variable RATINGD_SITE describes the site.

const assert = require('node:assert/strict');
const {Buffer} = require('node:buffer');
const fs = require('node:fs');
const {after, before} = require('node:test');
const {chromium} = require('playwright-core');

const site = JSON.parse(process.env.RATINGD_SITE);
const api = site.url + '/wp-json/ratingd/v1';

// RATINGD_SCREENSHOTS is the folder where tests store screenshots. If RATINGD_SCREENSHOTS is empty, the
// tests take no screenshots.
const pictures = process.env.RATINGD_SCREENSHOTS;
if (pictures) fs.mkdirSync(pictures, {recursive: true});

// A test fails if it waits longer than this number of seconds. On a busy machine, wp-admin pages load slowly.
const patience = 30;

let chrome;
let agents = 0;

const program = {
  executablePath: '/usr/bin/chromium-headless-shell',
  // Chromium cannot use its sandbox when running as root.
  args: process.getuid() === 0 ? ['--no-sandbox'] : [],
};

before(async () => {
  chrome = await chromium.launch(program);
});
after(() => chrome.close());

// Opens a separate browser context without cookies.
async function newContext(t, options = {}) {
  // WordPress shows the block editor only in browsers that it recognizes.
  const userAgent = `Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0 Safari/537.36 test/${process.pid}.${++agents}`;
  const context = await chrome.newContext({userAgent, ...options});
  t.after(() => context.close());
  context.setDefaultTimeout(patience * 1000);
  return context;
}

// In WordPress 7.1, wp-admin logs a "Transition was ..." error when a user leaves a page during a
// transition.
const itsOwn = /^Transition was /;

async function newPage(t, options) {
  const page = await (await newContext(t, options)).newPage();
  page.on('pageerror', (error) => itsOwn.test(error.message) || assert.fail(error));
  return page;
}

// Sends a request on behalf of the browser. The response and its cookies do not reach the browser.
async function sendUnheard(request) {
  const headers = await request.allHeaders();
  const kept = Object.entries(headers).filter(([name]) =>
    /^(accept|content-type|cookie|origin|sec-fetch-site|user-agent|x-ratingd-device)$/.test(name),
  );
  return fetch(request.url(), {
    method: request.method(),
    headers: Object.fromEntries(kept),
    body: request.postData() ?? undefined,
  });
}

// Opens a page in a browser that does not accept cookies. The cookie headers are removed from all
// responses.
async function newPageWithoutCookies(t) {
  const page = await newPage(t);
  await page.context().route('**', async (route) => {
    const answer = await sendUnheard(route.request());
    const isKept = (name) => !/^(content-encoding|content-length|set-cookie|transfer-encoding)$/.test(name);
    const headers = Object.fromEntries([...answer.headers].filter(([name]) => isKept(name)));
    await route.fulfill({status: answer.status, headers, body: Buffer.from(await answer.arrayBuffer())});
  });
  return page;
}

// Opens a page and waits until its widgets show their numbers.
async function open(page, address) {
  const loaded = page.waitForResponse((answer) => answer.url().includes('/stats?'));
  await page.goto(address.startsWith('http') ? address : `${site.url}/${address}/`);
  await loaded;
  await page.locator('[data-template]').first().waitFor();
}

// Logs in by sending a request, without WordPress's login form.
async function logIn(page, login) {
  const form = {log: login, pwd: login};
  const answer = await page.request.post(site.url + '/wp-login.php', {form, maxRedirects: 0});
  assert.equal(answer.status(), 302, `${login} was not let in`);
}

// Logs in through the login form, which is already open. The script of the login form moves the focus
// 200 ms after the page has loaded, possibly while the test fills a field.
async function logInByForm(page, login) {
  const [name, password] = ['#user_login', '#user_pass'].map((field) => page.locator(field));
  await becomes(`${login}, ${login}`, async () => {
    await name.fill(login);
    await password.fill(login);
    return `${await name.inputValue()}, ${await password.inputValue()}`;
  });
  await page.locator('#wp-submit').click();
}

// Opens the editor with a new post and inserts a "Rating" block.
async function openEditor(page, attributes) {
  await logIn(page, site.administrator);
  await page.goto(site.url + '/wp-admin/post-new.php');
  await page.waitForFunction(
    () => window.wp?.data?.select('core/block-editor') && wp.blocks.getBlockType('ratingd/rating'),
  );
  await page.evaluate((given) => {
    const block = wp.blocks.createBlock('ratingd/rating', given);
    wp.data.dispatch('core/block-editor').insertBlocks(block);
  }, attributes);
}

// Since WordPress 6.3, the editor may display the content in an iframe.
const canvas = async (page) =>
  (await page.locator('iframe[name="editor-canvas"]').count())
    ? page.frameLocator('iframe[name="editor-canvas"]')
    : page;

// Returns the URL of a test page on the site. Like a page cache, the test responds in place of the
// server.
const serve = (page, body, attributes = '', lang = 'en') => serveWith(page, {body, attributes, lang});

async function serveWith(page, {head = '<title>Soup</title>', body, attributes = '', lang = 'en', headers = {}, script}) {
  const scriptTag = `<script src="${api}/${script || 'ratingd-widget.js'}"></script>`;
  const address = site.url + '/from-a-cache';
  await page.route(address, (route) =>
    route.fulfill({
      headers: {'Content-Type': 'text/html; charset=UTF-8', ...headers},
      body: `<!DOCTYPE html><html lang="${lang}" ${attributes}>${head}<body>${body}${scriptTag}`,
    }),
  );
  return address;
}

// --- The content of a page -------------------------------------------------------------------------

const widget = (page, slug) => page.locator(`[data-template="simple/${slug}"]`);
const star = (page, n, slug = 'stars') =>
  widget(page, slug)
    .locator('[role=radio]')
    .nth(n - 1);

// Calls "read" repeatedly until it returns the expected value.
async function becomes(expected, read, seconds = patience) {
  const deadline = Date.now() + seconds * 1000;
  let value = await read();
  while (value !== expected && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    value = await read();
  }
  assert.equal(value, expected);
}

// Returns the visitor's own rating as the widget displays it. A widget shows a new rating before the service has stored
// it, so a test must wait before it leaves the page or reads the database.
const ownOf = (one) => async () => {
  const element = one.locator('[data-stat=own]');
  return element.evaluate((own) => own.textContent + (own.closest('[data-pending]') ? ' (not stored yet)' : ''));
};
const stat = (page, slug, name) =>
  name === 'own' ? ownOf(widget(page, slug)) : () => widget(page, slug).locator(`[data-stat=${name}]`).textContent();
const count = (page, slug, name) => () =>
  widget(page, slug).locator(`[data-count=${name}]`).textContent();
const isOn =
  (locator, name = 'aria-checked') =>
  () =>
    locator.getAttribute(name);
const message = (page, slug) => () => widget(page, slug).locator('[data-message]').textContent();

// Returns the button that withdraws a rating on a scale.
const remover = (page, slug) => widget(page, slug).getByRole('button', {name: 'Remove your rating'});

// Waits until a toggle button accepts the next click. The button ignores clicks within half a second after a response,
// because they may be double clicks.
async function quiet(page) {
  const since = await page.evaluate(() => window.performance.now());
  await page.waitForFunction((start) => window.performance.now() - start > 600, since);
}

module.exports = {
  api,
  becomes,
  canvas,
  count,
  isOn,
  logIn,
  logInByForm,
  message,
  newPage,
  newPageWithoutCookies,
  open,
  openEditor,
  ownOf,
  pictures,
  quiet,
  remover,
  sendUnheard,
  serve,
  serveWith,
  site,
  star,
  stat,
  widget,
};
