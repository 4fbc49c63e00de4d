'use strict';

// Tests in a browser how a site's owner chooses the number of stars and edits the site's texts.
// tests/e2e/plugin_stars_test.py starts the site.

const assert = require('node:assert/strict');
const path = require('node:path');
const {test} = require('node:test');
const {becomes, newPage, openEditor, pictures, canvas, site} = require('./browser.cjs');
const {admin, audit, enter, newName, publish, vote} = require('./wp_admin.cjs');

const picture = async (page, name) => {
  if (pictures) await page.screenshot({path: path.join(pictures, `stars-${name}.png`), fullPage: true});
};
const isTooWide = (page) => page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
const save = async (page) => {
  await page.click('#submit');
  await page.locator('#setting-error-settings_updated').waitFor();
};
const sample = (page, name) => page.locator(`[data-ratingd-sample=${name}]`);
const texts = 'admin.php?page=ratingd-texts';
const placement = 'admin.php?page=ratingd-placement';

test('The owner chooses ten stars, and all samples show them at once', async (t) => {
  const page = await enter(t);
  await admin(page, placement);
  const row = page.locator('[data-ratingd-type=post]');
  await row.locator('[data-ratingd-field=where]').selectOption('after');
  const radios = row.locator('[data-ratingd-preview] [role=radio]');
  await becomes(5, () => radios.count());
  const average = row.locator('[data-ratingd-preview] [data-stat=average]');
  const five = Number(await average.textContent());
  await page.getByLabel('Number of stars').selectOption('10');
  await becomes(10, () => radios.count());
  await becomes(10, () => sample(page, 'dark').locator('[role=radio]').count());
  await becomes(10, () => row.locator('.ratingd-picture').first().locator('[role=radio]').count());
  assert.equal(Number(await average.textContent()), 2 * five);
  await becomes(20, () => row.locator('.ratingd-picture').filter({hasText: 'Half stars'}).locator('[role=radio]').count());
  await page.setViewportSize({width: 1000, height: 720}); // the pictures are narrower than ten stars in halves
  const bars = row.locator('.ratingd-picture').filter({hasText: 'Stars with distribution'}).locator('.ratingd-bar');
  await becomes(10, () => bars.count());
  const lengths = await bars.locator('meter').evaluateAll((all) => all.map((one) => one.value));
  assert.ok(Math.abs(lengths.reduce((sum, one) => sum + one) - 1) < 0.01, lengths.join());
  const halves = row.locator('.ratingd-picture').filter({hasText: 'Half stars'}).locator('[role=radio]');
  const heights = await halves.evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().y)));
  for (let i = 0; i < heights.length; i += 2) assert.equal(heights[i], heights[i + 1], 'a star is cut in two');
  await audit(page, '.wrap');
  await picture(page, 'placement');
  await page.setViewportSize({width: 360, height: 740});
  assert.equal(await isTooWide(page), false);
  await picture(page, 'placement-narrow');
  await save(page);
  assert.equal(await page.getByLabel('Number of stars').inputValue(), '10');

  const post = await publish(page, newName('ten'));
  await vote(post, 'scale', [0.7, 0.8]);
  const visitor = await newPage(t);
  await visitor.goto(`${site.url}/?p=${post}`);
  await becomes(10, () => visitor.getByRole('radio').count());
  await becomes('7.5', () => visitor.locator('[data-stat=average]').textContent());
  await visitor.getByRole('radio', {name: '9 of 10'}).click();
  await becomes('8.0', () => visitor.locator('[data-stat=average]').textContent());
});

test('The administration page shows averages with the number of stars of the site', async (t) => {
  const page = await enter(t);
  await admin(page, 'admin.php?page=ratingd#/overview?period=all');
  const figure = page.locator('.rd-card').filter({hasText: 'of 10 ·'});
  await figure.waitFor();
  assert.match(await figure.innerText(), /8\.00/);
  await page.getByRole('heading', {name: 'Latest ratings'}).scrollIntoViewIfNeeded();
  await page.getByText('9 of 10').first().waitFor();
  assert.equal(await page.getByLabel('Rating scale').inputValue(), '10');
  await picture(page, 'overview');
  // The page remembers the user's choices.
  await page.getByLabel('Rating scale').selectOption('100');
  await page.locator('.rd-card').filter({hasText: 'of 100 ·'}).waitFor();
  await page.reload();
  await page.locator('.rd-card').filter({hasText: 'of 100 ·'}).waitFor();
  await page.getByLabel('Rating scale').selectOption('10');
  await admin(page, 'admin.php?page=ratingd#/content?period=all');
  await page.getByText('8.00').first().waitFor();
});

test('A block has the number of stars of the site, or its own', async (t) => {
  const page = await newPage(t);
  await openEditor(page, {template: 'simple/stars'});
  const frame = await canvas(page);
  const radios = frame.locator('.wp-block-ratingd-rating [role=radio]');
  await becomes(10, () => radios.count());
  await page.evaluate(() => {
    const [block] = wp.data.select('core/block-editor').getBlocks().filter(({name}) => name === 'ratingd/rating');
    wp.data.dispatch('core/block-editor').selectBlock(block.clientId);
    wp.data.dispatch('core/edit-post').openGeneralSidebar('edit-post/block');
  });
  const control = page.getByLabel('Number of stars');
  assert.equal(await control.locator('option').first().innerText(), 'Site default (10)');
  await control.selectOption('3');
  await becomes(3, () => radios.count());
  await page.getByLabel('Template', {exact: true}).selectOption('simple/slider');
  await becomes(0, () => control.count());
});

test('The samples of the texts follow what the owner types', async (t) => {
  const page = await enter(t);
  await admin(page, texts);
  await becomes(10, () => sample(page, 'first').locator('[role=radio]').count());
  const said = (name) => sample(page, name).locator('output');
  assert.equal(await said('first').textContent(), 'Be the first to rate');
  assert.equal(await said('thanks').textContent(), 'Your rating: 10');
  assert.equal(await said('step').isVisible(), false); // ten stars have no standard words
  await page.getByLabel('Invitation').fill('What do you think? <b>&');
  assert.equal(await said('first').textContent(), 'What do you think? <b>&');
  await page.getByLabel('Thank-you text').fill('Thank you!');
  assert.equal(await said('thanks').textContent(), 'Thank you!');
  await page.getByLabel('3 stars').fill('Meh');
  assert.equal(await said('step').textContent(), 'Meh');
  const filled = () =>
    sample(page, 'step')
      .locator('.ratingd-all')
      .evaluateAll((all) => all.filter((one) => getComputedStyle(one).fillOpacity === '1').length);
  await becomes(3, filled);
  await page.getByLabel('10 stars').fill('Out of this world');
  await becomes(10, filled);
  // The sample text must fit on one line inside its box.
  const [bubble, card] = await Promise.all([said('step'), page.locator('.ratingd-text-samples')].map((one) => one.boundingBox()));
  assert.ok(bubble.x >= card.x && bubble.x + bubble.width <= card.x + card.width);
  assert.ok(bubble.height < 30, `${bubble.height}`);
  await audit(page, '.wrap');
  await picture(page, 'texts');
  await page.setViewportSize({width: 360, height: 740});
  assert.equal(await isTooWide(page), false);
  await picture(page, 'texts-narrow');
  await page.setViewportSize({width: 1280, height: 720});
  await page.getByLabel('Invitation').fill('What do you think?');
  await save(page);
  assert.equal(await said('first').textContent(), 'What do you think?');

  const post = await publish(page, newName('words'));
  const visitor = await newPage(t);
  await visitor.goto(`${site.url}/?p=${post}`);
  await becomes('Meh', () => visitor.getByRole('radio', {name: '3 of 10'}).getAttribute('title'));
  assert.equal(await visitor.getByRole('radio', {name: '4 of 10'}).getAttribute('title'), '');
  await visitor.getByText('What do you think?').waitFor();
});

test('The samples of the texts are in order in a page from right to left', async (t) => {
  const page = await enter(t, site.arabic);
  await admin(page, texts);
  const widget = sample(page, 'step').locator('.ratingd');
  await widget.waitFor();
  // WordPress's Arabic translation is not installed, so the test sets the right-to-left direction
  // itself.
  await page.evaluate(() => document.documentElement.setAttribute('dir', 'rtl'));
  await page.locator('[data-ratingd-text=step_10_of_10]').focus();
  const [bubble, card] = await Promise.all(
    [sample(page, 'step').locator('output'), page.locator('.ratingd-text-samples')].map((one) => one.boundingBox()),
  );
  assert.ok(bubble.x >= card.x && bubble.x + bubble.width <= card.x + card.width);
  await picture(page, 'texts-rtl');
  await admin(page, placement);
  await page.evaluate(() => document.documentElement.setAttribute('dir', 'rtl'));
  await page.locator('[data-ratingd-type=post] [data-ratingd-preview] [role=radio]').first().waitFor();
  await picture(page, 'placement-rtl');
});
