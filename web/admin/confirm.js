// A question before something that cannot be undone, or before unsaved changes are lost.

import {h, newId} from './dom.js';
import {t} from './words.js';

// Resolves to true if "action" is chosen, to false by "Cancel", Escape or a click beside the dialog.
//
// "title": the question. "text": what will happen, with numbers; a text, a node or a list of them. "action": the
// label of the button that does it. "danger": it destroys data; then "Cancel" has the focus at first. "cancel":
// another label for "Cancel".
export function confirm({title, text, action, danger = false, cancel}) {
  return new Promise((resolve) => {
    const opener = document.activeElement;
    const titleId = newId();
    const textId = newId();
    const paragraphs = [text]
      .flat()
      .filter(Boolean)
      .map((part) => (part instanceof Node ? part : h('p', {}, part)));
    const close = (answer) => () => dialog.close(answer);
    const no = h('button', {type: 'button', class: 'button', onclick: close('')}, cancel || t('Cancel'));
    const yes = h(
      'button',
      {type: 'button', class: danger ? 'button rd-danger' : 'button button-primary', onclick: close('yes')},
      action,
    );
    const dialog = h(
      'dialog',
      {
        class: 'rd-confirm',
        role: 'alertdialog',
        'aria-labelledby': titleId,
        'aria-describedby': textId,
        onclick: (event) => event.target === dialog && dialog.close(''),
      },
      h(
        'div',
        {class: 'rd-confirm-body'},
        h('h2', {id: titleId}, title),
        h('div', {id: textId}, paragraphs),
        h('div', {class: 'rd-actions'}, no, yes),
      ),
    );
    // "close" also comes after Escape: then there is no answer.
    dialog.addEventListener('close', () => {
      dialog.remove();
      if (opener?.isConnected) opener.focus();
      resolve(dialog.returnValue === 'yes');
    });
    (document.getElementById('ratingd-admin') || document.body).append(dialog);
    dialog.showModal();
    (danger ? no : yes).focus();
  });
}
