'use strict';

// Tests the rating email, its settings page, and the "Ratings → Texts" page in a browser.
// tests/e2e/plugin_mail_test.py starts the site. RATINGD_SITE also contains "mail", the path of a file
// with the email's HTML.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const {test} = require('node:test');
const {becomes, newPage, pictures, site} = require('./browser.cjs');
const {admin, audit, enter, newName, publish} = require('./wp_admin.cjs');

const picture = async (page, name) => {
  if (pictures) await page.screenshot({path: path.join(pictures, `mail-${name}.png`), fullPage: true});
};
const isTooWide = (page) => page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);

for (const [name, options] of Object.entries({
  light: {colorScheme: 'light'},
  dark: {colorScheme: 'dark'},
  narrow: {viewport: {width: 360, height: 740}},
})) {
  test(`The mail can be read: ${name}`, async (t) => {
    const page = await newPage(t, options);
    await page.setContent(fs.readFileSync(site.mail, 'utf8'));
    assert.match(await page.locator('h1').innerText(), /^Ratings on /);
    assert.equal(await page.locator('h2').count(), 2);
    assert.equal(await isTooWide(page), false);
    await picture(page, name);
    await audit(page, '.mail');
  });
}

test('The owner chooses how often the mail is sent, and to whom', async (t) => {
  const page = await enter(t);
  await admin(page, 'admin.php?page=ratingd-mail');
  assert.equal(await page.getByLabel('Send the email').inputValue(), '');
  await page.getByLabel('Send the email').selectOption('week');
  await page.click('#submit');
  await page.getByText('Choose at least one recipient').waitFor();
  await page.getByLabel('admin (admin@example.org)').check();
  await page.getByLabel('Include the reasons').check();
  await page.click('#submit');
  await page.getByText('Settings saved.').waitFor();
  assert.equal(await page.getByLabel('Send the email').inputValue(), 'week');
  assert.equal(await page.getByLabel('admin (admin@example.org)').isChecked(), true);
  await audit(page, '.wrap');
  await picture(page, 'settings');
  await page.setViewportSize({width: 360, height: 740});
  assert.equal(await isTooWide(page), false);
  await picture(page, 'settings-narrow');
});

test('The owner changes the words of the stars', async (t) => {
  const page = await enter(t);
  await admin(page, 'admin.php?page=ratingd-texts');
  assert.equal(await page.getByLabel('5 stars').getAttribute('placeholder'), 'Excellent');
  await page.getByLabel('5 stars').fill('Superb');
  await page.getByLabel('Thank-you text').fill('Thank you!');
  await page.click('#submit');
  await page.getByText('Settings saved.').waitFor();
  assert.equal(await page.getByLabel('5 stars').inputValue(), 'Superb');
  await audit(page, '.wrap');
  await picture(page, 'texts');
  await page.setViewportSize({width: 360, height: 740});
  assert.equal(await isTooWide(page), false);

  const post = await publish(page, newName('texts'), 'posts', '[ratingd template="simple/stars"]');
  await page.goto(`${site.url}/?p=${post}`);
  const star = page.getByRole('radio').nth(4);
  await becomes('Superb', () => star.getAttribute('title'));
  await star.click();
  await page.getByText('Thank you!').waitFor();
});
