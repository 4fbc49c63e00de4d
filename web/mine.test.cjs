'use strict';

// Tests the list of the visitor's own ratings. tests/e2e/widget_test.py starts the site.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const {test} = require('node:test');
const {api, becomes, logIn, newPage, open, pictures, serveWith, site, star, stat} = require('./browser.cjs');

const list = (page) => page.locator('.wp-block-ratingd-mine');
const text = (page) => async () => (await list(page).innerText()).replace(/\s+/g, ' ');

test('Visitors and users see what they rated, with titles and links', async (t) => {
  for (const login of [null, 'reader3']) {
    const page = await newPage(t);
    if (login) await logIn(page, login);
    await open(page, 'mine');
    await becomes('You have not rated anything yet.', text(page));
    await star(page, 4).click();
    await becomes('Your rating: 4', stat(page, 'stars', 'own'));
    await open(page, 'mine');
    await list(page).locator('li').waitFor();
    assert.match(await text(page)(), /^mine 4 of 5 · \w+ \d+, \d{4}$/);
    assert.equal(await list(page).locator('a').getAttribute('href'), site.url + '/mine/');
    assert.equal(await list(page).locator('button').isVisible(), false);
    if (pictures) await page.screenshot({path: path.join(pictures, 'mine.png')});
  }
});

test('Ratings have their numbers for titles if the service is older than the plugin', async (t) => {
  const page = await newPage(t);
  await page.route('**/me?*', async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    if (!json.data.length) return route.fulfill({response, json}); // this visitor has not voted yet
    json.data = json.data.map(({object_id, object_type, category, value, rated_at}) => {
      return {object_id, object_type, category, value, rated_at};
    });
    return route.fulfill({response, json});
  });
  await open(page, 'mine');
  await star(page, 3).click();
  await becomes('Your rating: 3', stat(page, 'stars', 'own'));
  await open(page, 'mine');
  await list(page).locator('li').waitFor();
  assert.match(await text(page)(), /^#\d+ 3 of 5 · /);
});

test('Titles are shown as text, also on a page that requires Trusted Types', async (t) => {
  const page = await newPage(t);
  const titles = {
    'Tom &amp; Jerry&#8217;s <em>soup</em>': 'Tom & Jerry’s soup',
    'Salt &lt; pepper &#x26; 2 < 3 &ndash; R&B': 'Salt < pepper & 2 < 3 – R&B',
    '&amp;lt;b&amp;gt; &#9999999; &constructor;': '&lt;b&gt; &#9999999; &constructor;',
  };
  const data = Object.keys(titles).map((title) =>
    ({object_id: 7, object_type: 'post', title, link: null, category: 'scale', value: 1, rated_at: '2026-01-02T12:00:00Z'}));
  await page.route('**/me?*', (route) => route.fulfill({json: {data}}));
  const settings = `<script type="application/json" id="ratingd-settings">{"base":"${api}/"}</script>`;
  const mine = '<script>window.ratingdMine = {names: {}, scale: 5, words: {of: "%1$s of %2$s"}}</script>';
  const script = fs.readFileSync(path.join(__dirname, 'wordpress/ratingd/js/my-ratings.js'), 'utf8');
  const headers = {'Content-Security-Policy': "require-trusted-types-for 'script'; trusted-types ratingd"};
  const body = `${settings}${mine}<div data-ratingd-mine></div><script>${script}</script>`;
  await page.goto(await serveWith(page, {body, headers}));
  await page.locator('li').last().waitFor();
  assert.deepEqual(await page.locator('.ratingd-top-title').allTextContents(), Object.values(titles));
});

test('Ratings of criteria and reactions have the labels of the site', async (t) => {
  const page = await newPage(t);
  const vote = (facet, category, value) => ({
    object_id: 7, object_type: 'post:' + facet, title: 'Tea', link: null, category, value, rated_at: '2026-01-02T12:00:00Z',
  });
  const data = [
    vote('taste', 'scale', 0.8), vote('very-funny', 'binary', 1), vote('love', 'binary', 1), vote('love', 'binary', 0),
    vote('constructor', 'binary', 1), // a name that the site no longer has
  ];
  await page.route('**/me?*', (route) => route.fulfill({json: {data}}));
  await open(page, 'mine');
  await list(page).locator('li').last().waitFor();
  const said = await list(page).locator('.ratingd-top-figure').allTextContents();
  assert.deepEqual(
    said.map((one) => one.replace(/ · .*/, '')),
    ['Taste: 4 of 5', 'Very funny: Like', 'Love', 'Love: Dislike', 'constructor: Like'],
  );
});
