// Builds controls for forms and lists with wp-admin's CSS classes. Each function returns an element.

import {h, newId} from './dom.js';
import {number, t, tn} from './words.js';

// Returns a form control together with its label. Screen readers read the text "help" together with the control.
export function field(label, control, help) {
  control.id ||= newId();
  const note = help && h('p', {class: 'description', id: newId()}, help);
  if (note) control.setAttribute('aria-describedby', note.id);
  return h('div', {class: 'rd-field'}, h('label', {for: control.id}, label), control, note);
}

// "options" is [[value, text], …].
export function select(label, options, value, onchange) {
  const control = h(
    'select',
    {value, onchange: () => onchange(control.value)},
    options.map(([name, text]) => h('option', {value: name}, text)),
  );
  return field(label, control);
}

// Returns radio buttons that are shown side by side. The buttons are native radio buttons, so that arrow keys work.
export function segmented(label, options, value, onchange) {
  const name = newId();
  const choice = ([option, text]) =>
    h(
      'label',
      {},
      h('input', {type: 'radio', name, checked: option === value, onchange: () => onchange(option)}),
      h('span', {}, text),
    );
  return h(
    'fieldset',
    {class: 'rd-segmented'},
    h('legend', {class: 'screen-reader-text'}, label),
    options.map(choice),
  );
}

// Calls "oninput" when the user pauses typing.
export function searchField(label, value, oninput) {
  let timer;
  const tell = () => {
    clearTimeout(timer);
    oninput(control.value.trim());
  };
  const control = h('input', {
    type: 'search',
    value,
    maxlength: 100,
    autocomplete: 'off',
    oninput: () => {
      clearTimeout(timer);
      timer = setTimeout(tell, 350);
    },
    onkeydown: (event) => {
      if (event.key !== 'Enter') return;
      event.preventDefault(); // do not submit a form around the field
      tell();
    },
  });
  return field(label, control);
}

// "answer" is a page of a list, and "reload()" loads the page whose number is in the URL hash. When the list is drawn
// again, the keyboard focus stays on the same button.
export function pager({params, update}, {pages, total}, reload) {
  const page = Number(params.get('page')) || 1;
  const go = (to) => {
    update({page: to > 1 ? to : ''});
    reload();
  };
  const button = (key, to, text, mark) =>
    h(
      'button',
      {
        class: 'button',
        type: 'button',
        disabled: to < 1 || to > pages || to === page,
        'aria-label': text,
        'data-focus': key,
        onclick: () => go(to),
      },
      h('span', {'aria-hidden': 'true'}, mark),
    );
  return h(
    'nav',
    {class: 'rd-pager', 'aria-label': t('Pages')},
    h('span', {class: 'rd-soft'}, tn('{n} item', '{n} items', total)),
    pages > 1 && [
      button('first', 1, t('First page'), '«'),
      button('previous', page - 1, t('Previous page'), '‹'),
      h('span', {}, t('{page} of {pages}', {page: number(page), pages: number(pages)})),
      button('next', page + 1, t('Next page'), '›'),
      button('last', pages, t('Last page'), '»'),
    ],
  );
}

// "columns" is [{title, cell(row), kind, header, sort}]:
// - "kind" is "number" for end-aligned numbers, "rank" for row numbers, or "box" for checkboxes.
// - "header" is true for the column whose cells are the row headers.
// - "sort" is the value of sorting.by if the list is sorted by the column. "sorting" is {by, order, set(by, order)}.
// Small screens show each row as a card, but ARIA roles preserve the table for screen readers.
export function table({caption, columns, rows, sorting}) {
  const kind = (column) => ({number: 'rd-number', rank: 'rd-number rd-rank', box: 'rd-rank'})[column.kind];
  const head = (column) => {
    const sorted = sorting && column.sort && sorting.by === column.sort;
    const order = sorted && sorting.order === 'desc' ? 'asc' : 'desc';
    return h(
      'th',
      {
        scope: 'col',
        role: 'columnheader',
        class: kind(column),
        'aria-sort': sorted && (sorting.order === 'asc' ? 'ascending' : 'descending'),
      },
      sorting && column.sort
        ? h(
            'button',
            {
              type: 'button',
              class: 'rd-sort',
              'data-focus': 'sort-' + column.sort,
              onclick: () => sorting.set(column.sort, order),
            },
            column.title,
            h('span', {'aria-hidden': 'true'}, sorted ? (sorting.order === 'asc' ? ' ▲' : ' ▼') : ' ⇅'),
          )
        : column.title,
    );
  };
  const cell = (column, row, index) =>
    h(
      column.header ? 'th' : 'td',
      {
        scope: column.header && 'row',
        role: column.header ? 'rowheader' : 'cell',
        class: kind(column),
        'data-title': column.header ? null : column.title,
      },
      column.cell(row, index),
    );
  return h(
    'table',
    {class: 'widefat striped rd-table', role: 'table'},
    caption && h('caption', {class: 'screen-reader-text'}, caption),
    h('thead', {role: 'rowgroup'}, h('tr', {role: 'row'}, columns.map(head))),
    h(
      'tbody',
      {role: 'rowgroup'},
      rows.map((row, index) =>
        h(
          'tr',
          {role: 'row'},
          columns.map((column) => cell(column, row, index)),
        ),
      ),
    ),
  );
}

// "kind" is success, info, warning or error. Screen readers interrupt speech to announce errors, but not
// to announce other notices.
export function notice(kind, ...children) {
  return h(
    'div',
    {class: `notice notice-${kind} inline rd-notice`, role: kind === 'error' ? 'alert' : 'status'},
    h('p', {}, children),
  );
}

// Returns the text that replaces an empty list.
export const emptyState = (title, ...children) =>
  h(
    'div',
    {class: 'rd-empty'},
    h('p', {class: 'rd-empty-title'}, title),
    children.length > 0 && h('p', {}, children),
  );
