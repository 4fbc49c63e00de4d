'use strict';

// How the block looks in the editor: what POST /preview says.
(({blocks, element, blockEditor, apiFetch}, base) => {
  const {createElement, useEffect, useState} = element;
  blocks.registerBlockType('ratingd/rating', {
    edit: ({attributes: {category, template, size}}) => {
      const [look, setLook] = useState({html: '', css: ''});
      useEffect(() => {
        const data = template ? {template, size} : {category, size};
        apiFetch({url: base + '/preview', method: 'POST', data}).then(setLook, () => {});
      }, [category, template, size]);
      return createElement(
        'div',
        blockEditor.useBlockProps(),
        createElement('style', null, look.css),
        createElement(element.RawHTML, null, look.html),
      );
    },
    save: () => null,
  });
})(window.wp, window.ratingdBase);
