'use strict';

// The owner's page for the tests: who looks at it, what its database says. tests/e2e/admin_test.py starts the site.

const assert = require('node:assert/strict');
const {execFileSync} = require('node:child_process');
const path = require('node:path');
const axe = require('axe-core');
const {api, becomes, logIn, newPage, pictures, site} = require('./browser.cjs');

const client = ['--no-defaults', '--skip-ssl', `--socket=${site.socket}`, '--user=root', '--batch'];

// Rows of the database as text, without ratingd.
const sql = (statement) =>
  execFileSync('mariadb', [...client, '--skip-column-names', 'wordpress', `--execute=${statement}`], {
    encoding: 'utf8',
  }).trim();

// Chromium writes these for every refused request.
const refused = /^Failed to load resource: the server responded with a status of [45]/;
// WordPress's own.
const migrate = /^JQMIGRATE/;

// Somebody who is logged in, and whose console stays empty. "expected": messages that may come.
async function visit(t, login, options = {}, expected = /^$/) {
  const page = await newPage(t, options);
  const messages = [];
  page.on('console', (message) => messages.push(message.text()));
  t.after(() =>
    assert.deepEqual(
      messages.filter((text) => !expected.test(text) && !migrate.test(text)),
      [],
    ),
  );
  if (login) await logIn(page, login);
  await page.goto('about:blank'); // ends what the dashboard asks
  messages.length = 0; // WordPress's own
  return page;
}

// The two doors: the address itself, and wp-admin.
const doors = {
  alone: (hash) => `${api}/admin/#/${hash}`,
  wordpress: (hash) => `${site.url}/wp-admin/admin.php?page=ratingd#/${hash}`,
};

// Polls from outside: the page's policy allows no code of others.
async function settled(page) {
  await page.locator('.rd-root > *').first().waitFor({state: 'attached'});
  await becomes(0, () => page.locator('#ratingd-admin [aria-busy=true]').count());
}

async function open(page, hash, door = 'alone') {
  await page.goto('about:blank');
  await page.goto(doors[door](hash));
  await settled(page);
}

async function expectAccessible(page) {
  await page.evaluate(axe.source);
  const {violations} = await page.evaluate(() =>
    window.axe.run('#ratingd-admin', {resultTypes: ['violations']}),
  );
  const found = violations.map(({id, nodes}) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
  assert.deepEqual(found, []);
}

// --- Looks --------------------------------------------------------------------------------------------

const looks = {
  light: {viewport: {width: 1280, height: 900}},
  dark: {viewport: {width: 1280, height: 900}, colorScheme: 'dark'},
  narrow: {viewport: {width: 360, height: 740}},
  wide: {viewport: {width: 3840, height: 2160}},
  forced: {viewport: {width: 1280, height: 900}, forcedColors: 'active'},
};

// Before the page is opened.
const readRightToLeft = (page) =>
  page.addInitScript(() => {
    window.addEventListener('DOMContentLoaded', () => document.documentElement.setAttribute('dir', 'rtl'));
  });

// Fits, and is accessible. Takes a picture, if those are wanted.
async function lookAt(page, view, door, look) {
  await open(page, view, door);
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  await settled(page);
  await page.waitForTimeout(200); // an observer starts requests
  await settled(page);
  await page.evaluate(() => window.scrollTo(0, 0));
  const width = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(width <= 0, `${view} is ${width} pixels too wide`);
  const bodies = await page
    .locator('.rd-body')
    .evaluateAll((all) =>
      all
        .filter((body) => body.scrollWidth > body.clientWidth)
        .map((body) => body.parentElement.textContent),
    );
  assert.deepEqual(bodies, [], `${view} has panels that are too narrow`);
  await expectAccessible(page);
  if (!pictures) return;
  const name = `admin-${view.replaceAll('/', '-')}-${door}-${look}.png`;
  await page.screenshot({path: path.join(pictures, name), fullPage: true});
}

module.exports = {
  doors,
  expectAccessible,
  lookAt,
  looks,
  open,
  readRightToLeft,
  refused,
  settled,
  sql,
  visit,
};
