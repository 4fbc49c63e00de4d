'use strict';

// Tests a site where only registered users may rate, so ratingd rejects votes from visitors.
// tests/e2e/widget_test.py starts the site, and sets require_login to true before it runs this file.

const assert = require('node:assert/strict');
const {describe, test} = require('node:test');
const {becomes, isOn, logInByForm, message, newPage, open, serve, site, star, stat, widget} = require('./browser.cjs');

const login = `${site.url}/wp-login.php`;

// Returns a list that collects all later authentication challenges. A challenge would open the browser's
// password dialog.
async function challengesOf(page) {
  const session = await page.context().newCDPSession(page);
  const challenges = [];
  session.on('Fetch.requestPaused', ({requestId}) => session.send('Fetch.continueRequest', {requestId}));
  session.on('Fetch.authRequired', ({requestId, authChallenge}) => {
    challenges.push(authChallenge.scheme);
    return session.send('Fetch.continueWithAuth', {requestId, authChallengeResponse: {response: 'CancelAuth'}});
  });
  await session.send('Fetch.enable', {handleAuthRequests: true});
  return challenges;
}

describe('Who is not logged in', () => {
  test('is sent to the login page, and comes back', async (t) => {
    const page = await newPage(t);
    const challenges = await challengesOf(page);
    await open(page, 'login');
    // The widget shows the login link before and after a click on a star, and the click does not cast a
    // vote.
    await widget(page, 'stars').getByRole('link', {name: 'Log in to rate'}).waitFor();
    await star(page, 4).click({force: true});
    await becomes('Log in to rate', message(page, 'stars'));
    assert.deepEqual(challenges, []);
    const link = widget(page, 'stars').getByRole('link', {name: 'Log in to rate'});
    // Use the keyboard to open the login link.
    await page.keyboard.press('Tab');
    assert.ok(await link.isVisible());
    const from = page.url();
    await link.click();
    await page.waitForURL(login + '?*');
    assert.equal(new URL(page.url()).searchParams.get('redirect_to'), from);
    await logInByForm(page, 'reader2');
    await page.waitForURL(from);
    await star(page, 4).click();
    await becomes('true', isOn(star(page, 4)));
    await becomes('1', stat(page, 'stars', 'total'));
  });

  test('sees a sentence where no login page is known', async (t) => {
    const page = await newPage(t);
    const challenges = await challengesOf(page);
    await open(page, await serve(page, '<ratingd-rating object-id="6901" template="simple/stars"></ratingd-rating>'));
    await widget(page, 'stars').getByText('Log in to rate').first().waitFor();
    await star(page, 4).click({force: true});
    await becomes('Log in to rate', message(page, 'stars'));
    assert.equal(await widget(page, 'stars').getByRole('link').count(), 0);
    assert.deepEqual(challenges, []);
  });
});
