'use strict';

// Tests the form that asks for the reason for a low vote. tests/e2e/widget_test.py starts the site, and
// sets low_vote_reasons to true before it runs this file.

const assert = require('node:assert/strict');
const path = require('node:path');
const {before, describe, test} = require('node:test');
const {api, becomes, isOn, newPage, open, pictures, remover, serve, serveWith, star, stat} = require('./browser.cjs');

const place = (id, slug = 'stars', attributes = '') =>
  `<div><ratingd-rating object-id="${id}" template="simple/${slug}" ${attributes}></ratingd-rating></div>`;
const formOf = (page) => page.locator('.ratingd-reason form');
const field = (page) => page.getByLabel('What could be better?');
const shown = (page) => () => formOf(page).count();
const saysThanks = (page) => () => page.locator('.ratingd-reason [role=status]').textContent();

// Workers apply a changed setting within a few seconds.
before(() =>
  becomes(true, async () => {
    const answer = await fetch(api + '/rate', {
      method: 'POST',
      headers: {'Content-Type': 'application/json', 'X-Ratingd-Device': 'asks-for-reasons-yet-or-not'},
      body: JSON.stringify({object_id: 6000, category: 'binary', value: 0}),
    });
    return (await answer.json()).reason_invited;
  }),
);

describe('The form for a reason', () => {
  test('is loaded after a low vote only, and sends the reason with it', async (t) => {
    const page = await newPage(t);
    const loaded = [];
    page.on('request', (request) => loaded.push(request.url()));
    await open(page, await serve(page, place(6001)));
    await star(page, 3).click();
    await becomes('Your rating: 3', stat(page, 'stars', 'own'));
    assert.deepEqual(loaded.filter((url) => url.includes('ratingd-reason')), []);
    await star(page, 2).click();
    await field(page).fill('<b>Too short</b> & dull\n🙂');
    await page.getByRole('button', {name: 'Send'}).click();
    await becomes('Thank you.', saysThanks(page));
    await becomes(0, shown(page));
    await becomes('1', stat(page, 'stars', 'total'));
    const {data} = await page.evaluate(async (me) => (await fetch(me)).json(), api + '/me');
    assert.deepEqual(data.map((one) => [one.value, one.reason]), [[0.4, '<b>Too short</b> & dull\n🙂']]);
    // If the next vote is also low, the reason is kept, so the form is not shown again.
    await star(page, 1).click();
    await becomes('Your rating: 1', stat(page, 'stars', 'own'));
    await page.waitForLoadState('networkidle');
    assert.equal(await shown(page)(), 0);
  });

  test('is within reach of the Tab key, and skipped for good', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, place(6002)));
    await star(page, 1).focus();
    await page.keyboard.press('Enter');
    await becomes(1, shown(page));
    await becomes('What could be better?', saysThanks(page)); // the message for screen readers
    await star(page, 1).focus();
    // Move focus past the buttons that change and remove the rating.
    for (let i = 0; i < 3; ++i) await page.keyboard.press('Tab');
    await page.keyboard.type('Too sh');
    assert.equal(await field(page).inputValue(), 'Too sh');
    await page.keyboard.press('Escape');
    await becomes(0, shown(page));
    assert.ok(await star(page, 1).evaluate((one) => one === document.activeElement));
    await star(page, 2).click();
    await becomes('Your rating: 2', stat(page, 'stars', 'own'));
    await page.waitForLoadState('networkidle');
    assert.equal(await shown(page)(), 0);
  });

  test('goes with the low vote, and stays with another low one', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, place(6003) + place(6003, 'dots')));
    await star(page, 1).click();
    await field(page).fill('Too short');
    await star(page, 2).click();
    await becomes('Your rating: 2', stat(page, 'stars', 'own'));
    assert.equal(await field(page).inputValue(), 'Too short');
    await star(page, 5, 'dots').click();
    await becomes(0, shown(page));
    await star(page, 2).click();
    await becomes(1, shown(page)); // the form belongs to the widget of the vote
    await remover(page, 'stars').click();
    await becomes('false', isOn(star(page, 2)));
    await becomes(0, shown(page));
  });

  test('keeps the text when it is not sent', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, place(6004, 'thumbs')));
    await page.getByRole('button', {name: 'Dislike'}).click();
    await page.getByRole('button', {name: 'Send'}).click();
    assert.ok(await field(page).evaluate((one) => one === document.activeElement)); // there is nothing to send
    await field(page).fill('Too short');
    const refuse = (route) =>
      route.fulfill({status: 400, json: {code: 'rest_invalid_param', message: '', data: {status: 400}}});
    await page.route('**/rate', refuse);
    await page.getByRole('button', {name: 'Send'}).click();
    await becomes('Not saved. Please try again.', () => page.getByRole('alert').textContent());
    assert.equal(await field(page).inputValue(), 'Too short');
    await page.unroute('**/rate', refuse);
    await page.getByRole('button', {name: 'Send'}).click();
    await becomes('Thank you.', saysThanks(page));
  });

  test('fits any page, and themes do not paint it', async (t) => {
    const paint = `<style>
      body { margin: 0; padding: 16px; font: 17px/1.6 sans-serif }
      .site button:not(:hover):not(:active):not(.has-background) { background: rgb(40, 48, 61); padding: 15px 30px }
      .site textarea { border: 5px solid green; width: 900px }
    </style>`;
    const looks = {
      light: {width: 700, attributes: ''},
      dark: {width: 700, attributes: 'style="color-scheme: dark; background: #111; color: #eee"'},
      'dark-widget': {width: 700, attributes: 'style="background: #111; color: #eee"', of: 'color-scheme="dark"'},
      phone: {width: 360, attributes: ''},
      'phone-rtl': {width: 360, attributes: 'dir="rtl"', lang: 'ar'},
    };
    for (const [name, look] of Object.entries(looks)) {
      const page = await newPage(t, {viewport: {width: look.width, height: 560}});
      const words = look.lang ? `<script src="${api}/ratingd-words-${look.lang}.js"></script>` : '';
      const text = '<p>The soup was eaten while it was hot, and nothing of it was left.</p>';
      const body = `<div class="site">${text}${place(6005, 'stars', look.of)}${text}</div>${words}`;
      const {attributes, lang} = look;
      await open(page, await serveWith(page, {head: '<title>Soup</title>' + paint, body, attributes, lang}));
      await star(page, 2).click();
      await becomes(1, shown(page));
      const [box, area, button] = await formOf(page).evaluate((form) =>
        [form, form.querySelector('textarea'), form.querySelector('button')].map((one) => {
          const {left, right, height} = one.getBoundingClientRect();
          return {left, right, height, background: getComputedStyle(one).backgroundColor};
        }),
      );
      assert.ok(box.left >= 0 && box.right <= look.width, `${name}: ${JSON.stringify(box)}`);
      assert.ok(area.left >= box.left && area.right <= box.right, `${name}: ${JSON.stringify(area)}`);
      assert.ok(button.height >= 36, name);
      assert.notEqual(button.background, 'rgb(40, 48, 61)', name);
      if (!pictures) continue;
      await page.locator('.ratingd-reason textarea').fill(lang ? 'الحساء بارد' : 'The soup was cold.');
      await page.screenshot({path: path.join(pictures, `reason-${name}.png`)});
    }
  });
});
