'use strict';

// Tests the plugin's script and block in WordPress with different permalink structures. tests/e2e/widget_test.py runs
// this file once for each permalink structure.

const assert = require('node:assert/strict');
const {describe, test} = require('node:test');
const {api, becomes, canvas, isOn, newPage, open, openEditor, site, star, widget} = require('./browser.cjs');

describe(`With permalinks like "${site.permalinks ?? 'pretty'}"`, () => {
  const post = `${site.url}/?p=${site.posts.permalinks}`;

  test('widgets take votes', async (t) => {
    const page = await newPage(t);
    await open(page, post);
    assert.equal(await widget(page, 'stars').count(), 1);
    const script = page.locator('script[src*="ratingd-widget.js"]');
    const src = await script.getAttribute('src');
    assert.ok(src.startsWith(api + '/ratingd-widget.js?ver='), src);
    await star(page, 4).click();
    await becomes('true', isOn(star(page, 4)));
  });

  test('the editor shows the block', async (t) => {
    const page = await newPage(t);
    await openEditor(page, {template: 'simple/dots'});
    const selector = '[data-type="ratingd/rating"] [data-template="simple/dots"]';
    await becomes(1, async () => (await canvas(page)).locator(selector).count());
  });
});
