'use strict';

// Tests the widgets in Firefox through WebDriver BiDi. tests/e2e/widget_test.py starts the site, and runs this file
// again while only registered users may rate.

const assert = require('node:assert/strict');
const {after, before, describe, test} = require('node:test');
const puppeteer = require('puppeteer-core');

const site = JSON.parse(process.env.RATINGD_SITE);
const stars = '[data-template="simple/stars"]';
const slider = '[data-template="simple/slider"]';

let firefox;
before(async () => {
  firefox = await puppeteer.launch({browser: 'firefox', executablePath: '/usr/bin/firefox-esr'});
});
after(() => firefox.close());

// Opens a separate browser context without cookies.
async function newBrowser(t) {
  const context = await firefox.createBrowserContext();
  t.after(() => context.close());
  return async () => {
    const page = await context.newPage();
    page.setDefaultTimeout(20000);
    return page;
  };
}

// Opens a page and waits until its widgets show their numbers.
async function open(page, name) {
  await page.goto(`${site.url}/${name}/`);
  await shows(page, `${slider} [data-stat=total]`, /^\d+$/);
}

// Waits until the text of an element matches the pattern. The default pattern matches only empty text.
const shows = (page, selector, pattern = /^$/) =>
  page.waitForFunction(
    (one, source) => new RegExp(source).test(document.querySelector(one)?.textContent),
    {},
    selector,
    pattern.source,
  );

const clickStar = (page, n) => page.click(`${stars} [role=radio]:nth-of-type(${n})`);
const textOf = (page, selector) => page.$eval(selector, (one) => one.textContent);
const own = (template) => `${template} [data-stat=own]`;

describe('In Firefox', {skip: site.requiresLogin}, () => {
  test('a vote is there after Back', async (t) => {
    const page = await (await newBrowser(t))();
    await open(page, 'firefox-back');
    // Firefox does not keep a page in its back/forward cache if the page listens to "unload".
    await page.evaluate(() => window.addEventListener('unload', () => {}));
    await clickStar(page, 4);
    await shows(page, own(stars), /^Your rating: 4$/);
    await page.goto(site.url);
    await page.goBack();
    await shows(page, own(stars), /^Your rating: 4$/);
    await shows(page, `${stars} [data-stat=total]`, /^1$/);
  });

  test('two tabs agree', async (t) => {
    const newPage = await newBrowser(t);
    const [page, other] = [await newPage(), await newPage()];
    await open(page, 'firefox-tabs');
    await open(other, 'firefox-tabs');
    await clickStar(page, 2);
    await shows(page, own(stars), /^Your rating: 2$/);
    await shows(other, own(stars), /^Your rating: 2$/);
    await other.click(`${stars} .ratingd-remove`);
    await shows(page, own(stars));
  });

  test('a slider shows its value while it is dragged, and Enter confirms it', async (t) => {
    const page = await (await newBrowser(t))();
    await open(page, 'firefox-slider');
    const input = await page.$(`${slider} input`);
    await input.scrollIntoView();
    const {x, y, width, height} = await input.boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width - 2, y + height / 2, {steps: 3});
    assert.equal(await textOf(page, own(slider)), 'Your rating: 10');
    assert.equal(await input.evaluate((one) => one.ariaValueText), '10.0');
    await page.mouse.up();
    await shows(page, `${slider} [data-message]`, /^Rating saved\.$/);
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction((one) => document.querySelector(one).dataset.userRating === '0.95', {}, slider);
    await page.keyboard.press('Enter'); // sends the same value again
    await page.waitForFunction((one) => document.querySelector(one).ariaBusy === 'false', {}, slider);
    assert.equal(await textOf(page, own(slider)), 'Your rating: 9.5');
  });
});

describe('In Firefox, who is not logged in', {skip: !site.requiresLogin}, () => {
  test('sees no dialog for a password, but a link to the login page', async (t) => {
    const page = await (await newBrowser(t))();
    await open(page, 'login');
    await clickStar(page, 4);
    await shows(page, `${stars} [data-message]`, /^Log in to rate$/);
    const address = await page.$eval(`${stars} [data-message] a`, (one) => one.href);
    assert.equal(new URL(address).searchParams.get('redirect_to'), page.url());
  });
});
