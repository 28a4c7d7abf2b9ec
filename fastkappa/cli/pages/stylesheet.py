"""The style sheet of HTML pages, light and dark, for large screens, phones and print."""

from __future__ import annotations

# The colour of text in each colour scheme, also used in plots.
INK = {"light": "#1a1c20", "dark": "#e9eaec"}
# The background colour in each colour scheme, also used in plots.
PAPER = {"light": "#ffffff", "dark": "#15171b"}

# All text has a contrast of at least 7:1 (WCAG 2). On a phone, plots keep their size and scroll, so
# that their text is readable. A caption can be wider than its table, but not wider than the page.
STYLE = f"""\
:root{{color-scheme:light dark;--ink:{INK["light"]};--paper:{PAPER["light"]};--quiet:#464a51;\
--rule:#c9ccd2;--stripe:#f4f5f7}}
@media screen and (prefers-color-scheme:dark){{:root{{--ink:{INK["dark"]};--paper:{PAPER["dark"]};\
--quiet:#c0c4cb;--rule:#454a53;--stripe:#1e2126}}}}
*{{box-sizing:border-box}}
body{{margin:0;background:var(--paper);color:var(--ink);\
font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}}
main{{max-width:78rem;margin:0 auto;padding:1.5rem 1rem 3rem}}
h1{{font-size:1.6rem;line-height:1.25;margin:0 0 .25rem}}
h2{{font-size:1.2rem;margin:2rem 0 .5rem;padding-top:.75rem;border-top:1px solid var(--rule)}}
h1,h2,p,li,th,td{{overflow-wrap:anywhere;unicode-bidi:plaintext}}
p{{margin:.5rem 0;max-width:46rem}}
p.quiet,footer{{color:var(--quiet)}}
p.warning{{border-left:.25rem solid #b35900;padding-left:.75rem}}
ul{{margin:.5rem 0;padding-left:1.25rem}}
.wide{{overflow-x:auto;margin:1rem 0}}
.wide:focus-visible{{outline:2px solid var(--ink)}}
table{{border-collapse:collapse;width:max-content;font-variant-numeric:tabular-nums}}
caption{{text-align:left;color:var(--quiet);padding-bottom:.35rem;\
max-width:min(46rem,calc(100vw - 4rem));margin-right:-46rem}}
th,td{{padding:.25rem .75rem;text-align:right;vertical-align:baseline;\
border-bottom:1px solid var(--rule)}}
td{{max-width:36rem;overflow-wrap:normal}}
th{{font-weight:600}}
th[scope=row],th.name,thead>tr>:first-child{{text-align:left;padding-left:0}}
th.text,td.text{{text-align:left}}
th[scope=row]{{font-weight:400;white-space:pre-wrap;min-width:3rem;max-width:22rem}}
th[scope=col]{{max-width:14rem;vertical-align:bottom;overflow-wrap:break-word}}
tbody tr{{background:var(--paper)}}
tbody tr:nth-child(even){{background:var(--stripe)}}
@media screen{{.wide th.name,.wide th[scope=row]:last-of-type{{\
position:sticky;left:0;background:inherit}}}}
thead tr{{background:var(--paper)}}
th button{{all:unset;cursor:pointer}}
th button:focus-visible{{outline:2px solid var(--ink)}}
th button::after{{content:"\\a0\\2195";color:var(--quiet)}}
th[aria-sort=ascending] button::after{{content:"\\a0\\2191"}}
th[aria-sort=descending] button::after{{content:"\\a0\\2193"}}
figure{{margin:1rem 0}}
svg{{display:block;max-width:100%;height:auto}}
figcaption{{color:var(--quiet);max-width:46rem}}
svg.dark{{display:none}}
@media screen and (prefers-color-scheme:dark){{svg.light{{display:none}}svg.dark{{display:block}}}}
footer{{margin-top:2.5rem;font-size:.875rem}}
@media screen and (max-width:40rem){{table{{font-size:.875rem}}th,td{{padding:.25rem .3rem}}\
th[scope=row]{{max-width:7rem}}th[scope=row]:nth-last-child(2){{max-width:12rem}}\
th[scope=col]{{max-width:8rem}}td{{max-width:10rem}}svg{{max-width:none}}}}
@media print{{@page{{margin:15mm}}main{{max-width:none;padding:0}}.wide{{overflow:visible}}\
figure,tr,p,li{{break-inside:avoid}}h1,h2,caption{{break-after:avoid}}\
table{{font-size:.8rem;width:auto}}th,td{{padding:.15rem .4rem}}\
table:not(.sortable) th[scope=col]{{min-width:3rem;overflow-wrap:anywhere}}\
th button::after{{content:none}}svg{{max-height:220mm}}}}
"""
