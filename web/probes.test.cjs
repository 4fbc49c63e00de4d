'use strict';

// Tests templates that try to run scripts, load files, or affect elements outside their widget. If
// ratingd accepts a template, the test displays the template in Chromium. tests/e2e/widget_test.py
// starts the site.

const assert = require('node:assert/strict');
const {describe, test} = require('node:test');
const {api, logIn, newPage, open, serve, site} = require('./browser.cjs');

describe('A stored template', () => {
  const root =
    'data-object-id="{{OBJECT_ID}}" data-object-type="{{OBJECT_TYPE}}" data-category="{{CATEGORY}}" ' +
    'data-template="{{TEMPLATE}}" data-user-rating="{{USER_RATING}}"';
  const widget = (inside, attributes = '') =>
    `<div ${root} ${attributes}><button type="button" data-value="1" aria-pressed="false">+</button>${inside}</div>`;
  const run = 'window.ran=1';
  const evil = 'https://evil.example/x';

  const insides = [
    `<script>${run}</script>`,
    `<img src=x onerror="${run}">`,
    `<svg onload="${run}"></svg>`,
    `<svg><script>${run}</script></svg>`,
    `<svg fill="url(${evil}#y)"><path d="M0 0h9v9z" stroke="u\\72l(${evil})"/></svg>`,
    `<svg><style>*{background:url(${evil})}</style></svg>`,
    `<svg><foreignObject><iframe srcdoc="&lt;script&gt;${run}&lt;/script&gt;"></iframe></foreignObject></svg>`,
    `<svg><a href="javascript:${run}"><path d="M0 0"/></a></svg>`,
    `<svg><animate attributeName="href" to="javascript:${run}"/></svg>`,
    `<math><mtext><b><style><!--</style><img title="--&gt;&lt;img src=x onerror=${run}&gt;"></b></mtext></math>`,
    `<noscript><b title="</noscript><img src=x onerror=${run}>"></b></noscript>`,
    `<template><img src=x onerror=${run}></template>`,
    `<textarea><b title="</textarea><img src=x onerror=${run}>"></b></textarea>`,
    `<title><b title="</title><img src=x onerror=${run}>"></b></title>`,
    `<select><b></select><img src=x onerror=${run}>`,
    `<table><b><img src=x onerror=${run}></b></table>`,
    `<b title='"><img src=x onerror=${run}>'>x</b>`,
    `<b title="&quot;&gt;&lt;img src=x onerror=${run}&gt;">x</b>`,
    `<b title='" onmouseover="${run}'>x</b>`,
    `<b/onclick="${run}">x</b>`,
    `<b title="{{LABEL_LIKE:none}}">x</b>`,
    `<b title={{LABEL_LIKE}}>x</b>`,
    `<b>{{%AUTOESCAPE context="JAVASCRIPT"}}{{LABEL_LIKE}}</b>`,
    `<p></b><img src=x onerror=${run}>`,
    `<b>x</b onclick="${run}">`,
    `</div></div><img src=x onerror=${run}>`,
    `&lt;script&gt;${run}&lt;/script&gt;`,
    `<!--><img src=x onerror=${run}>-->`,
    '<b title="{{LABEL_LIKE}}">{{LABEL_LIKE}}</b>',
  ];
  const rules = [
    `@import "${evil}";`,
    `@import url(${evil});.x{}`,
    `@font-face{font-family:x;src:url(${evil})}`,
    `b{background:url(${evil})}`,
    `b{background:\\75rl(${evil})}`,
    `b{background:u/**/rl(${evil})}`,
    `b{background:url/**/(${evil})}`,
    `b{background:image-set("${evil}" 1x)}`,
    `b{--x:url(${evil});background:var(--x)}`,
    `b{background:src("${evil}")}`,
    `b[title^="a"]{content:url("${evil}")}`,
    `@property --x{syntax:"*";inherits:true;initial-value:url(${evil})}`,
    `@layer x{body{outline:9px solid red}}`,
    'b{color:red}}body{outline:9px solid red}',
    'b{color:"}body{outline:9px solid red}"}',
    "b{content:'\n}body{outline:9px solid red}",
    'b{(}body{outline:9px solid red}',
    'b{a:[}]}body{outline:9px solid red}',
    '@media all{}}body{outline:9px solid red}',
    '&{&,body{outline:9px solid red}}',
    ':is(&,body){outline:9px solid red}',
    'body:has(&){outline:9px solid red}',
    '--> body{outline:9px solid red}',
    ':root,:host,html,body{outline:9px solid red}',
    '& ~ *{outline:9px solid red}',
    'b{position:fixed;inset:0}',
    `</style><img src=x onerror=${run}>`,
    '&:hover,b{color:red}',
  ];

  const probes = [
    ...insides.map((inside) => ({html: widget(inside)})),
    ...rules.map((css) => ({html: widget('<b>x</b>'), css})),
    {html: widget('', `onclick="${run}"`)},
    {html: widget('', `style="background:url(${evil})"`)},
    {html: widget(''), name: `"><script>${run}</script>`, description: `<img src=x onerror=${run}>`},
  ];

  // Opens a page with the template "slug" and returns the template's effects on the page. Inserts the
  // template's HTML into the page in several ways that sites may use.
  async function behaviour(t, slug) {
    const page = await newPage(t);
    const foreign = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(site.url)) foreign.push(request.url());
    });
    const {html, css} = await (await page.request.post(api + '/preview', {data: {template: slug}})).json();
    const place = `<p id="other"><b>x</b></p><div data-ratingd data-object-id="4720" data-template="${slug}"
      data-label-like="&quot;&gt;&lt;img src=x onerror=${run}&gt;{{TOTAL}}"></div>`;
    await open(page, await serve(page, `${place}<style>${css}</style><div>${html}</div>`));
    await page.evaluate((text) => {
      // Parse the HTML again after the browser has serialized it, and once more with scripts disabled.
      document.body.insertAdjacentHTML('beforeend', document.body.innerHTML);
      document.body.insertAdjacentHTML('beforeend', `<noscript>${text}</noscript>`);
    }, html);
    await page.locator('[data-template] button').first().click();
    await page.waitForLoadState('networkidle');
    const found = await page.evaluate(() => ({
      ran: window.ran,
      images: document.images.length,
      outlines: ['html', 'body', '#other', '#other b'].map(
        (one) => getComputedStyle(document.querySelector(one)).outlineStyle,
      ),
    }));
    await page.context().close();
    return {...found, foreign};
  }
  const harmless = {ran: undefined, images: 0, outlines: Array(4).fill('none'), foreign: []};

  test('runs nothing, loads nothing and stays in its place', async (t) => {
    const page = await newPage(t);
    await logIn(page, site.administrator);
    const asked = await page.request.get(site.url + '/wp-admin/admin-ajax.php?action=rest-nonce');
    const headers = {'X-WP-Nonce': await asked.text()};
    const taken = [];
    for (const probe of probes) {
      const data = {slug: 'probes/probe', name: 'Probe', category: 'binary', ...probe};
      const answer = await page.request.post(api + '/templates', {headers, data});
      if (answer.status() === 400) continue;
      assert.ok(answer.ok(), JSON.stringify(probe));
      assert.deepEqual(await behaviour(t, data.slug), harmless, JSON.stringify(probe));
      taken.push(probe.css ?? probe.html);
    }
    assert.deepEqual(taken, [
      widget(`<b title='" onmouseover="${run}'>x</b>`),
      widget('&lt;script&gt;window.ran=1&lt;/script&gt;'),
      widget('<b title="{{LABEL_LIKE}}">{{LABEL_LIKE}}</b>'),
      `b{background:url/**/(${evil})}`,
      'b{color:"}body{outline:9px solid red}"}',
      '--> body{outline:9px solid red}',
      ':root,:host,html,body{outline:9px solid red}',
      '&:hover,b{color:red}',
      widget(''),
    ]);
  });
});
