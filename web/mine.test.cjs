'use strict';

// Tests the list of the visitor's own ratings. tests/e2e/widget_test.py starts the site.

const assert = require('node:assert/strict');
const path = require('node:path');
const {test} = require('node:test');
const {becomes, logIn, newPage, open, pictures, site, star, stat} = require('./browser.cjs');

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
