'use strict';

// Chromium for the tests, and pages in it of the site that tests/e2e/widget started: RATINGD_SITE says
// where it is.

const assert = require('node:assert/strict');
const {after, before} = require('node:test');
const {chromium} = require('playwright-core');

const site = JSON.parse(process.env.RATINGD_SITE);
const api = site.url + '/wp-json/ratingd/v1';
const scriptTag = `<script src="${api}/ratingd-widget.js"></script>`;

let chrome;
let agents = 0;

before(async () => {
  chrome = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    // As root, Chromium has no sandbox to offer.
    args: process.getuid() === 0 ? ['--no-sandbox'] : [],
  });
});
after(() => chrome.close());

// A browser of its own: no two are taken for one voter, nor those of the tests beside this one.
async function newContext(t, options = {}) {
  // WordPress has no block editor for browsers that it does not know.
  const userAgent = `Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0 Safari/537.36 test/${process.pid}.${++agents}`;
  const context = await chrome.newContext({userAgent, ...options});
  t.after(() => context.close());
  context.setDefaultTimeout(10000);
  return context;
}

async function newPage(t, options) {
  const page = await (await newContext(t, options)).newPage();
  page.on('pageerror', (error) => assert.fail(error));
  return page;
}

// Waits until the widgets have their numbers.
async function open(page, address) {
  const loaded = page.waitForResponse((answer) => answer.url().includes('/stats?'));
  await page.goto(address.startsWith('http') ? address : `${site.url}/${address}/`);
  await loaded;
  await page.locator('[data-template]').first().waitFor();
}

async function logIn(page, login) {
  await page.goto(site.url + '/wp-login.php');
  await page.fill('#user_login', login);
  await page.fill('#user_pass', login);
  await Promise.all([page.waitForURL(/wp-admin/), page.click('#wp-submit')]);
}

// A page of the site's origin that nobody serves, as a cache would.
async function serve(page, body, attributes = '') {
  const address = site.url + '/from-a-cache';
  await page.route(address, (route) =>
    route.fulfill({
      contentType: 'text/html; charset=UTF-8',
      body: `<!DOCTYPE html><html lang="en" ${attributes}><title>Soup</title><body>${body}${scriptTag}`,
    }),
  );
  return address;
}

module.exports = {api, logIn, newPage, open, serve, site};
