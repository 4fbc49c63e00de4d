// Asks before an action that cannot be undone, or before unsaved changes are lost.

import {h, newId} from './dom.js';
import {t} from './words.js';

// Resolves to true if the reader chooses "action". Resolves to false for "Cancel", Escape or a click beside the
// dialog.
//
// - "title" is the question.
// - "text" says what will happen, with numbers. It is a string, a node or a list of both.
// - "action" is the label of the button that confirms.
// - "danger" says that the action destroys data. In this case, "Cancel" has the focus at first.
// - "cancel" is a label that replaces "Cancel".
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
    // Escape also fires "close", but without an answer.
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
