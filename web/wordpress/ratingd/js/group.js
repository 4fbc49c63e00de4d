'use strict';

// Returns the HTML of a sample in wp-admin, in the site's language. The sample shows criteria with an overall rating,
// reactions, or a single rating. "names" is a list of objects with a label and an icon. "html" is the
// HTML for a single rating, as returned by the service. "words" contains the widgets' texts.
window.ratingdSample = (group, names, html, words) => {
  const holder = document.createElement('template');
  holder.innerHTML = html;
  const find = (selector) => holder.content.querySelector(selector);
  const textOf = (selector) => find(selector)?.textContent ?? '';
  const total = Number(textOf('[data-stat=total]').replace(/\D/g, ''));
  const form = new Intl.PluralRules(document.documentElement.lang || 'en').select(total);
  const votes = words.votes?.[form] ?? words.votes?.other;
  if (votes && find('[data-stat=votes]')) find('[data-stat=votes]').textContent = votes;
  // Translate the words "Like" and "Dislike" in the HTML from the service.
  for (const [english, word] of [['Like', words.like], ['Dislike', words.dislike]]) {
    for (const element of holder.content.querySelectorAll('span, button')) {
      const last = element.lastChild;
      if (last?.data?.trim() === english) last.data = word;
    }
  }
  const one = (name, properties, ...parts) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...parts);
    return element;
  };
  const htmlOf = (element) => element.outerHTML;

  if (group === 'reactions') {
    const number = textOf('[data-count=positive]');
    const reaction = ({label, icon}) =>
      one('span', {className: 'ratingd-sample-choice wp-exclude-emoji', title: label}, icon || label, ' ', number);
    return htmlOf(one('div', {className: 'ratingd-sample-reactions wp-exclude-emoji'}, ...names.map(reaction)));
  }
  if (group !== 'criteria') return holder.innerHTML;
  const counts = total ? `${textOf('[data-stat=total]')} ${votes ?? textOf('[data-stat=votes]')}` : '';
  const overall = one('span', {}, textOf('[data-stat=average]'), ' ', one('small', {}, counts), ' ',
    one('span', {className: 'ratingd-sample-choice'}, words.save));
  // Only the overall rating shows the number of votes.
  for (const counted of holder.content.querySelectorAll('.ratingd-total')) counted.remove();
  const row = (label, widget) => one('div', {}, one('span', {}, label), widget);
  const rows = names.map(({label}) => row(label, one('span', {innerHTML: holder.innerHTML})));
  return htmlOf(one('div', {className: 'ratingd-sample-criteria'}, ...rows, row(words.overall, overall)));
};

// Requests a sample of a widget. Resolves to {html, css, sample}. The service always returns five stars,
// and ratingd-more-stars.js changes the number of stars to "stars".
window.ratingdPreview = async (data, stars = 5) => {
  const {base} = window.ratingdSamples;
  const answer = await window.wp.apiFetch({url: base + '/preview', method: 'POST', data});
  const holder = document.createElement('template');
  holder.innerHTML = answer.html;
  const all = (within, selector) => [...within.querySelectorAll(selector)];
  const [widget] = holder.content.children;
  if (!widget || Number(stars) === 5) return answer;

  // Services before version 0.4 do not have ratingd-more-stars.js, and their widgets always have five stars.
  const {add} = await import(base + '/ratingd-more-stars.js').catch(() => ({}));
  if (!add) return answer;
  const lang = document.documentElement.lang || 'en';
  const average = Number(all(widget, '[data-stat=average]')[0]?.textContent) / 5;
  const five = [1, 2, 3, 4, 5];
  const counts = five.map((step) => Number(all(widget, `[data-stat=step_${step}]`)[0]?.textContent ?? 0));
  const shares = five.map((step) => Number(all(widget, `[data-stat=share_${step}]`)[0]?.getAttribute('value') ?? 0));
  let more = '';
  const tools = {
    addSheet: (css) => (more += css),
    all,
    dataOf: (element) => element.dataset,
    formatAverage: (number, scale) => (number * scale).toLocaleString(lang, {maximumFractionDigits: 1}),
    round: Math.round,
    word: (_, name) => tools.words[name] ?? '',
    words: {},
  };
  widget.dataset.stars = stars;
  add(tools, widget);
  if (!widget.stars) return answer; // a template with another scale
  if (average >= 0) {
    const places = stars < 5 ? 2 : 1;
    const text = (average * stars).toLocaleString(lang, {minimumFractionDigits: places, maximumFractionDigits: places});
    for (const element of all(widget, '[data-stat=average]')) element.textContent = text;
    widget.style.setProperty('--ratingd-fill', Math.round(2 * average * stars) / 2);
  }
  // Converts a number of stars on a scale of five stars to the scale of the sample.
  const stepOf = (star) => Math.round((star * stars) / 5 + (stars < 7) / 5) || 1;
  const inStep = (numbers, {dataset}) =>
    numbers.reduce((sum, n, i) => sum + (stepOf(i + 1) === Number(dataset.stat.replace(/\D+/, '')) ? n : 0), 0);
  for (const element of all(widget, '[data-stat^=step_]')) element.textContent = inStep(counts, element);
  for (const element of all(widget, '[data-stat^=share_]')) element.setAttribute('value', inStep(shares, element));
  return {...answer, html: holder.innerHTML, css: answer.css + more};
};
