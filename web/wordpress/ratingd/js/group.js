'use strict';

// Returns the HTML of a sample in wp-admin, in the site's language. The sample shows criteria with the overall rating,
// reactions, or one rating. "names" have a label and an icon. "html" is the service's HTML for one rating. "words" are
// the words of the widgets.
window.ratingdSample = (group, names, html, words) => {
  const holder = document.createElement('template');
  holder.innerHTML = html;
  const find = (selector) => holder.content.querySelector(selector);
  const textOf = (selector) => find(selector)?.textContent ?? '';
  const total = Number(textOf('[data-stat=total]').replace(/\D/g, ''));
  const form = new Intl.PluralRules(document.documentElement.lang || 'en').select(total);
  const votes = words.votes?.[form] ?? words.votes?.other;
  if (votes && find('[data-stat=votes]')) find('[data-stat=votes]').textContent = votes;
  // The HTML of two templates contains English words.
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
