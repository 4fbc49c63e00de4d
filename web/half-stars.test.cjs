'use strict';

// Tests the "half-stars" template. tests/e2e/widget_test.py starts the site.

const assert = require('node:assert/strict');
const path = require('node:path');
const {describe, test} = require('node:test');
const {becomes, newPage, open, pictures, serve, star, stat, widget} = require('./browser.cjs');

const place = (id, attributes = '') =>
  `<div data-ratingd data-object-id="${id}" data-template="simple/half-stars" ${attributes}></div>`;
const own = (page) => stat(page, 'half-stars', 'own');
// Returns the number of filled half stars.
const filled = (page) =>
  widget(page, 'half-stars')
    .locator('path')
    .evaluateAll((halves) => halves.filter((one) => getComputedStyle(one).fillOpacity === '1').length);
const settled = (page) => page.emulateMedia({reducedMotion: 'reduce'}); // makes colours change at once

const show = async (t, id, attributes, lang, options) => {
  const page = await newPage(t, options);
  await settled(page);
  const words = lang === 'de' ? '<script>window.ratingdWords = {step: "{n} von 5"}</script>' : '';
  await open(page, await serve(page, words + place(id), attributes, lang));
  return page;
};

// Clicks on the row of stars. "share" is the distance from the left edge as a fraction of the width.
const clickAt = async (page, share) => {
  const {x, y, width, height} = await widget(page, 'half-stars').locator('[role=radiogroup]').boundingBox();
  await page.mouse.click(x + share * width, y + height / 2);
};

describe('Half stars', () => {
  test('have their names in the language of the page', async (t) => {
    const names = (page) =>
      widget(page, 'half-stars')
        .getByRole('radio')
        .evaluateAll((all) => all.map((one) => one.ariaLabel).join());
    const halves = [0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5];
    assert.equal(await names(await show(t, 4740)), halves.map((one) => one + ' of 5').join());
    const german = halves.map((one) => String(one).replace('.', ',') + ' von 5').join();
    assert.equal(await names(await show(t, 4740, '', 'de')), german);
  });

  test('are given by arrow keys', async (t) => {
    for (const [id, attributes, forward] of [
      [4741, '', 'ArrowRight'],
      [4742, 'dir="rtl"', 'ArrowLeft'],
    ]) {
      const page = await show(t, id, attributes);
      await page.keyboard.press('Tab');
      for (let i = 0; i < 6; ++i) await page.keyboard.press(forward);
      assert.equal(await page.evaluate(() => document.activeElement.ariaLabel), '3.5 of 5');
      await page.keyboard.press('Enter');
      await becomes('Your rating: 3.5', own(page));
      assert.equal(await star(page, 7, 'half-stars').getAttribute('aria-checked'), 'true');
      await becomes('3.5', stat(page, 'half-stars', 'average'));
    }
  });

  test('are given by the half under the pointer, from the right in texts from right to left', async (t) => {
    for (const [id, attributes, turned] of [
      [4743, '', (share) => share],
      [4744, 'dir="rtl"', (share) => 1 - share],
    ]) {
      const page = await show(t, id, attributes);
      for (const [share, value] of [
        [0.62, '3.5'],
        [0.78, '4'],
        [0.02, '0.5'],
        [0.98, '5'],
      ]) {
        await clickAt(page, turned(share));
        await becomes(`Your rating: ${value}`, own(page));
        await page.mouse.move(0, 0);
        await becomes(2 * value, () => filled(page));
      }
      // While the pointer is over a star, the widget shows the rating that a click would send.
      await widget(page, 'half-stars').locator('[role=radio]').nth(2).hover();
      await becomes(3, () => filled(page));
    }
  });

  test('have no line between two halves, and have the mark of the chosen half below it', async (t) => {
    for (const [id, attributes, side] of [
      [4748, '', '0%'],
      [4749, 'dir="rtl"', '100%'],
    ]) {
      const page = await show(t, id, attributes);
      await star(page, 10, 'half-stars').click();
      await becomes('Your rating: 5', own(page));
      await page.mouse.move(0, 0);
      await becomes(10, () => filled(page));
      assert.match(await star(page, 10, 'half-stars').evaluate((one) => getComputedStyle(one).backgroundPosition), new RegExp(`^${side} `));
      for (const shift of [0, 0.25, 0.5, 0.75]) {
        await page.evaluate((x) => (document.body.style.marginInlineStart = `${8 + x}px`), shift);
        const halves = await Promise.all([1, 2].map((n) => star(page, n, 'half-stars').boundingBox()));
        const middle = Math.max(...halves.map(({x}) => x));
        const clip = {x: Math.round(middle) - 3, y: Math.round(halves[0].y + halves[0].height / 2), width: 6, height: 1};
        const picture = (await page.screenshot({clip})).toString('base64');
        const colours = await page.evaluate(async (base64) => {
          const bytes = Uint8Array.from(window.atob(base64), (c) => c.charCodeAt(0));
          const image = await window.createImageBitmap(new window.Blob([bytes]));
          const canvas = new window.OffscreenCanvas(6, 1).getContext('2d');
          canvas.drawImage(image, 0, 0);
          const {data} = canvas.getImageData(0, 0, 6, 1);
          return Array.from({length: 6}, (_, i) => data.slice(4 * i, 4 * i + 3).join());
        }, picture);
        assert.deepEqual(new Set(colours), new Set(['199,119,0']), `${attributes} ${shift}`);
      }
    }
  });

  test('belong together in a part of the page with another direction, and in a shadow root', async (t) => {
    const inShadow = (inner) => `<div id="host"></div><script>host.attachShadow({mode: "open"}).innerHTML = '${inner}'</script>`;
    const element = '<ratingd-rating object-id="4751" template="simple/half-stars"></ratingd-rating>';
    for (const [direction, body] of [
      ['rtl', place(4750)],
      ['rtl', `<div dir="ltr">${place(4750)}</div>`],
      ['ltr', `<div dir="rtl"><div dir="ltr">${place(4750)}</div></div>`],
      ['rtl', inShadow(element)],
      ['ltr', inShadow(element)],
    ]) {
      const page = await newPage(t);
      await open(page, await serve(page, body, `dir="${direction}"`));
      const lefts = await widget(page, 'half-stars')
        .locator('path')
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left));
      // Both halves of a star are cut out of the same star.
      for (let i = 0; i < 10; i += 2) assert.ok(Math.abs(lefts[i] - lefts[i + 1]) < 1, `${direction} ${body}: ${lefts}`);
    }
  });

  test('are wide enough for a finger, and fit on a phone', async (t) => {
    for (const [i, size] of ['small', 'medium', 'large'].entries()) {
      const page = await newPage(t, {viewport: {width: 360, height: 500}});
      await open(page, await serve(page, place(4745 + i, `data-size="${size}"`)));
      const boxes = await widget(page, 'half-stars')
        .locator('[role=radio]')
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect()).map(({width, height}) => [width, height]));
      for (const [width, height] of boxes) assert.ok(width >= 24 && height >= 24, `${size}: ${width} × ${height}`);
      await clickAt(page, 0.62);
      await becomes('Your rating: 3.5', own(page));
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
      if (pictures) await page.screenshot({path: path.join(pictures, `half-stars-${size}.png`)});
    }
  });
});
