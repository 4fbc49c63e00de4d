'use strict';

// What an owner meets from the installation of the plugin to the first vote. tests/e2e/blocks_test.py starts the site,
// in which nobody has opened wp-admin before.

const assert = require('node:assert/strict');
const path = require('node:path');
const {describe, test} = require('node:test');
const {becomes, pictures, site} = require('./browser.cjs');
const {admin, audit, enter} = require('./wp_admin.cjs');

const desk = {viewport: {width: 1400, height: 1000}};

async function picture(page, name) {
  if (pictures) await page.screenshot({path: path.join(pictures, `first-steps-${name}.png`), fullPage: true});
}

describe('After the installation', () => {
  const notice = (page) => page.locator('.ratingd-welcome');

  test('a notice with one button leads to the placement of ratings, and is gone then', async (t) => {
    const page = await enter(t, site.administrator, desk);
    await notice(page).waitFor();
    assert.equal(await notice(page).locator('.button').count(), 1);
    await audit(page, '.ratingd-welcome');
    await picture(page, 'notice');
    // Not where an owner does something else.
    await admin(page, 'edit.php');
    assert.equal(await notice(page).count(), 0);
    await admin(page, 'plugins.php');
    await notice(page).locator('.button').click();
    await page.waitForURL('**/admin.php?page=ratingd-placement');
    await admin(page, '');
    assert.equal(await notice(page).count(), 0);
  });

  test('the list of plugins has the name of the menu, and a link to the settings', async (t) => {
    const page = await enter(t, site.administrator, desk);
    await admin(page, 'plugins.php?plugin_status=mustuse');
    const row = page.locator('[data-plugin="ratingd-mu-loader.php"]');
    const menu = await page.locator('#toplevel_page_ratingd .wp-menu-name').first().innerText();
    assert.equal((await row.locator('.plugin-title strong').innerText()).trim(), menu.split('\n')[0].trim());
    assert.match(await row.innerText(), /Visitors rate your posts/);
    await row.getByRole('link', {name: 'Settings'}).click();
    await page.waitForURL('**/admin.php?page=ratingd-placement');
  });

  test('the list of plugins speaks the language of its reader', async (t) => {
    const page = await enter(t, site.german, desk);
    await admin(page, 'plugins.php?plugin_status=mustuse');
    const row = page.locator('[data-plugin="ratingd-mu-loader.php"]');
    await becomes(true, async () => /Bewertungen[^]*Besucher bewerten/.test(await row.innerText()));
  });
});
