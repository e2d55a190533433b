extension ProfilePage {
  /// The page's style sheet. The colours of phases are those of Okabe and Ito, which colour-blind people can tell apart, and a brown;
  /// late frames have a mark besides their colour.
  static let style = #"""
    :root {
      --paper: #ffffff; --card: #ffffff; --ink: #1b1f24; --soft: #5b6570; --line: #dde2e7; --faint: #f4f6f8;
      --late: #b93a00; --good: #00664b; --mark: #1b1f24; --budget: #1b1f24;
      --phase-0: #7f4f24; --phase-1: #0072b2; --phase-2: #e69f00; --phase-3: #009e73; --phase-4: #3d444b; --phase-5: #e3d324;
      --phase-6: #cc79a7; --phase-7: #56b4e9; --phase-8: #8b939c;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --paper: #14171b; --card: #1b1f24; --ink: #e8ebee; --soft: #9aa5b1; --line: #333a42; --faint: #22272d;
        --late: #ff8f66; --good: #5fd3ae; --mark: #ffffff; --budget: #e8ebee;
        --phase-0: #c08552; --phase-1: #3f93d6; --phase-2: #f0ae2e; --phase-3: #25b88c; --phase-4: #c9ced4; --phase-5: #f0e442;
        --phase-6: #d993bb; --phase-7: #9ad5f7; --phase-8: #7d8791;
      }
    }
    * { box-sizing: border-box; }
    html { color-scheme: light dark; -webkit-text-size-adjust: 100%; }
    body {
      margin: 0; background: var(--paper); color: var(--ink);
      font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; font-variant-numeric: tabular-nums;
    }
    main { max-width: 1120px; margin: 0 auto; padding: 32px 24px 64px; }
    header p { margin: 0; color: var(--soft); overflow-wrap: anywhere; }
    h1 { margin: 4px 0 0; font-size: 28px; line-height: 1.25; font-weight: 600; letter-spacing: -0.01em; text-wrap: balance; }
    h1::first-letter, .verdict li::first-letter { text-transform: uppercase; }
    .verdict { max-width: 72ch; margin: 12px 0 0; padding-left: 18px; font-size: 16px; text-wrap: pretty; }
    .verdict li { padding-left: 2px; margin-top: 4px; }
    .verdict li::marker { color: var(--soft); }
    h2 { margin: 0; font-size: 17px; line-height: 1.4; font-weight: 600; }
    section { margin-top: 40px; }
    section > h2 + * { margin-top: 12px; }
    p.note { margin: 8px 0 0; color: var(--soft); font-size: 13px; }

    .tiles { display: flex; flex-wrap: wrap; gap: 1px; margin: 24px 0 0;
      border: 1px solid var(--line); border-radius: 8px; background: var(--line); overflow: hidden; }
    .tiles > div { flex: 1 1 132px; padding: 12px 16px; background: var(--card); }
    .tiles dt { color: var(--soft); font-size: 13px; }
    .tiles dd { margin: 0; font-size: 20px; font-weight: 600; white-space: nowrap; }
    .tiles dd small { font-size: 13px; font-weight: 400; color: var(--soft); }
    .bad { color: var(--late); }

    .bar { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; justify-content: space-between; }
    .buttons { display: flex; flex-wrap: wrap; gap: 6px; }
    button { min-width: 36px; min-height: 36px; padding: 0 10px; border: 1px solid var(--line); border-radius: 6px;
      background: var(--card); color: var(--ink); font: inherit; font-size: 14px; white-space: nowrap;
      cursor: pointer; }
    button:hover:enabled { background: var(--faint); }
    button:disabled { color: var(--soft); opacity: 0.6; cursor: default; }
    :focus-visible { outline: 2px solid var(--phase-1); outline-offset: 2px; }
    .chart { position: relative; margin-top: 12px; border: 1px solid var(--line); border-radius: 8px; background: var(--card); }
    .chart canvas { display: block; width: 100%; border-radius: 8px; }
    #chart { height: 300px; cursor: grab; touch-action: pan-y; }
    #chart:active { cursor: grabbing; }
    #cursor { position: absolute; inset: 0; height: 300px; pointer-events: none; }
    #overview { height: 56px; margin-top: 6px; border: 1px solid var(--line); border-radius: 8px; background: var(--card);
      display: block; width: 100%; cursor: pointer; touch-action: pan-y; }
    #range { margin: 8px 0 0; color: var(--soft); font-size: 13px; min-height: 1.5em; }
    .legend { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 8px 0 0; padding: 0; list-style: none; font-size: 13px; }
    .swatch { display: inline-block; width: 10px; height: 10px; margin-right: 7px; border-radius: 2px; }
    .swatch.late { width: 0; height: 0; border: 5px solid transparent; border-top: 9px solid var(--late); border-bottom: 0;
      border-radius: 0; background: none; }

    #frame { margin-top: 12px; padding: 14px 16px 16px; border: 1px solid var(--line); border-radius: 8px; background: var(--card); }
    #frame h3 { margin: 0 0 10px; font-size: 15px; font-weight: 600; }
    #frame .columns { display: grid; grid-template-columns: 3fr 2fr; gap: 8px 40px; }
    #frame dl { display: grid; grid-template-columns: 1fr auto; gap: 2px 16px; margin: 0; align-content: start; }
    #frame dt { color: var(--soft); }
    #frame dd { margin: 0; text-align: right; white-space: nowrap; }
    .phase { display: grid; grid-template-columns: 104px 72px 1fr; gap: 0 12px; align-items: center; min-height: 24px; }
    .phase > :nth-child(2) { text-align: right; white-space: nowrap; }
    .track { height: 8px; border-radius: 4px; background: var(--faint); overflow: hidden; }
    .track > span { display: block; height: 100%; border-radius: 4px; min-width: 1px; }

    .scroll { overflow-x: auto; }
    table { width: 100%; border-collapse: collapse; }
    th { color: var(--soft); font-weight: 400; font-size: 13px; }
    th, td { padding: 7px 0 7px 20px; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
    th:first-child, td:first-child { padding-left: 0; text-align: left; }
    th.text, td.text { text-align: left; }
    tr.total td { font-weight: 600; }
    td.share { width: 30%; min-width: 120px; }

    #worst { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(440px, 100%), 1fr)); gap: 12px; padding: 0;
      margin-bottom: 0; list-style: none; }
    #worst li { min-width: 0; padding: 12px 16px 16px; border: 1px solid var(--line); border-radius: 8px; background: var(--card); }
    #worst h3 { display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: center; margin: 0; font-size: 15px; font-weight: 600; }
    #worst p.note { margin-top: 4px; }
    #worst .parts { display: grid; grid-template-columns: 176px 1fr; gap: 12px 20px; margin-top: 12px; }
    #worst dl { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 2px 12px; margin: 0; align-content: start; }
    #worst dt { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    #worst dt.all { grid-column: 1 / -1; color: var(--soft); white-space: normal; }
    #worst dd { margin: 0; text-align: right; white-space: nowrap; }
    .damage { display: block; width: 100%; max-height: 176px; border: 1px solid var(--line); background: var(--faint); }
    .damage rect { fill: var(--phase-1); fill-opacity: 0.4; stroke: var(--phase-1); stroke-width: 1.5px; vector-effect: non-scaling-stroke; }

    .histogram { position: relative; display: flex; align-items: flex-end; gap: 2px; height: 170px; margin: 34px 0 0 44px;
      border-bottom: 1px solid var(--soft); }
    .histogram > span { flex: 1 1 0; min-width: 1px; border-radius: 2px 2px 0 0; background: var(--phase-1); }
    .histogram > span.over { background: var(--late); }
    .histogram > i { position: absolute; top: -12px; bottom: 0; width: 0; border-left: 1px dashed var(--ink); }
    .histogram > i b { position: absolute; top: -20px; left: -1px; padding-right: 4px; font: 400 12px/1.5 inherit; font-size: 12px;
      font-style: normal; font-weight: 400; white-space: nowrap; color: var(--ink); }
    .histogram > i.left b { left: auto; right: 1px; padding: 0 4px 0 0; }
    .histogram > em { position: absolute; left: -44px; right: 0; height: 0; border-top: 1px solid var(--line); font-style: normal; z-index: -1; }
    .histogram > em b { position: absolute; top: -20px; left: 0; font-size: 12px; font-weight: 400; color: var(--soft); }
    .axis { margin-left: 44px; display: flex; justify-content: space-between; color: var(--soft); font-size: 13px; margin-top: 4px; }

    dl.facts { display: grid; grid-template-columns: minmax(120px, max-content) 1fr; gap: 6px 24px; margin-bottom: 0; }
    dl.facts dt { color: var(--soft); }
    dl.facts dd { margin: 0; overflow-wrap: anywhere; }
    details { margin-top: 10px; color: var(--soft); font-size: 13px; }
    summary { cursor: pointer; }
    kbd { padding: 0 5px; border: 1px solid var(--line); border-radius: 4px; font: inherit; font-size: 12px; color: var(--ink); }
    [hidden] { display: none !important; }

    @media (max-width: 640px) {
      main { padding: 20px 16px 48px; }
      h1 { font-size: 22px; }
      section { margin-top: 32px; }
      #chart, #cursor { height: 240px; }
      #frame .columns { grid-template-columns: 1fr; }
      .phase { grid-template-columns: 108px 72px 1fr; }
      #worst .parts { grid-template-columns: 1fr; }
      .damage { max-width: 280px; }
      dl.facts { grid-template-columns: 1fr; gap: 0; }
      dl.facts dd { margin-bottom: 8px; }
      th, td { padding-left: 14px; }
      td.share { min-width: 88px; }
      button { min-width: 40px; min-height: 40px; }
    }
    @media print { .buttons, #overview, details { display: none; } }
    """#
}
