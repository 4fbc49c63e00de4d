'use strict';

// Tests the figures that the plugin writes as text into the widgets' elements. Browsers without
// JavaScript show only the text, and all other browsers replace the text with a widget.
// tests/e2e/widget_test.py starts the site.

const assert = require('node:assert/strict');
const {randomUUID} = require('node:crypto');
const path = require('node:path');
const {before, describe, test} = require('node:test');
const {api, becomes, newPage, open, pictures, serve, site} = require('./browser.cjs');

const plain = {javaScriptEnabled: false};
const texts = (page) => page.locator('ratingd-rating bdi');
const expected = {
  stars: 'Rating: 4.3 of 5 (3 votes)',
  heart: 'Likes: 2',
  thumbs: 'Score: +1',
  slider: 'Rating: 8.7 of 10 (3 votes)',
  distribution: 'Rating: 4.3 of 5 (3 votes)',
  'like-dislike': 'Likes: 2, Dislikes: 1',
};
// The expected texts of the page's small, medium and large widgets. The page has no large like-dislike widget.
const all = ['small', 'medium', 'large'].flatMap(() => Object.values(expected)).slice(0, -1);

async function vote(id, category, value) {
  const answer = await fetch(`${api}/rate`, {
    method: 'POST',
    headers: {'Content-Type': 'application/json', 'X-Ratingd-Device': randomUUID(), Origin: site.url},
    body: JSON.stringify({object_id: id, category, value}),
  });
  assert.equal(answer.status, 200);
}

before(async () => {
  const values = {scale: [0.7, 1, 0.9], binary: [1, 1, 0], bipolar: [1, 1, -1]};
  for (const [category, given] of Object.entries(values)) {
    for (const value of given) await vote(site.posts.figures, category, value);
  }
});

const onPhone = {width: 360, height: 4000};
const onScreen = {width: 1280, height: 4000};

describe('Figures in words', () => {
  test('are there without JavaScript, and no room is empty', async (t) => {
    const page = await newPage(t, {...plain, viewport: onPhone});
    await page.goto(site.url + '/figures/');
    assert.deepEqual(await texts(page).allTextContents(), all);
    for (const text of await texts(page).all()) {
      assert.ok(await text.isVisible());
      const [{x, width, height}, around] = [await text.boundingBox(), await text.locator('..').boundingBox()];
      assert.ok(x >= 0 && x + width <= 360, `${x} ${width}`);
      assert.equal(around.height, height);
    }
    await page.goto(site.url + '/figures-none/');
    assert.deepEqual(await texts(page).allTextContents(), ['No ratings yet.']);
    assert.equal((await page.locator('ratingd-rating').last().boundingBox()).height, 0);
  });

  for (const [name, viewport] of Object.entries({'a screen': onScreen, 'a phone': onPhone})) {
    test(`stay until the widgets are built on ${name}, and nothing moves`, async (t) => {
      const page = await newPage(t, {viewport});
      await page.addInitScript(() => {
        window.shifts = [];
        const where = ({node, previousRect, currentRect}) => [node?.nodeName, previousRect.y, currentRect.y].join(' ');
        new PerformanceObserver((list) =>
          window.shifts.push(...list.getEntries().map(({value, sources}) => [value, ...sources.map(where)])),
        ).observe({type: 'layout-shift', buffered: true});
      });
      // Block web fonts, because loading a font can shift the text on a page.
      await page.route('**/*.woff2', (route) => route.abort());
      const seen = () => texts(page).filter({visible: true}).count();
      const counts = [];
      await page.route('**/ratingd-widget.js*', async (route) => {
        await page.waitForFunction(() => window.performance.getEntriesByName('first-contentful-paint').length);
        counts.push(await seen());
        await route.continue();
      });
      await page.route('**/stats?*', async (route) => {
        counts.push(await seen());
        await route.continue();
      });
      await open(page, 'figures');
      await becomes(all.length, () => page.locator('.ratingd').count());
      assert.deepEqual(counts, [all.length, all.length]);
      assert.equal(await texts(page).count(), 0);
      const text = await page.locator('ratingd-rating').first().innerText();
      assert.doesNotMatch(text, /Rating: /);
      const shifts = await page.evaluate(async () => {
        for (let i = 0; i < 3; ++i) await new Promise((resolve) => window.requestAnimationFrame(resolve));
        return window.shifts;
      });
      assert.deepEqual(shifts, []);
    });
  }

  test('stay if the widget cannot be built', async (t) => {
    const page = await newPage(t);
    await page.route('**/templates/**', (route) => route.abort());
    const figures = '<bdi>Rating: 3.0 of 5</bdi>';
    const body = (id, slug) => `<ratingd-rating object-id="${id}" template="${slug}">${figures}</ratingd-rating>`;
    await page.goto(await serve(page, body(6801, 'mine/gone') + body(6802, 'simple/stars')));
    await page.locator('[object-id="6802"] .ratingd').waitFor();
    assert.deepEqual(await texts(page).allTextContents(), ['Rating: 3.0 of 5']);
    // If the element changes before the widget is built, the figures must be neither lost nor duplicated.
    await page.evaluate(() => document.querySelector('ratingd-rating').setAttribute('size', 'large'));
    await page.locator('[object-id="6801"] [data-size=large]').waitFor();
    assert.deepEqual(await page.locator('[object-id="6801"]').allTextContents(), ['Rating: 3.0 of 5']);
  });

  test('make room for the widget again when a page puts them back', async (t) => {
    const page = await newPage(t);
    await open(page, 'figures');
    const first = page.locator('ratingd-rating').first();
    const widget = first.locator('.ratingd');
    await widget.waitFor();
    // Frameworks that hydrate the server's HTML may restore the text in the element.
    await first.evaluate((one) => (one.innerHTML = '<bdi>Rating: 4.3 of 5 (3 votes)</bdi>'));
    await widget.waitFor();
    assert.equal(await texts(page).count(), 0);
    await first.evaluate((one) => one.insertAdjacentHTML('beforeend', '<bdi>Rating: 4.3 of 5 (3 votes)</bdi>'));
    assert.ok(await widget.isVisible());
    assert.equal(await texts(page).isVisible(), false);
  });
});

describe('Pictures of figures in words', {skip: pictures ? false : 'RATINGD_SCREENSHOTS is not set'}, () => {
  const looks = {
    light: '',
    dark: 'body { background: #111827; color: #e5e7eb; color-scheme: dark }',
    rtl: '',
  };
  for (const [name, css] of Object.entries(looks)) {
    for (const width of [360, 900]) {
      test(`${name} at ${width} pixels`, async (t) => {
        const page = await newPage(t, {...plain, viewport: {width, height: 1200}});
        await page.route('**/figures/', async (route) => {
          const answer = await route.fetch();
          const html = (await answer.text()).replace('</head>', `<style>${css}</style></head>`);
          const body = name === 'rtl' ? html.replace('<html', '<html dir="rtl"') : html;
          await route.fulfill({response: answer, body});
        });
        await page.goto(site.url + '/figures/');
        await page.screenshot({path: path.join(pictures, `figures-${name}-${width}.png`)});
      });
    }
  }
});
