'use strict';

// Tests widgets on pages of a site that signs tickets for its visitors. The tests themselves serve the pages and the
// back end.

const assert = require('node:assert/strict');
const {Buffer} = require('node:buffer');
const crypto = require('node:crypto');
const {describe, test} = require('node:test');
const {becomes, isOn, message, newPage, open, star, stat, site} = require('./browser.cjs');

const base64 = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

// Signs a ticket as docs/headless.md describes.
function sign(subject, life = 60, since = 0) {
  const iat = Math.floor(Date.now() / 1000) + since;
  const claims = {iss: 'app', sub: subject, aud: site.url, iat, exp: iat + life};
  const text = base64({alg: 'HS256', typ: 'JWT'}) + '.' + base64(claims);
  return text + '.' + crypto.createHmac('sha256', site.ticketKey).update(text).digest('base64url');
}

let objects = 8000;

// Opens a page with a widget. "answer" returns the response of the page's back end. Returns a list that collects the
// tickets in requests to ratingd.
async function openPage(t, answer, {attributes = 'data-ticket-url="/ticket"', object = ++objects} = {}) {
  const page = await newPage(t);
  const sent = [];
  page.on('request', (request) => {
    if (/\/(stats|rate)/.test(request.url())) sent.push(request.headers()['x-ratingd-ticket']);
  });
  let asked = 0;
  await page.route(site.url + '/ticket', (route) => route.fulfill({...answer(++asked)}));
  const address = site.url + '/from-a-shop';
  await page.route(address, (route) =>
    route.fulfill({
      contentType: 'text/html; charset=UTF-8',
      body: `<!DOCTYPE html><html lang="en"><title>Shop</title><body>
        <ratingd-rating object-id="${object}" template="simple/stars"></ratingd-rating>
        <script src="${site.url}/wp-json/ratingd/v1/ratingd-widget.js" ${attributes}></script>`,
    }),
  );
  await open(page, address);
  return {page, sent, object, asked: () => asked};
}

describe('With data-ticket-url', () => {
  test('a visitor is one voter in all browsers', async (t) => {
    const anna = () => ({body: sign('anna') + '\n'});
    const {page, object} = await openPage(t, anna);
    await star(page, 4).click();
    await becomes('1', stat(page, 'stars', 'total'));
    const {page: phone, asked} = await openPage(t, anna, {object});
    await becomes('true', isOn(star(phone, 4)));
    await star(phone, 2).click();
    await becomes('2.0', stat(phone, 'stars', 'average'));
    assert.equal(await stat(phone, 'stars', 'total')(), '1');
    assert.equal(asked(), 1);
    assert.deepEqual(await phone.context().cookies(), []);
  });

  test('expired and refused tickets are replaced', async (t) => {
    const {page, sent, asked} = await openPage(t, (n) => ({body: sign('bert', n === 1 ? 5 : 60)}), {
      attributes: `data-ticket-url="/ticket" data-ticket="${sign('bert', 60, -600)}"`,
    });
    await becomes('–', stat(page, 'stars', 'average'));
    assert.equal(asked(), 1); // the ticket in the page had expired
    await star(page, 5).click();
    await becomes('Rating saved.', message(page, 'stars'));
    assert.equal(asked(), 2); // the next ticket would have expired
    assert.equal(new Set(sent).size, 3);
  });

  test('the ticket in the page comes first', async (t) => {
    const ticket = sign('carl');
    const {page, sent, asked} = await openPage(t, () => ({status: 500}), {
      attributes: `data-ticket-url="/ticket" data-ticket="${ticket}"`,
    });
    await star(page, 5).click();
    await becomes('Rating saved.', message(page, 'stars'));
    assert.deepEqual([asked(), [...new Set(sent)]], [0, [ticket]]);
  });

  test('who has no ticket rates as an anonymous visitor', async (t) => {
    const {page, sent} = await openPage(t, () => ({status: 204}));
    await star(page, 3).click();
    await becomes('1', stat(page, 'stars', 'total'));
    assert.deepEqual([...new Set(sent)], [undefined]);
  });

  test('nothing is rated while the back end fails, and numbers are shown', async (t) => {
    const {page, object} = await openPage(t, () => ({body: sign('dora')}));
    await star(page, 4).click();
    await becomes('1', stat(page, 'stars', 'total'));
    for (const answer of [{status: 503}, {body: '<html>'}]) {
      const {page: later, sent} = await openPage(t, () => answer, {object});
      await becomes('1', stat(later, 'stars', 'total'));
      await star(later, 1).click();
      await becomes('Not saved. Please try again.', message(later, 'stars'));
      assert.deepEqual(new Set(sent), new Set([undefined])); // requests for public counts
    }
  });
});
