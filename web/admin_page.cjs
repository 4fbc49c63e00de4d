'use strict';

// Provides helper functions for tests of the administration page. The helper functions open browsers for the page's
// users and run statements in the site's database. tests/e2e/admin_test.py starts the site.

const assert = require('node:assert/strict');
const {execFileSync} = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const axe = require('axe-core');
const {api, becomes, logIn, newPage, pictures, site} = require('./browser.cjs');

const client = ['--no-defaults', '--skip-ssl', `--socket=${site.socket}`, '--user=root', '--batch'];

// Runs a statement directly in the database, without ratingd, and returns the rows as text.
const sql = (statement) =>
  execFileSync('mariadb', [...client, '--skip-column-names', 'wordpress', `--execute=${statement}`], {
    encoding: 'utf8',
  }).trim();

// Matches the message that Chromium writes to the console for each response with an error status.
const refused = /^Failed to load resource: the server responded with a status of [45]/;
// Matches the console messages of jQuery Migrate, which is part of WordPress.
const migrate = /^JQMIGRATE/;

// Opens a page as a logged-in user. The test fails if the console contains messages that do not match
// "expected".
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
  await page.addInitScript(() => {
    window.shifts = [];
    new PerformanceObserver((list) => window.shifts.push(...list.getEntries())).observe({
      type: 'layout-shift',
      buffered: true,
    });
  });
  await page.goto('about:blank'); // cancels the dashboard's requests
  messages.length = 0; // discards WordPress's own messages
  return page;
}

// The administration page can be opened at its own URL or inside wp-admin.
const doors = {
  alone: (hash) => `${api}/admin/#/${hash}`,
  wordpress: (hash) => `${site.url}/wp-admin/admin.php?page=ratingd#/${hash}`,
};
// Lists the page's URLs, including the URL of the network's settings.
const allDoors = {
  ...doors,
  network: (hash) => `${site.url}/wp-admin/network/admin.php?page=ratingd#/${hash}`,
};

// Polls from outside the page, because the page's security policy does not allow injected scripts.
async function settled(page) {
  await page.locator('.rd-root > *').first().waitFor({state: 'attached'});
  await becomes(0, () => page.locator('#ratingd-admin [aria-busy=true]').count());
  // Charts are drawn one frame after their panel, when their width is known.
  await becomes(0, () => page.locator('.rd-plot:visible > svg:not([viewBox])').count());
}

async function open(page, hash, door = 'alone') {
  await page.goto('about:blank');
  await page.goto(allDoors[door](hash));
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

// --- Appearance ---------------------------------------------------------------------------------------

// Defines the window sizes at which the tests check each view.
const looks = {
  light: {viewport: {width: 1280, height: 900}, media: {dark: {colorScheme: 'dark'}, forced: {forcedColors: 'active'}}},
  narrow: {viewport: {width: 360, height: 740}},
  wide: {viewport: {width: 3840, height: 2160}},
};

// Installs an incomplete right-to-left translation for browsers with the locale "he". Call this function before the
// page is opened.
async function readRightToLeft(page) {
  const {keys, texts} = JSON.parse(fs.readFileSync(path.join(site.files, 'words-de.json'), 'utf8'));
  const german = texts.map((text, i) => [keys.slice(5 * i, 5 * i + 5), text]);
  const valuesOf = (text) => (text.match(/\{\w+\}/g) || []).join(' ו ');
  const words = german
    .map(([hash, text]) => [hash, [].concat(text)[0]])
    .filter(([, text], i) => i % 3 > 0 && !text.includes('·'))
    .map(([hash, text], i) => [hash, `שלום ${i} ${valuesOf(text)}`]);
  const link = '<link rel="alternate" type="application/json" hreflang="he" href="words-he.json">';
  await page.route(/\/admin\/$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({response, body: (await response.text()).replace('<link', link + '<link')});
  });
  await page.route(/\/words-he\.json$/, (route) => route.fulfill({json: Object.fromEntries(words)}));
}

// Returns the visible text of an element in visual order from left to right, without white space.
const asSeen = (locator) =>
  locator.evaluate((element) => {
    const nodes = document.createTreeWalker(element, 4 /* texts */);
    const seen = [];
    while (nodes.nextNode()) {
      [...nodes.currentNode.data].forEach((character, i) => {
        const range = document.createRange();
        range.setStart(nodes.currentNode, i);
        range.setEnd(nodes.currentNode, i + 1);
        const {x, y, width} = range.getBoundingClientRect();
        if (width > 0 && character.trim()) seen.push({x, y, character});
      });
    }
    return seen
      .sort((a, b) => a.y - b.y || a.x - b.x)
      .map(({character}) => character)
      .join('');
  });

// Checks that a view fits in the window, is accessible, and does not shift while it loads. Repeats the
// checks for each set of media features in "media", such as a dark colour scheme. If screenshots are
// enabled, also takes screenshots.
async function lookAt(page, view, door, look, media = {}) {
  await open(page, view, door);
  const shift = await page.evaluate(() =>
    window.shifts.filter((one) => !one.hadRecentInput).reduce((sum, one) => sum + one.value, 0),
  );
  // In wp-admin, WordPress's own elements shift while the page loads.
  if (door === 'alone') assert.ok(shift < 0.001, `${view} moves while it loads: ${shift}`);
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  await settled(page);
  await page.waitForTimeout(200); // an observer starts requests after a moment
  await settled(page);
  await page.evaluate(() => window.scrollTo(0, 0));
  await lookAtLoaded(page, view, door, look);
  for (const [name, medium] of Object.entries(media)) {
    await page.emulateMedia(medium);
    await lookAtLoaded(page, view, door, name);
    await page.emulateMedia({colorScheme: null, forcedColors: null});
  }
}

async function lookAtLoaded(page, view, door, look) {
  const width = await page.evaluate(() => {
    // In WordPress 6.8, the admin bar and the screen-reader text extend one pixel beyond a right-to-left
    // page.
    const own = document.querySelectorAll('#wpadminbar, .a11y-speak-region');
    for (const one of own) one.style.display = 'none';
    const excess = document.documentElement.scrollWidth - window.innerWidth;
    for (const one of own) one.style.display = '';
    return excess;
  });
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
  const name = `admin-${view.replaceAll(/\W/g, '-')}-${door}-${look}.png`;
  await page.screenshot({path: path.join(pictures, name), fullPage: true});
}

module.exports = {
  asSeen,
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
