'use strict';

// Tests widgets with three to ten stars. tests/e2e/widget_test.py starts the site.

const assert = require('node:assert/strict');
const {randomUUID} = require('node:crypto');
const path = require('node:path');
const {describe, test} = require('node:test');
const axe = require('axe-core');
const {api, becomes, newPage, open, pictures, serve, stat, widget} = require('./browser.cjs');

const place = (id, stars, slug = 'stars', attributes = '') =>
  `<div data-ratingd data-object-id="${id}" data-template="simple/${slug}" data-stars="${stars}" ${attributes}></div>`;
const radios = (page, slug = 'stars') => widget(page, slug).getByRole('radio');
const names = (page, slug = 'stars') => radios(page, slug).evaluateAll((all) => all.map((one) => one.ariaLabel));
// Returns the number of filled half stars (those with a fill opacity of 1).
const filled = (page) =>
  widget(page, 'stars')
    .locator('path')
    .evaluateAll((halves) => halves.filter((one) => getComputedStyle(one).fillOpacity === '1').length);
const show = async (t, html, {attributes, lang, words, ...options} = {}) => {
  const page = await newPage(t, options);
  await page.emulateMedia({reducedMotion: 'reduce'});
  const script = words ? `<script>window.ratingdWords = ${JSON.stringify(words)}</script>` : '';
  await open(page, await serve(page, script + html, attributes, lang));
  return page;
};

const rate = async (page, id, value) => {
  const data = {object_id: id, category: 'scale', value};
  const headers = {'User-Agent': 'Mozilla/5.0'};
  const answer = await page.request.post(api + '/rate', {data, headers});
  assert.equal(answer.status(), 200, await answer.text());
};

describe('Three to ten stars', () => {
  test('are as many as the attribute says, with their names in the language of the page', async (t) => {
    for (const stars of [3, 4, 6, 7, 8, 9, 10]) {
      const page = await show(t, place(4800, stars));
      const expected = Array.from({length: stars}, (_, i) => `${i + 1} of ${stars}`);
      assert.deepEqual(await names(page), expected);
      assert.equal(await widget(page, 'stars').getByRole('radiogroup').count(), 1);
    }
    const page = await show(t, place(4800, 3, 'half-stars'), {lang: 'de', words: {step_of: '{n} von {stars}'}});
    assert.deepEqual(await names(page, 'half-stars'), ['0,5', '1', '1,5', '2', '2,5', '3'].map((n) => `${n} von 3`));
    const dots = await show(t, place(4800, 10, 'dots'));
    assert.equal(await radios(dots, 'dots').count(), 10);
  });

  test('are five if the number is not valid, and leave other templates alone', async (t) => {
    for (const stars of ['', 0, 2, 5, 11, 'many', '3.5', '010']) {
      const page = await show(t, place(4800, stars));
      assert.deepEqual(await names(page), [1, 2, 3, 4, 5].map((n) => `${n} of 5`), `"${stars}"`);
    }
    const slider = await show(t, place(4800, 3, 'slider'));
    assert.equal(await widget(slider, 'slider').locator('[data-stat=average]').getAttribute('data-scale'), '10');
  });

  test('are given, kept and shown as chosen, each of them', async (t) => {
    for (const [id, stars] of [[4801, 3], [4802, 7], [4803, 10]]) {
      const page = await show(t, place(id, stars));
      for (let n = 1; n <= stars; ++n) {
        await radios(page).nth(n - 1).click();
        await page.mouse.move(0, 0);
        await becomes(`Your rating: ${n}`, stat(page, 'stars', 'own'));
        await becomes(stars < 5 ? n.toFixed(2) : n.toFixed(1), stat(page, 'stars', 'average'));
        await becomes(2 * n, () => filled(page));
        assert.equal(await radios(page).nth(n - 1).getAttribute('aria-checked'), 'true');
      }
      // After a reload, the template from the server also shows the visitor's rating.
      const again = page.waitForResponse((answer) => answer.url().includes('/stats?'));
      await page.reload();
      await again;
      await becomes(`Your rating: ${stars}`, stat(page, 'stars', 'own'));
      assert.equal(await widget(page, 'stars').locator('[aria-checked=true]').getAttribute('aria-label'), `${stars} of ${stars}`);
    }
  });

  test('show an average in halves of stars', async (t) => {
    const page = await show(t, place(4804, 10));
    await radios(page).nth(6).click();
    await becomes('7.0', stat(page, 'stars', 'average'));
    const other = await show(t, place(4804, 10));
    await radios(other).nth(7).click();
    await becomes('7.5', stat(other, 'stars', 'average'));
    await other.mouse.move(0, 0);
    await becomes(15, () => filled(other)); // including the left half of the eighth star
    // On a site with three stars, an average of 0.75 means 2.25 stars, which the widget rounds to two
    // and a half.
    const three = await show(t, place(4804, 3));
    await becomes('2.25', stat(three, 'stars', 'average'));
    await becomes(5, () => filled(three));
  });

  test('show no star as chosen for a rating of 0, which programs send', async (t) => {
    for (const stars of [5, 10]) {
      const page = await show(t, place(4805 + stars, stars));
      await radios(page).first().click();
      await becomes('Your rating: 1', stat(page, 'stars', 'own'));
      await page.evaluate(
        async ([address, id]) => {
          const body = JSON.stringify({object_id: id, category: 'scale', value: 0});
          await fetch(address + '/rate', {method: 'POST', headers: {'Content-Type': 'application/json'}, body});
        },
        [api, 4805 + stars],
      );
      await page.reload();
      await becomes('Your rating: 0', stat(page, 'stars', 'own'));
      assert.equal(await widget(page, 'stars').locator('[aria-checked=true]').count(), 0);
      assert.equal(await radios(page).first().getAttribute('tabindex'), '0');
      assert.equal(await filled(page), 0);
    }
  });

  test('are reached and given by the keyboard, also from right to left', async (t) => {
    for (const [id, attributes, forward, back] of [
      [4820, '', 'ArrowRight', 'ArrowLeft'],
      [4821, 'dir="rtl"', 'ArrowLeft', 'ArrowRight'],
    ]) {
      const page = await show(t, place(id, 10), {attributes});
      const focused = () => page.evaluate(() => document.activeElement.ariaLabel);
      await page.keyboard.press('Tab');
      assert.equal(await focused(), '1 of 10');
      await page.keyboard.press(back);
      assert.equal(await focused(), '10 of 10');
      await page.keyboard.press(forward);
      assert.equal(await focused(), '1 of 10');
      await page.keyboard.press('End');
      await page.keyboard.press(back);
      assert.equal(await focused(), '9 of 10');
      await page.keyboard.press('Space');
      await becomes('Your rating: 9', stat(page, 'stars', 'own'));
    }
  });

  test('are large enough for a finger, and fit on a phone', async (t) => {
    const options = {viewport: {width: 360, height: 600}};
    for (const [slug, size, attributes] of [
      ['stars', 'small'], ['stars', 'medium'], ['stars', 'large'], ['dots', 'medium'], ['distribution', 'medium'],
      ['half-stars', 'small'], ['half-stars', 'large'], ['stars', 'medium', 'dir="rtl"'], ['half-stars', 'medium', 'dir="rtl"'],
    ]) {
      // Place a widget with whole stars before the widget with half stars, so that the page loads the
      // style sheet for half stars last.
      const before = slug === 'half-stars' ? place(4822, 10) : '';
      const page = await show(t, before + place(4822, 10, slug, `data-size="${size}"`), {...options, attributes});
      const what = `${slug} ${size} ${attributes || ''}`;
      const boxes = await radios(page, slug).evaluateAll((all) =>
        all.map((one) => one.getBoundingClientRect()).map(({x, y, width, height}) => ({x, y, width, height})),
      );
      for (const {width, height} of boxes) assert.ok(width >= 24 && height >= 24, `${what}: ${width} × ${height}`);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360, what);
      // The ten stars are in one row if a visitor can choose only whole stars. The two halves of the same star are
      // always in the same row.
      const rows = new Set(boxes.map(({y}) => Math.round(y)));
      assert.equal(rows.size, slug === 'half-stars' ? 2 : 1, what);
      if (slug === 'half-stars') {
        for (let i = 0; i < boxes.length; i += 2) assert.equal(Math.round(boxes[i].y), Math.round(boxes[i + 1].y), what);
      }
      if (pictures) await page.screenshot({path: path.join(pictures, `ten-${what.trim().replaceAll(/\W+/g, '-')}.png`)});
    }
  });

  test('fit on a phone in criteria and in a narrow column of a grid', async (t) => {
    const criteria = '<ratingd-criteria object-id="4829" facets="taste" template="simple/half-stars" stars="10"></ratingd-criteria>';
    const both = place(4822, 10, 'half-stars') + place(4822, 10);
    const column = `<div style="display: grid; grid-template-columns: 240px 1fr"><div>${both}</div></div>`;
    for (const html of [criteria, column]) {
      const page = await show(t, html, {viewport: {width: 360, height: 600}});
      await becomes(20, () => page.locator('[data-template="simple/half-stars"] [role=radio]').count());
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
      const ys = await radios(page, 'half-stars').evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().y)));
      for (let i = 0; i < ys.length; i += 2) assert.equal(ys[i], ys[i + 1]);
    }
  });

  test('are accessible on light and on dark pages', async (t) => {
    for (const colorScheme of ['light', 'dark']) {
      const slugs = ['stars', 'half-stars', 'dots', 'distribution'];
      const style = '<style>:root { color-scheme: light dark; } body { background: Canvas; color: CanvasText; }</style>';
      const page = await show(t, style + slugs.map((slug) => place(4822, 10, slug)).join(''), {colorScheme});
      await page.evaluate(axe.source);
      const {violations} = await page.evaluate(() => window.axe.run('.ratingd'));
      assert.deepEqual(violations.map(({id, nodes}) => `${id}: ${nodes[0].html}`), []);
    }
  });

  test('have a bar for each step, and count each rating at its star', async (t) => {
    const id = 4823;
    const first = await show(t, place(id, 10, 'distribution'));
    for (const n of [10, 10, 9, 1]) {
      const page = await newPage(t);
      await open(page, await serve(page, place(id, 10, 'distribution')));
      await radios(page, 'distribution').nth(n - 1).click();
      await becomes(`Your rating: ${n}`, stat(page, 'distribution', 'own'));
      await becomes('true', () => widget(page, 'distribution').evaluate((one) => String('saved' in one.dataset)));
      await page.context().close();
    }
    const counts = () =>
      widget(first, 'distribution')
        .locator('[data-stat^=step_]')
        .evaluateAll((all) => all.map((one) => one.textContent).join());
    await becomes('2,1,0,0,0,0,0,0,0,1', async () => {
      await first.reload();
      await first.locator('.ratingd-bar').first().waitFor();
      return counts();
    });
    const bars = widget(first, 'distribution').locator('meter');
    assert.deepEqual(
      await bars.evaluateAll((all) => all.map((one) => [one.ariaLabel, one.value])).then((all) => [all.length, all[0], all[9]]),
      [10, ['10 of 10', 0.5], ['1 of 10', 0.25]],
    );
    if (pictures) await first.screenshot({path: path.join(pictures, 'ten-bars.png')});
    // A rating of two out of three stars is nearest to the 0.7 bin.
    const three = await show(t, place(4824, 3, 'distribution'));
    await radios(three, 'distribution').nth(1).click();
    await becomes('0,1,0', () =>
      widget(three, 'distribution')
        .locator('[data-stat^=step_]')
        .evaluateAll((all) => all.map((one) => one.textContent).join()),
    );
  });

  test('count half stars in the bar of the next whole star', async (t) => {
    for (const stars of [3, 4, 6]) {
      const id = 4850 + stars;
      for (let half = 1; half <= 2 * stars; ++half) {
        const value = Math.round((1000 * half) / (2 * stars)) / 1000;
        const answer = await fetch(`${api}/rate`, {
          method: 'POST',
          headers: {'Content-Type': 'application/json', 'X-Ratingd-Device': randomUUID()},
          body: JSON.stringify({object_id: id, category: 'scale', value}),
        });
        assert.equal(answer.status, 200);
      }
      const page = await show(t, place(id, stars, 'distribution'));
      const counts = () =>
        widget(page, 'distribution')
          .locator('[data-stat^=step_]')
          .evaluateAll((all) => all.map((one) => one.textContent).join());
      await becomes(Array(stars).fill(2).join(), counts);
    }
  });

  // Issue 40 of github.com/wbotelhos/raty reports that the hint for two stars appeared on two and a half stars.
  test('have only the words that the site has for this number of stars', async (t) => {
    const words = {step_10_of_10: 'Superb', step_4: 'Quite good', step_2_of_3: 'So-so'};
    const titles = (page, slug) => radios(page, slug).evaluateAll((all) => all.map((one) => one.title).join());
    const page = await show(t, place(4800, 10), {words});
    await becomes(',,,,,,,,,Superb', () => titles(page));
    const halves = await show(t, place(4800, 3, 'half-stars'), {words});
    await becomes(',,,So-so,,', () => titles(halves, 'half-stars'));
    const five = await show(t, place(4800, 5), {words});
    await becomes('Very poor,Poor,Okay,Quite good,Excellent', () => titles(five));
  });

  test('are those of each criterion, and of the overall rating', async (t) => {
    const html = '<ratingd-criteria object-id="4825" facets="taste, service" stars="10"></ratingd-criteria>';
    const page = await show(t, html);
    const groups = page.getByRole('radiogroup');
    await becomes(2, () => groups.count());
    for (const [i, n] of [[0, 10], [1, 7]]) {
      assert.equal(await groups.nth(i).getByRole('radio').count(), 10);
      await groups.nth(i).getByRole('radio').nth(n - 1).click();
    }
    await page.getByRole('button', {name: 'Save'}).click();
    await becomes('8.5', () => page.locator('[data-template=criteria] [data-stat=average]').textContent());
  });

  test('work in the element, which may change their number', async (t) => {
    const page = await show(t, '<ratingd-rating object-id="4826" template="simple/stars" stars="4"></ratingd-rating>');
    await becomes(4, () => radios(page).count());
    await page.evaluate(() => document.querySelector('ratingd-rating').setAttribute('stars', '8'));
    await becomes(8, () => radios(page).count());
    await page.evaluate(() => document.querySelector('ratingd-rating').removeAttribute('stars'));
    await becomes(5, () => radios(page).count());
  });

  test('work in finished HTML that the page contains', async (t) => {
    const page = await newPage(t);
    const answer = await page.request.post(api + '/preview', {data: {template: 'simple/stars', object_id: 4827}});
    const {html, css} = await answer.json();
    await open(page, await serve(page, `<style>${css}</style>${html.replace('<div ', '<div data-stars="6" ')}`));
    await becomes(6, () => radios(page).count());
    await radios(page).nth(5).click();
    await becomes('6.0', stat(page, 'stars', 'average'));
  });

  // Issue 141 of github.com/surveywp/kk-star-ratings reports a ratingValue of 5.3 with a bestRating of 5, and a
  // ratingValue of 5.29999999999999982. Issue 489 of github.com/Codeinwp/wp-product-review reports that search engines
  // read "of 10" on a page that shows "of 5".
  test('tell search engines the scale that visitors see, and never more than its best', async (t) => {
    const found = async (page) => {
      const [text] = await page.locator('script[type="application/ld+json"]').allTextContents();
      const {ratingValue, bestRating, worstRating} = JSON.parse(text).aggregateRating;
      return JSON.stringify([ratingValue, bestRating, worstRating]);
    };
    for (const [id, stars, values, expected] of [
      [4830, 10, [1, 1], '[10,10,1]'],
      [4831, 3, [0.667], '[2,3,1]'],
      [4832, 7, [0.757], '[5.3,7,1]'],
      [4833, 10, [0.04], '[0.4,10,0]'],
    ]) {
      const page = await newPage(t);
      for (const value of values) await rate(page, id, value);
      await open(page, await serve(page, place(id, stars, 'stars', 'data-schema="Recipe"')));
      await page.locator('script[type="application/ld+json"]').waitFor({state: 'attached'});
      assert.equal(await found(page), expected);
    }
  });
});
