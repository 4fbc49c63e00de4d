'use strict';

// Shows the template that is chosen for each type of posts, and the fields that matter.
(({apiFetch}, {base, scales, selfServing}) => {
  const show = async (row) => {
    const field = (name) => row.querySelector(`[data-ratingd-field=${name}]`);
    const {value: where} = field('where');
    // Search engines take stars alone.
    const hasSchema = where && scales.includes(field('template').value);
    for (const one of row.querySelectorAll('[data-ratingd-field]:not([data-ratingd-field=where])')) {
      one.closest('p').hidden = one === field('schema') ? !hasSchema : !where;
    }
    row.querySelector('.card').hidden = !where;
    const warning = row.querySelector('[data-ratingd-warning]');
    if (warning) warning.hidden = !hasSchema || !selfServing.includes(field('schema').value);
    if (!where) return;

    const place = row.querySelector('[data-ratingd-preview]');
    const data = {template: field('template').value, size: field('size').value};
    const asked = (place.dataset.ratingdPreview = JSON.stringify(data));
    // Something else may have been chosen meanwhile.
    const isWanted = () => place.dataset.ratingdPreview === asked;
    try {
      const {html, css} = await apiFetch({url: base + '/preview', method: 'POST', data});
      const style = document.createElement('style');
      style.textContent = css;
      const holder = document.createElement('template');
      holder.innerHTML = html;
      if (isWanted()) place.replaceChildren(style, holder.content);
    } catch (error) {
      if (isWanted()) place.textContent = error.message;
    }
  };

  for (const row of document.querySelectorAll('[data-ratingd-type]')) {
    row.addEventListener('change', () => show(row));
    show(row);
  }
})(window.wp, window.ratingdPlacement);
