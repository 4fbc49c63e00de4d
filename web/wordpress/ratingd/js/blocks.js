'use strict';

// Implements the plugin's blocks in the editor, and adds sorting by rating to the "Query Loop" block.
((wp, given) => {
  const {apiFetch, blockEditor, blocks, components, compose, element, hooks, htmlEntities, i18n} = wp;
  const {createElement: h, Fragment, useCallback, useEffect, useMemo, useRef, useState} = element;
  const {InspectorControls, useBlockProps} = blockEditor;
  const {Notice, PanelBody} = components;
  const {__} = i18n;

  // Returns an editor control in the style of WordPress 7.0. Without the properties for this style,
  // older versions of WordPress log a warning.
  const control = (name, label, value, onChange, more) =>
    h(components[name], {
      __next40pxDefaultSize: true,
      __nextHasNoMarginBottom: true,
      label,
      [name === 'ToggleControl' ? 'checked' : 'value']: value,
      onChange,
      ...more,
    });
  const options = (table) => Object.entries(table).map(([value, label]) => ({value, label}));
  const choice = (label, value, table, onChange, more) =>
    control('SelectControl', label, value, onChange, {options: options(table), ...more});

  // Makes a preview inert. React versions differ in their support for the "inert" attribute.
  const makeInert = (preview) => {
    preview?.toggleAttribute('inert', true);
  };

  // Returns an icon as SVG, because screen readers would read the letters of an icon font.
  const icon = (d) =>
    h('svg', {viewBox: '0 0 24 24', width: 24, height: 24, fill: 'currentColor', 'aria-hidden': true}, h('path', {d}));
  const icons = {
    rating: icon(
      'M12 2.7L14.9 8.7L21.5 9.6L16.7 14.2L17.9 20.8L12 17.6L6.1 20.8L7.3 14.2L2.5 9.6L9.1 8.7z' +
        'M12 6.4V15.7L15.7 17.7L14.9 13.5L17.9 10.7L13.8 10.1z',
    ),
    stars: icon('M12 2.7L14.9 8.7L21.5 9.6L16.7 14.2L17.9 20.8L12 17.6L6.1 20.8L7.3 14.2L2.5 9.6L9.1 8.7z'),
    slider: icon('M3 11h9.2a3 3 0 0 1 5.6 0H21v2h-3.2a3 3 0 0 1-5.6 0H3z'),
    distribution: icon('M4 5h16v3H4zM4 10.5h11v3H4zM4 16h6v3H4z'),
    heart: icon(
      'M12 20.7 4.3 13C2.4 11 2.4 7.9 4.3 5.9' +
        'c1.9-1.9 5-1.9 6.9 0l.8.9.8-.9c1.9-1.9 5-1.9 6.9 0 1.9 2 1.9 5.1 0 7.1z',
    ),
    thumbs: icon(
      'M2 10.5h4V21H2z' +
        'M8 20.2V10.6l3.9-7.4c1.4.1 2.3 1.2 2.1 2.7L13.4 9H19c1.6 0 2.7 1.5 2.3 3' +
        'l-1.8 7c-.3 1.2-1.3 2-2.5 2h-6.5c-.9 0-1.7-.3-2.5-.8z',
    ),
    criteria: icon('M3 5h8v2H3zM3 11h8v2H3zM3 17h8v2H3zM14 4h7v4h-7zM14 10h5v4h-5zM14 16h6v4h-6z'),
    reactions: icon(
      'M12 3a9 9 0 1 1 0 18a9 9 0 0 1 0-18zm0 2a7 7 0 1 0 0 14a7 7 0 0 0 0-14z' +
        'M8.5 9h2v2h-2zM13.5 9h2v2h-2zM7.5 13h9c-.4 2.3-2.3 4-4.5 4s-4.1-1.7-4.5-4z',
    ),
    top: icon('M9.5 5h5v14h-5zM3 10h5v9H3zM16 13h5v6h-5z'),
  };

  const kinds = {
    scale: __('Scale (such as stars)', 'ratingd'),
    binary: __('Likes', 'ratingd'),
    bipolar: __('Up and down', 'ratingd'),
  };

  // --- Rating -----------------------------------------------------------------------------------------

  // The site's templates. All blocks in the editor share the result of one request for the templates. If
  // the request fails, the editor offers the built-in templates.
  let templates;
  const builtin = Object.entries(given.templates).map(([slug, name]) => {
    return {slug, name, category: given.categories[slug]};
  });
  const useTemplates = () => {
    const [list, setList] = useState(builtin);
    useEffect(() => {
      templates ??= apiFetch({url: given.base + '/templates'});
      templates.then(({data}) => setList(data)).catch(() => (templates = undefined));
    }, []);
    return list;
  };

  const usePreview = ({category, template, size, colorScheme, counts, objectId, stars}, postId) => {
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
      window
        .ratingdPreview(data, stars || given.stars)
        .then((answer) => isWanted && setPreview(answer))
        .catch((error) => isWanted && setPreview({error: error.message || String(error)}));
      return () => {
        isWanted = false;
      };
    }, [category, template, size, colorScheme, counts, id, stars]);
    return preview;
  };

  // Finds posts of all public types by their titles.
  const PostSearch = ({id, title, onChange}) => {
    const [found, setFound] = useState([]);
    const latest = useRef();
    const find = useCallback((text) => {
      latest.current = text;
      if (!text.trim()) return;
      // Ignore responses to earlier requests, because responses may arrive in a different order than the requests.
      const show = (posts) => latest.current === text && setFound(posts);
      apiFetch({path: `/wp/v2/search?type=post&per_page=20&search=${encodeURIComponent(text)}`})
        .then((posts) =>
          show(posts.map((post) => ({value: String(post.id), label: htmlEntities.decodeEntities(post.title)}))),
        )
        .catch(() => show([]));
    }, []);
    const search = compose.useDebounce(find, 300);
    const chosen = id && !found.some(({value}) => value === id) ? [{value: id, label: title || id}] : [];
    const known = [...chosen, ...found];
    const set = (value) => onChange(value || '', known.find((one) => one.value === value)?.label || '');
    const box = control('ComboboxControl', __('Rated post', 'ratingd'), id || null, set, {
      help: __('If this field is empty, visitors rate the post that contains the block.', 'ratingd'),
      options: known,
      onFilterValueChange: search,
    });
    // Add a margin, because the search box has no margin below it.
    return h('div', {style: {marginBottom: '16px'}}, box);
  };

  // Maps the site's templates for a category to their titles. The result contains the chosen template
  // even if it has been deleted.
  const templateChoices = ({category, template}, list) => {
    const ofKind = list.filter((one) => one.category === category);
    const known = Object.fromEntries(ofKind.map(({slug, name}) => [slug, given.templates[slug] || name]));
    const lost = template && !known[template] && {[template]: given.templates[template] || template};
    return {'': __('Site default', 'ratingd'), ...lost, ...known};
  };

  // Returns whether a block uses the site's number of stars. Templates without stars have their own scales.
  const hasStars = ({category, template, group}) =>
    group !== 'reactions' && category === 'scale' && given.starTemplates.includes(template || given.standard);
  /* translators: %s: a number of stars, such as 5. */
  const ofSite = i18n.sprintf(__('Site default (%s)', 'ratingd'), given.stars);
  const numbers = ['3', '4', '5', '6', '7', '8', '9', '10'];
  const starChoices = [{value: '', label: ofSite}, ...numbers.map((n) => ({value: n, label: n}))];

  const sizes = {small: __('Small', 'ratingd'), medium: __('Medium', 'ratingd'), large: __('Large', 'ratingd')};
  const schemes = {
    auto: __('Same colours as the page', 'ratingd'),
    light: __('For a light background', 'ratingd'),
    dark: __('For a dark background', 'ratingd'),
  };

  const WidgetPanel = ({attributes, setAttributes, list}) => {
    const {category, template, size, colorScheme, counts, hideResult, text, color, group, stars} = attributes;
    const set = (name) => (value) => setAttributes({[name]: value});
    const setKind = (value) => setAttributes({category: value, template: ''});
    const hideLabel = __('Hide the result until the visitor has rated', 'ratingd');
    return h(
      PanelBody,
      {title: __('Rating', 'ratingd'), className: 'ratingd-settings'},
      // Groups have no "Kind of rating" field, because criteria are always rated on a scale, and
      // reactions are always likes.
      !group && choice(__('Kind of rating', 'ratingd'), category, kinds, setKind),
      group !== 'reactions' &&
        choice(__('Template', 'ratingd'), template, templateChoices(attributes, list), set('template')),
      hasStars(attributes) &&
        control('SelectControl', __('Number of stars', 'ratingd'), stars, set('stars'), {options: starChoices}),
      choice(__('Size', 'ratingd'), size, sizes, set('size')),
      choice(__('Colours', 'ratingd'), colorScheme, schemes, set('colorScheme')),
      h(
        components.BaseControl,
        {__nextHasNoMarginBottom: true},
        h(components.BaseControl.VisualLabel, null, __('Icon colour', 'ratingd')),
        h(components.ColorPalette, {
          'aria-label': __('Icon colour', 'ratingd'),
          colors: given.colours,
          value: color || undefined,
          onChange: (value) => setAttributes({color: value || ''}),
        }),
      ),
      control('TextControl', __('Text before the rating', 'ratingd'), text, set('text'), {
        placeholder: given.text || __('Rate this', 'ratingd'),
        maxLength: 60,
      }),
      control('ToggleControl', __('Show the number of ratings', 'ratingd'), counts, set('counts')),
      control('ToggleControl', hideLabel, hideResult, set('hideResult'), {
        help: __('The result is only hidden from view, so it is not secret. Search engines show no stars.', 'ratingd'),
      }),
    );
  };

  const schemaTypes = {
    '': __('None', 'ratingd'),
    ...Object.fromEntries(given.schemas.map((type) => [type, type])),
  };

  const SchemaChoice = ({schema, onChange}) =>
    h(
      Fragment,
      null,
      choice(__('Content type for search engines', 'ratingd'), schema, schemaTypes, onChange, {
        help: __('Search engines show stars for these types only.', 'ratingd'),
      }),
      given.selfServing.includes(schema) &&
        h(
          Notice,
          {status: 'warning', isDismissible: false},
          __('Search engines show no stars for ratings of your own business on your own site.', 'ratingd'),
        ),
    );

  const ObjectPanel = ({attributes, setAttributes}) => {
    const {category, objectId, objectTitle, schema} = attributes;
    return h(
      PanelBody,
      {title: __('What is rated', 'ratingd'), className: 'ratingd-settings', initialOpen: false},
      h(PostSearch, {
        id: objectId,
        title: objectTitle,
        onChange: (id, title) => setAttributes({objectId: id, objectTitle: title}),
      }),
      category === 'scale' &&
        h(SchemaChoice, {schema, onChange: (value) => setAttributes({schema: value})}),
    );
  };

  const namesIn = (text) => text.toLowerCase().match(/[^\s,]+/g) || [];
  const namesOf = (group) => Object.keys(given.names).filter((name) => given.names[name].group === group);
  // Divides the names of criteria or reactions in a block into names that exist on the site and unknown
  // names. If the site's settings cannot be read, all names are treated as known.
  const divide = (facets) => {
    const known = namesIn(facets).filter((name) => !given.isRead || Object.hasOwn(given.names, name));
    return {known, unknown: namesIn(facets).filter((name) => !known.includes(name))};
  };
  const aboutName = (name) => given.names[name] ?? {label: name, icon: ''};
  const lostNames = (names) =>
    i18n.sprintf(
      /* translators: %s: a list of names. */
      __('These names no longer exist on the site, so visitors do not see them: %s', 'ratingd'),
      names.join(', '),
    );

  const NamesPanel = ({attributes, setAttributes}) => {
    const {group, facets, weights, multiple} = attributes;
    const isOfCriteria = group === 'criteria';
    const {known, unknown} = divide(facets);
    // Also offer chosen names that have since been changed from criteria to reactions, or vice versa.
    const offered = [...new Set([...namesOf(group), ...known])];
    const set = (names) => setAttributes({facets: names.join(', '), weights: ''});
    const toggle = (name) => (isOn) => set(offered.filter((one) => (one === name ? isOn : known.includes(one))));
    return h(
      PanelBody,
      {title: isOfCriteria ? __('Criteria', 'ratingd') : __('Reactions', 'ratingd'), className: 'ratingd-settings'},
      offered.map((name) => {
        const about = aboutName(name);
        return h(components.CheckboxControl, {
          __nextHasNoMarginBottom: true,
          key: name,
          label: `${about.icon} ${about.label}`.trim(),
          checked: known.includes(name),
          onChange: toggle(name),
        });
      }),
      unknown.length > 0 &&
        h(
          Notice,
          {
            status: 'warning',
            isDismissible: false,
            actions: [{label: __('Remove from this block', 'ratingd'), onClick: () => set(known)}],
          },
          lostNames(unknown),
        ),
      given.namesPage &&
        h('p', null, h('a', {href: given.namesPage, target: '_blank'}, __('Names, labels and order', 'ratingd'))),
      isOfCriteria
        ? weights &&
            control('TextControl', __('Weights', 'ratingd'), weights, (value) => setAttributes({weights: value}), {
              help: __(
                'Enter the criteria’s weights in order, such as “2, 1”. Without weights, all criteria count equally.',
                'ratingd',
              ),
            })
        : control('ToggleControl', __('Visitors may choose several reactions', 'ratingd'), multiple, (value) =>
            setAttributes({multiple: value}),
          ),
    );
  };

  // Returns whether a block is part of a synced pattern, which is edited in its own editor.
  const isInPattern = (clientId) =>
    wp.data.select('core/block-editor').getBlockParentsByBlockName(clientId, 'core/block').length > 0;

  // Shows instructions in place of a group without names, and a form if the user may create names.
  const NamesForm = ({group, unknown, setAttributes, clientId}) => {
    const [text, setText] = useState('');
    const [problem, setProblem] = useState('');
    const isOfCriteria = group === 'criteria';
    const create = async () => {
      const labels = text.split('\n').map((line) => line.trim()).filter(Boolean);
      if (!labels.length) return;
      try {
        const data = {group, labels};
        const answer = await apiFetch({path: '/ratingd-plugin/v1/names', method: 'POST', data});
        given.names = answer.names;
        setAttributes({facets: answer.chosen.join(', ')});
      } catch (error) {
        setProblem(error.message || String(error));
      }
    };
    const hasNames = namesOf(group).length > 0;
    const [title, label] = isOfCriteria
      ? [__('Criteria', 'ratingd'), __('New criteria, one per line', 'ratingd')]
      : [__('Reactions', 'ratingd'), __('New reactions, one per line', 'ratingd')];
    const instructions = unknown.length
      ? lostNames(unknown)
      : isInPattern(clientId)
        ? __(
            'This pattern has no criteria or reactions yet. Edit the pattern to choose criteria or reactions.',
            'ratingd',
          )
        : __(
            'Choose what visitors may rate here. Visitors will not see this block until you make a selection.',
            'ratingd',
          );
    return h(
      components.Placeholder,
      {label: title, icon: icons[group], instructions},
      problem && h(Notice, {status: 'error', isDismissible: false}, problem),
      hasNames &&
        h(
          components.Button,
          {variant: 'primary', onClick: () => setAttributes({facets: namesOf(group).join(', ')})},
          __('Use all names from the site', 'ratingd'),
        ),
      given.namesPage
        ? h(
            'div',
            {style: {width: '100%'}},
            control('TextareaControl', label, text, setText, {rows: 3}),
            h(components.Button, {variant: 'secondary', onClick: create}, __('Create', 'ratingd')),
          )
        : !hasNames &&
            h(
              'p',
              null,
              __(
                'Ask an administrator to create criteria or reactions under Ratings → Criteria and reactions.',
                'ratingd',
              ),
            ),
    );
  };

  // Shows a notice above the post while a group has no names. The post can still be saved, because
  // visitors do not see an empty group. Do not lock saving, because a lock would also prevent the author
  // from saving changes to the text, and Ctrl+S bypasses the lock in some versions of WordPress. No
  // notice is shown for groups in synced patterns, because their names are chosen in the pattern's
  // editor.
  const useNotice = (isEmpty, group, clientId) => {
    const {dispatch, select} = wp.data;
    useEffect(() => {
      // Ignore blocks in previews, which are not part of the post.
      if (!isEmpty || !select('core/block-editor').getBlock(clientId) || isInPattern(clientId)) return;
      const id = `ratingd-${clientId}`;
      const text = {
        criteria: __('A block has no criteria yet, so visitors do not see this block.', 'ratingd'),
        reactions: __('A block has no reactions yet, so visitors do not see this block.', 'ratingd'),
      };
      const show = {
        label: __('Show the block', 'ratingd'),
        onClick: () => dispatch('core/block-editor').selectBlock(clientId),
      };
      dispatch('core/notices').createWarningNotice(text[group], {id, isDismissible: false, actions: [show]});
      return () => dispatch('core/notices').removeNotice(id);
    }, [isEmpty, group, clientId]);
  };

  // Returns the reasons why visitors' votes would fail.
  const problemsOf = ({group, category, template}, list) => {
    const kind = {criteria: 'scale', reactions: 'binary'}[group] || list.find(({slug}) => slug === template)?.category;
    return [...given.general, ...(given.problems[kind || category] || [])];
  };

  const RatingEdit = ({attributes, setAttributes, context, clientId}) => {
    const list = useTemplates();
    const {group} = attributes;
    const {css, html, sample, error} = usePreview(attributes, context.postId);
    const isOfPost = attributes.objectId || context.postId;
    const {known, unknown} = divide(attributes.facets);
    const isEmpty = group !== '' && known.length === 0;
    useNotice(isEmpty && unknown.length === 0, group, clientId);
    const lead = attributes.text || given.text;
    const look = attributes.color && {style: {'--ratingd-color': attributes.color}};
    const shown = html && window.ratingdSample(group, known.map(aboutName), html, given.words);
    const preview = () => [
      lead && h('div', {className: 'ratingd-text', key: 'text'}, lead),
      h(
        'div',
        {...look, key: 'widget'},
        error
          ? h(Notice, {status: 'warning', isDismissible: false}, error)
          : h('div', {ref: makeInert, dangerouslySetInnerHTML: {__html: shown || '&nbsp;'}}),
      ),
      sample &&
        h(
          'div',
          {key: 'sample', style: {marginTop: '4px', fontSize: '12px', lineHeight: 1.4, opacity: 0.75}},
          isOfPost ? __('Sample: nobody has rated this yet.', 'ratingd') : __('Sample', 'ratingd'),
        ),
    ];
    return h(
      Fragment,
      null,
      h(
        InspectorControls,
        null,
        group && h(NamesPanel, {attributes, setAttributes}),
        !isEmpty && h(WidgetPanel, {attributes, setAttributes, list}),
        h(ObjectPanel, {attributes, setAttributes}),
      ),
      h(
        'div',
        useBlockProps(),
        css && h('style', null, css),
        isEmpty ? h(NamesForm, {group, unknown, setAttributes, clientId}) : preview(),
        problemsOf(attributes, list).map((text) =>
          h(Notice, {key: text, status: 'warning', isDismissible: false}, text),
        ),
      ),
    );
  };

  // Returns a block variation. The icon and the template have the same name as the block variation.
  const variation = (name, title, category) => ({
    name,
    title,
    icon: icons[name],
    attributes: {category, template: 'simple/' + name, group: ''},
    scope: ['inserter', 'transform'],
    isActive: ['template', 'group'],
  });
  const group = (name, title, attributes) => ({
    name,
    title,
    icon: icons[name],
    // A new block contains some of the site's names, so that the block is not empty.
    attributes: {group: name, facets: namesOf(name).slice(0, 5).join(', '), ...attributes},
    scope: ['inserter', 'transform'],
    isActive: ['group'],
  });

  blocks.registerBlockType('ratingd/rating', {
    icon: icons.rating,
    edit: RatingEdit,
    save: () => null,
    variations: [
      variation('stars', __('Star rating', 'ratingd'), 'scale'),
      variation('slider', __('Rating slider', 'ratingd'), 'scale'),
      variation('distribution', __('Stars with distribution', 'ratingd'), 'scale'),
      variation('heart', __('Like button', 'ratingd'), 'binary'),
      variation('thumbs', __('Thumbs up and down', 'ratingd'), 'bipolar'),
      group('criteria', __('Criteria', 'ratingd'), {category: 'scale', template: 'simple/stars'}),
      group('reactions', __('Reactions', 'ratingd'), {category: 'binary', template: 'simple/heart'}),
    ],
  });

  // --- Top rated --------------------------------------------------------------------------------------

  const metrics = {average: __('Average', 'ratingd'), total: __('Number of ratings', 'ratingd')};
  // Only up and down votes have a score.
  const metricsOf = (category) =>
    category === 'bipolar' ? {...metrics, score: __('Score (up − down)', 'ratingd')} : metrics;
  const periods = {
    all: __('All time', 'ratingd'),
    year: __('Last 365 days', 'ratingd'),
    month: __('Last 30 days', 'ratingd'),
    week: __('Last 7 days', 'ratingd'),
    day: __('Today', 'ratingd'),
  };
  const layouts = {list: __('List', 'ratingd'), cards: __('Cards', 'ratingd')};
  // Limits an entered number to the range 1 to "most".
  const limited = (value, most) => Math.max(1, Math.min(most, Math.round(value) || 1));

  const anyKind = {'': __('Most used', 'ratingd'), ...kinds};

  const TopPanel = ({attributes, setAttributes}) => {
    const {metric, period, category, type, number, minimum, layout} = attributes;
    const set = (name) => (value) => setAttributes({[name]: value});
    const setNumber = (name, most) => (value) => setAttributes({[name]: limited(value, most)});
    // Keep the text that the user is typing, even if it is not a number.
    const [typed, setTyped] = useState();
    const typeMinimum = (value) => {
      setTyped(value);
      if (value >= 1) setNumber('minimum', 1000)(value);
    };
    const onBlur = () => setTyped();
    const setCategory = (value) =>
      setAttributes({category: value, ...(!metricsOf(value)[metric] && {metric: 'average'})});
    const leastLabel = __('Minimum number of ratings', 'ratingd');
    return h(
      PanelBody,
      {title: __('List', 'ratingd'), className: 'ratingd-settings'},
      choice(__('Order by', 'ratingd'), metric, metricsOf(category), set('metric')),
      choice(__('Period', 'ratingd'), period, periods, set('period')),
      choice(__('Kind of rating', 'ratingd'), category, anyKind, setCategory),
      choice(__('Post type', 'ratingd'), type, given.types, set('type')),
      control('RangeControl', __('Number of posts', 'ratingd'), number, setNumber('number', 50), {min: 1, max: 50}),
      control('TextControl', leastLabel, typed ?? minimum, typeMinimum, {
        type: 'number',
        min: 1,
        max: 1000,
        onBlur,
      }),
      choice(__('Layout', 'ratingd'), layout, layouts, set('layout')),
    );
  };

  const TopEdit = ({attributes, setAttributes}) => {
    const {metric, period, category, type, number, minimum, layout} = attributes;
    // Pass only the attributes of the list to the preview. Other attributes of the block, such as margins, apply to the
    // element around the list. Reuse the preview element until an attribute of the list changes. In WordPress 6.1, a
    // new preview element would cancel the pending request for the list.
    const list = useMemo(
      () =>
        h(wp.serverSideRender, {
          block: 'ratingd/top',
          attributes: {metric, period, category, type, number, minimum, layout},
        }),
      [metric, period, category, type, number, minimum, layout],
    );
    return h(
      Fragment,
      null,
      h(InspectorControls, null, h(TopPanel, {attributes, setAttributes})),
      h('div', useBlockProps(), h('div', {ref: makeInert}, list)),
    );
  };

  blocks.registerBlockType('ratingd/top', {icon: icons.top, edit: TopEdit, save: () => null});

  // --- My ratings --------------------------------------------------------------------------------------

  const MineEdit = () =>
    h(
      'div',
      useBlockProps(),
      h(components.Placeholder, {
        label: __('My ratings', 'ratingd'),
        icon: icons.rating,
        instructions: __('Each visitor sees links to the content that they have rated.', 'ratingd'),
      }),
    );

  blocks.registerBlockType('ratingd/mine', {icon: icons.rating, edit: MineEdit, save: () => null});

  // --- Query Loop -------------------------------------------------------------------------------------

  const withOrder = compose.createHigherOrderComponent(
    (BlockEdit) => (props) => {
      if (props.name !== 'core/query' || props.attributes.query?.inherit) return h(BlockEdit, props);
      const {query} = props.attributes;
      const isOn = query.orderBy === 'ratingd';
      // If "kind" is empty, omit ratingd_category, because the REST API would reject an empty value.
      const order = (orderBy, kind) =>
        props.setAttributes({query: {...query, orderBy, order: 'desc', ratingd_category: kind || undefined}});
      return h(
        Fragment,
        null,
        h(BlockEdit, props),
        h(
          InspectorControls,
          null,
          h(
            PanelBody,
            {title: __('Ratings', 'ratingd'), className: 'ratingd-settings'},
            control(
              'ToggleControl',
              __('Order by rating', 'ratingd'),
              isOn,
              (on) => order(on ? 'ratingd' : 'date'),
              {
                help: __(
                  'Shows the best-rated posts first and posts without ratings last. The block’s own order is ignored.',
                  'ratingd',
                ),
              },
            ),
            isOn &&
              choice(__('Kind of rating', 'ratingd'), query.ratingd_category || '', anyKind, (kind) =>
                order('ratingd', kind),
              ),
          ),
        ),
      );
    },
    'withRatingOrder',
  );
  hooks.addFilter('editor.BlockEdit', 'ratingd/order', withOrder);
})(window.wp, window.ratingdBlocks);
