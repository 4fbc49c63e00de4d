'use strict';

// The blocks "Rating" and "Top rated", and "order by rating" of the block "Query Loop".
(({apiFetch, blockEditor, blocks, components, compose, element, hooks, i18n, serverSideRender}, given) => {
  const {createElement: h, Fragment, useEffect, useState} = element;
  const {InspectorControls, useBlockProps} = blockEditor;
  const {ComboboxControl, Notice, PanelBody, RangeControl, SelectControl, TextControl, ToggleControl} =
    components;
  const {__} = i18n;

  const options = (table) => Object.entries(table).map(([value, label]) => ({value, label}));
  const kinds = {
    scale: __('Stars', 'ratingd'),
    binary: __('Likes', 'ratingd'),
    bipolar: __('Up and down', 'ratingd'),
  };

  // --- Rating -----------------------------------------------------------------------------------------

  // The templates of the site, asked for once by all blocks of the editor.
  let templates;
  const useTemplates = () => {
    const [list, setList] = useState([]);
    useEffect(() => {
      templates ??= apiFetch({url: given.base + '/templates'});
      templates.then(({data}) => setList(data)).catch(() => (templates = undefined));
    }, []);
    return list;
  };

  const usePreview = ({category, template, size, colorScheme, counts, objectId}, postId) => {
    const [preview, setPreview] = useState({});
    const id = objectId || (postId ? String(postId) : '');
    useEffect(() => {
      let isWanted = true;
      const data = {
        ...(template ? {template} : {category}),
        ...(id && {object_id: id}),
        size,
        show_counts: counts,
        ...(colorScheme !== 'auto' && {dark_mode: colorScheme === 'dark'}),
      };
      apiFetch({url: given.base + '/preview', method: 'POST', data})
        .then((answer) => isWanted && setPreview(answer))
        .catch((error) => isWanted && setPreview({error: error.message || String(error)}));
      return () => (isWanted = false);
    }, [category, template, size, colorScheme, counts, id]);
    return preview;
  };

  // Finds posts of all public types by their titles.
  const PostSearch = ({id, title, onChange}) => {
    const [found, setFound] = useState([]);
    const search = compose.useDebounce((text) => {
      if (!text.trim()) return;
      apiFetch({path: `/wp/v2/search?type=post&per_page=20&search=${encodeURIComponent(text)}`})
        .then((posts) => setFound(posts.map((post) => ({value: String(post.id), label: post.title}))))
        .catch(() => setFound([]));
    }, 300);
    const chosen = id && !found.some(({value}) => value === id) ? [{value: id, label: title || id}] : [];
    return h(ComboboxControl, {
      label: __('Rated post', 'ratingd'),
      help: __('Empty: the post that the block is in.', 'ratingd'),
      value: id || null,
      options: [...chosen, ...found],
      onFilterValueChange: search,
      onChange: (value) =>
        onChange(value || '', [...chosen, ...found].find((one) => one.value === value)?.label || ''),
    });
  };

  const selfServing = ['LocalBusiness', 'Organization'];

  const RatingSettings = ({attributes, setAttributes, list}) => {
    const {category, template, size, colorScheme, counts, hideResult, objectId, objectTitle, schema} =
      attributes;
    const set = (name) => (value) => setAttributes({[name]: value});
    const ofKind = list.filter((one) => one.category === category);
    const known = Object.fromEntries(ofKind.map(({slug, name}) => [slug, name]));
    return h(
      InspectorControls,
      null,
      h(
        PanelBody,
        {title: __('Rating', 'ratingd')},
        h(SelectControl, {
          label: __('Kind of rating', 'ratingd'),
          value: category,
          options: options(kinds),
          onChange: (value) => setAttributes({category: value, template: ''}),
        }),
        h(SelectControl, {
          label: __('Template', 'ratingd'),
          value: template,
          options: options({
            '': __('Default of the site', 'ratingd'),
            ...(template && !known[template] && {[template]: template}),
            ...known,
          }),
          onChange: set('template'),
        }),
        h(SelectControl, {
          label: __('Size', 'ratingd'),
          value: size,
          options: options({
            small: __('Small', 'ratingd'),
            medium: __('Medium', 'ratingd'),
            large: __('Large', 'ratingd'),
          }),
          onChange: set('size'),
        }),
        h(SelectControl, {
          label: __('Colours', 'ratingd'),
          value: colorScheme,
          options: options({
            auto: __('As the page', 'ratingd'),
            light: __('For a light background', 'ratingd'),
            dark: __('For a dark background', 'ratingd'),
          }),
          onChange: set('colorScheme'),
        }),
        h(ToggleControl, {
          label: __('Show the number of ratings', 'ratingd'),
          checked: counts,
          onChange: set('counts'),
        }),
        h(ToggleControl, {
          label: __('Hide the result until the visitor has rated', 'ratingd'),
          help: __('Hidden from view, not secret. Search engines get no stars.', 'ratingd'),
          checked: hideResult,
          onChange: set('hideResult'),
        }),
      ),
      h(
        PanelBody,
        {title: __('What is rated', 'ratingd'), initialOpen: false},
        h(PostSearch, {
          id: objectId,
          title: objectTitle,
          onChange: (id, title) => setAttributes({objectId: id, objectTitle: title}),
        }),
        category === 'scale' &&
          h(SelectControl, {
            label: __('Type for search engines', 'ratingd'),
            help: __('Search engines show stars for these types only.', 'ratingd'),
            value: schema,
            options: options({
              '': __('None', 'ratingd'),
              ...Object.fromEntries(given.schemas.map((type) => [type, type])),
            }),
            onChange: set('schema'),
          }),
        selfServing.includes(schema) &&
          h(
            Notice,
            {status: 'warning', isDismissible: false},
            __('Search engines show no stars for ratings of your own business on your own site.', 'ratingd'),
          ),
      ),
    );
  };

  const RatingEdit = ({attributes, setAttributes, context}) => {
    const list = useTemplates();
    const preview = usePreview(attributes, context.postId);
    return h(
      Fragment,
      null,
      h(RatingSettings, {attributes, setAttributes, list}),
      h(
        'div',
        useBlockProps(),
        preview.css && h('style', null, preview.css),
        preview.error
          ? h(Notice, {status: 'warning', isDismissible: false}, preview.error)
          : // Its buttons are only shown.
            h('div', {inert: '', dangerouslySetInnerHTML: {__html: preview.html || '&nbsp;'}}),
        preview.sample &&
          h('small', {className: 'ratingd-sample'}, __('Sample: nobody has rated this yet.', 'ratingd')),
      ),
    );
  };

  const variation = (name, title, icon, attributes) => ({
    name,
    title,
    icon,
    attributes,
    scope: ['inserter', 'transform'],
    isActive: (block) => block.template === attributes.template,
  });

  blocks.registerBlockType('ratingd/rating', {
    edit: RatingEdit,
    save: () => null,
    variations: [
      variation('stars', __('Star rating', 'ratingd'), 'star-filled', {
        category: 'scale',
        template: 'simple/stars',
      }),
      variation('slider', __('Rating slider', 'ratingd'), 'leftright', {
        category: 'scale',
        template: 'simple/slider',
      }),
      variation('distribution', __('Stars with distribution', 'ratingd'), 'chart-bar', {
        category: 'scale',
        template: 'simple/distribution',
      }),
      variation('like', __('Like button', 'ratingd'), 'heart', {category: 'binary', template: 'simple/heart'}),
      variation('thumbs', __('Thumbs up and down', 'ratingd'), 'thumbs-up', {
        category: 'bipolar',
        template: 'simple/thumbs',
      }),
    ],
  });

  // --- Top rated --------------------------------------------------------------------------------------

  const TopEdit = ({attributes, setAttributes}) => {
    const {metric, period, category, type, number, minimum, layout} = attributes;
    const set = (name) => (value) => setAttributes({[name]: value});
    const choose = (label, name, value, table) =>
      h(SelectControl, {label, value, options: options(table), onChange: set(name)});
    return h(
      Fragment,
      null,
      h(
        InspectorControls,
        null,
        h(
          PanelBody,
          {title: __('List', 'ratingd')},
          choose(__('Order by', 'ratingd'), 'metric', metric, {
            average: __('Average', 'ratingd'),
            total: __('Number of ratings', 'ratingd'),
            ...(category === 'bipolar' && {score: __('Score (up − down)', 'ratingd')}),
          }),
          choose(__('Period', 'ratingd'), 'period', period, {
            all: __('All time', 'ratingd'),
            year: __('Last 365 days', 'ratingd'),
            month: __('Last 30 days', 'ratingd'),
            week: __('Last 7 days', 'ratingd'),
            day: __('Today', 'ratingd'),
          }),
          choose(__('Kind of rating', 'ratingd'), 'category', category, {
            '': __('Most used', 'ratingd'),
            ...kinds,
          }),
          choose(__('Type of posts', 'ratingd'), 'type', type, given.types),
          h(RangeControl, {
            label: __('Number of posts', 'ratingd'),
            value: number,
            min: 1,
            max: 50,
            onChange: set('number'),
          }),
          h(TextControl, {
            label: __('At least so many ratings', 'ratingd'),
            type: 'number',
            min: 1,
            value: minimum,
            onChange: (value) => setAttributes({minimum: Math.max(1, Math.min(1e6, Number(value) || 1))}),
          }),
          choose(__('Layout', 'ratingd'), 'layout', layout, {
            list: __('List', 'ratingd'),
            cards: __('Cards', 'ratingd'),
          }),
        ),
      ),
      h(
        'div',
        useBlockProps(),
        h('div', {inert: ''}, h(serverSideRender, {block: 'ratingd/top', attributes})),
      ),
    );
  };

  blocks.registerBlockType('ratingd/top', {edit: TopEdit, save: () => null});

  // --- Query Loop -------------------------------------------------------------------------------------

  const withOrder = compose.createHigherOrderComponent(
    (BlockEdit) => (props) => {
      if (props.name !== 'core/query' || props.attributes.query?.inherit) return h(BlockEdit, props);
      const {query} = props.attributes;
      const isOn = query.orderBy === 'ratingd';
      return h(
        Fragment,
        null,
        h(BlockEdit, props),
        h(
          InspectorControls,
          null,
          h(
            PanelBody,
            {title: __('Ratings', 'ratingd')},
            h(ToggleControl, {
              label: __('Order by rating', 'ratingd'),
              help: __('The best first; posts without ratings come last.', 'ratingd'),
              checked: isOn,
              onChange: (on) =>
                props.setAttributes({query: {...query, orderBy: on ? 'ratingd' : 'date', order: 'desc'}}),
            }),
          ),
        ),
      );
    },
    'withRatingOrder',
  );
  hooks.addFilter('editor.BlockEdit', 'ratingd/order', withOrder);
})(window.wp, window.ratingdBlocks);
