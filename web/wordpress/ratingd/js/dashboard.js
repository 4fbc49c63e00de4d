'use strict';

// Fills the dashboard widget with the figures of the last seven days.
((place, apiFetch) => {
  const {base, change, votes, locale} = place.dataset;
  const number = new Intl.NumberFormat(locale);
  const signed = new Intl.NumberFormat(locale, {signDisplay: 'exceptZero'});
  const ask = (path) => apiFetch({url: `${base}/analytics/${path}?period=7d`});
  // Titles are HTML, as WordPress stores them.
  const plain = (html) => new DOMParser().parseFromString(html, 'text/html').body.textContent;
  const element = (name, text) => Object.assign(document.createElement(name), {textContent: text});

  function showFigures({data}) {
    const show = (name, value) => {
      place.querySelector(`[data-figure=${name}]`).textContent = number.format(value);
    };
    show('total_ratings', data.total_ratings);
    show('rated_objects', data.rated_objects.total);
    show('active_voters', data.active_voters);
    const text = change.replace('{n}', signed.format(data.change.total_ratings));
    place.querySelector('[data-figure=total_ratings]').append(element('small', text));
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
})(document.getElementById('ratingd-week'), window.wp.apiFetch);
