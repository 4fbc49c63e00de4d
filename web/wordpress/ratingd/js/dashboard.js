'use strict';

// Fills the dashboard widget with figures for the last seven days.
((place) => {
  const {base, nonce, change, votes, locale, stars} = place.dataset;
  const number = new Intl.NumberFormat(locale);
  const signed = new Intl.NumberFormat(locale, {signDisplay: 'exceptZero'});
  // Does not use apiFetch, which would repeat requests with a nonce that has expired without end.
  async function ask(path) {
    const answer = await fetch(`${base}/analytics/${path}?period=7d`, {
      credentials: 'include',
      headers: {'X-WP-Nonce': nonce},
    });
    if (!answer.ok) throw new Error(answer.statusText);
    return answer.json();
  }
  // WordPress stores titles as HTML.
  const plain = (html) => new DOMParser().parseFromString(html, 'text/html').body.textContent;
  const element = (name, text) => Object.assign(document.createElement(name), {textContent: text});

  const figure = (name) => place.querySelector(`[data-figure=${name}]`);
  const addChange = (name, text) => figure(name).append(element('small', change.replace('{n}', text)));

  // Averages have the same units as on the administration page: percent, a score from -1 to 1, and stars.
  const scales = {binary: [100, 1, ' %'], bipolar: [1, 2, ''], scale: [stars, 2, ' / ' + stars]};
  function showAverage(category, average, before) {
    const [factor, digits, unit] = scales[category];
    const format = (value, more) =>
      value.toLocaleString(locale, {minimumFractionDigits: digits, maximumFractionDigits: digits, ...more});
    const steps = factor * 10 ** digits;
    // Rounds from ten-thousandths, as the administration page does, because 0.819 * 5 is less than 4.095.
    const rounded = (value) =>
      (Math.sign(value) * Math.round((Math.round(Math.abs(value) * 1e4) * steps) / 1e4)) / 10 ** digits;
    figure(category).textContent = format(rounded(average)) + unit;
    figure(category).parentNode.hidden = false;
    if (before === null) return;
    addChange(category, format(rounded(average) - rounded(before), {signDisplay: 'exceptZero'}));
  }

  function showFigures({data}) {
    const show = (name, value) => {
      figure(name).textContent = number.format(value);
    };
    show('total_ratings', data.total_ratings);
    show('rated_objects', data.rated_objects.total);
    show('active_voters', data.active_voters);
    addChange('total_ratings', signed.format(data.change.total_ratings));
    for (const category of Object.keys(scales)) {
      const {total, average} = data.stats[category];
      // Version 0.3 of the service does not return the averages for the previous week.
      if (total > 0) showAverage(category, average, data.change.previous_averages?.[category] ?? null);
    }
  }

  function showTop({data}) {
    place.querySelector('.ratingd-top').append(
      ...data.slice(0, 5).map(({title, link, object_id: id, total}) => {
        const item = document.createElement('li');
        const name = link ? Object.assign(element('a', ''), {href: link}) : element('span', '');
        name.textContent = plain(title ?? '') || `#${id}`;
        item.append(name, element('span', votes.replace('{n}', number.format(total))));
        return item;
      }),
    );
  }

  Promise.all([ask('stats').then(showFigures), ask('top-posts-overview').then(showTop)])
    .catch(() => {
      place.querySelector('.ratingd-failed').hidden = false;
    })
    .finally(() => place.removeAttribute('aria-busy'));
})(document.getElementById('ratingd-week'));
