'use strict';

// Chromium for the tests, and pages in it of the site that tests/e2e/widget_test.py started: RATINGD_SITE says
// where it is.

const assert = require('node:assert/strict');
const {Buffer} = require('node:buffer');
const fs = require('node:fs');
const {after, before} = require('node:test');
const {chromium} = require('playwright-core');

const site = JSON.parse(process.env.RATINGD_SITE);
const api = site.url + '/wp-json/ratingd/v1';

// Where pictures go; none are taken without it.
const pictures = process.env.RATINGD_SCREENSHOTS;
if (pictures) fs.mkdirSync(pictures, {recursive: true});

// Seconds until a test fails that waits: a busy machine takes long for a page of wp-admin.
const patience = 30;

let chrome;
let agents = 0;

const program = {
  executablePath: '/usr/bin/chromium-headless-shell',
  // As root, Chromium has no sandbox to offer.
  args: process.getuid() === 0 ? ['--no-sandbox'] : [],
};

before(async () => {
  chrome = await chromium.launch(program);
});
after(() => chrome.close());

// A browser of its own, with no cookies.
async function newContext(t, options = {}) {
  // WordPress has no block editor for browsers that it does not know.
  const userAgent = `Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0 Safari/537.36 test/${process.pid}.${++agents}`;
  const context = await chrome.newContext({userAgent, ...options});
  t.after(() => context.close());
  context.setDefaultTimeout(patience * 1000);
  return context;
}

// wp-admin of WordPress 7.1 says this of its own transitions when a page is left early.
const itsOwn = /^Transition was /;

async function newPage(t, options) {
  const page = await (await newContext(t, options)).newPage();
  page.on('pageerror', (error) => itsOwn.test(error.message) || assert.fail(error));
  return page;
}

// Sends a request as the browser would, past the browser: it never sees the answer nor its cookies.
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

// A page in a browser that takes no cookies: their headers are taken out of all answers.
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

// Waits until the widgets have their numbers.
async function open(page, address) {
  const loaded = page.waitForResponse((answer) => answer.url().includes('/stats?'));
  await page.goto(address.startsWith('http') ? address : `${site.url}/${address}/`);
  await loaded;
  await page.locator('[data-template]').first().waitFor();
}

// Without the form of WordPress.
async function logIn(page, login) {
  const form = {log: login, pwd: login};
  const answer = await page.request.post(site.url + '/wp-login.php', {form, maxRedirects: 0});
  assert.equal(answer.status(), 302, `${login} was not let in`);
}

// With the form, which is open. Its script moves the focus 200 ms after the page was loaded, while a field is filled.
async function logInByForm(page, login) {
  const [name, password] = ['#user_login', '#user_pass'].map((field) => page.locator(field));
  await becomes(`${login}, ${login}`, async () => {
    await name.fill(login);
    await password.fill(login);
    return `${await name.inputValue()}, ${await password.inputValue()}`;
  });
  await page.locator('#wp-submit').click();
}

// The new post's editor with a block "Rating" in it.
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

// From WordPress 6.3 on, what is edited may be in a frame.
const canvas = async (page) =>
  (await page.locator('iframe[name="editor-canvas"]').count())
    ? page.frameLocator('iframe[name="editor-canvas"]')
    : page;

// A page of the site's origin that nobody serves, as a cache would.
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

// --- What a page shows -----------------------------------------------------------------------------

const widget = (page, slug) => page.locator(`[data-template="simple/${slug}"]`);
const star = (page, n, slug = 'stars') =>
  widget(page, slug)
    .locator('[role=radio]')
    .nth(n - 1);

// Polls, for numbers come when they come.
async function becomes(expected, read, seconds = patience) {
  const deadline = Date.now() + seconds * 1000;
  let value = await read();
  while (value !== expected && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    value = await read();
  }
  assert.equal(value, expected);
}

// Reads the own rating as the widget says it. Widgets show a choice before it is stored: whoever leaves the page or
// reads the database then may be too early.
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

// The button that takes a rating on a scale back.
const remover = (page, slug) => widget(page, slug).getByRole('button', {name: 'Remove your rating'});

// A button that toggles takes no second click within half a second after an answer: it may be a double click.
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
