'use strict';

// Moves the rows of criteria and reactions. Pages show criteria and reactions in the order of the rows.
for (const table of document.querySelectorAll('[data-ratingd-group]')) {
  const rows = table.querySelector('tbody');
  for (const button of table.querySelectorAll('[data-ratingd-move]')) button.hidden = false;
  table.addEventListener('click', ({target}) => {
    const button = target.closest('[data-ratingd-move]');
    if (!button) return;
    const row = button.closest('tr');
    const isUp = button.dataset.ratingdMove === '-1';
    const other = isUp ? row.previousElementSibling : row.nextElementSibling;
    if (!other) return;
    rows.insertBefore(row, isUp ? other : other.nextElementSibling);
    button.focus();
  });
}
