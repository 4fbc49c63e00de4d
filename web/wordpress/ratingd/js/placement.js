'use strict';

// Shows the template that is chosen for each type of posts.
(({apiFetch}, base) => {
  const show = async (row) => {
    const value = (name) => row.querySelector(`[data-ratingd-field=${name}]`).value;
    const place = row.querySelector('[data-ratingd-preview]');
    if (!value('where')) return place.replaceChildren();
    const data = {template: value('template'), size: value('size')};
    try {
      const {html, css} = await apiFetch({url: base + '/preview', method: 'POST', data});
      const style = document.createElement('style');
      style.textContent = css;
      const holder = document.createElement('template');
      holder.innerHTML = html;
      place.replaceChildren(style, holder.content);
    } catch (error) {
      place.textContent = error.message;
    }
  };

  for (const row of document.querySelectorAll('[data-ratingd-type]')) {
    row.addEventListener('change', () => show(row));
    show(row);
  }
})(window.wp, window.ratingdBase);
