'use strict';

// Tests the "distribution" template, which has a bar for each step. The widget in the browser must show
// the same numbers and bars as the server's HTML.

const assert = require('node:assert/strict');
const path = require('node:path');
const {describe, test} = require('node:test');
const {api, becomes, newPage, open, pictures, serve, widget} = require('./browser.cjs');

const id = 4720;
const place = `<div data-ratingd data-object-id="${id}" data-template="simple/distribution"></div>`;
const steps = [1, 2, 3, 4, 5];

const rate = async (t, value) => {
  const page = await newPage(t);
  await open(page, await serve(page, place));
  const status = await page.evaluate(
    async ([address, body]) => {
      const headers = {'Content-Type': 'application/json'};
      return (await fetch(address, {method: 'POST', headers, body: JSON.stringify(body)})).status;
    },
    [api + '/rate', {object_id: id, category: 'scale', value}],
  );
  assert.equal(status, 200);
  await page.context().close();
};

// Returns the numbers and the bar lengths in the HTML that the server rendered.
const rendered = async (page) => {
  const data = {template: 'simple/distribution', object_id: id};
  const {html} = await (await page.request.post(api + '/preview', {data})).json();
  const of = (pattern) => steps.map((step) => +new RegExp(pattern.replace('N', step)).exec(html)[1]);
  return [of('data-stat="step_N">(\\d+)<'), of('value="([\\d.]+)" data-stat="share_N"')];
};

const shown = (page) =>
  widget(page, 'distribution').evaluate((element, numbers) => {
    const of = (stat) => element.querySelector(`[data-stat=${stat}]`);
    return [
      numbers.map((step) => +of('step_' + step).textContent),
      numbers.map((step) => Math.round(of('share_' + step).value * 1000) / 1000),
    ];
  }, steps);

describe('The distribution', () => {
  test('counts each half star where the server does', async (t) => {
    for (let tenths = 0; tenths <= 10; ++tenths) await rate(t, tenths / 10);
    const page = await newPage(t);
    const expected = [
      [3, 2, 2, 2, 2],
      [0.273, 0.182, 0.182, 0.182, 0.182],
    ];
    assert.deepEqual(await rendered(page), expected);
    const address = await serve(page, place);
    // For visitors who have not voted, the numbers can be up to two seconds old.
    await becomes('11', async () => {
      await open(page, address);
      return widget(page, 'distribution').locator('[data-stat=total]').textContent();
    });
    assert.deepEqual(await shown(page), expected);
    if (pictures) await page.screenshot({path: path.join(pictures, 'distribution.png')});
    // A vote changes the lengths of the bars.
    await widget(page, 'distribution').locator('[role=radio]').nth(4).click();
    await becomes('3', () => widget(page, 'distribution').locator('[data-stat=step_5]').textContent());
    assert.deepEqual((await shown(page))[1], [0.25, 0.167, 0.167, 0.167, 0.25]);
    assert.deepEqual(await shown(page), await rendered(page));
  });
});
