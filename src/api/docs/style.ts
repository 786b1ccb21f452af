/** Style sheet of the page: readable in light and dark, on paper and on a phone. */
export const DOCS_STYLE = `:root { color-scheme: light dark; --line: light-dark(#ccc, #555); --soft: light-dark(#f4f4f4, #222) }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 90rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; display: grid;
  grid-template-columns: 18rem minmax(0, 1fr); gap: 0 2rem }
header { grid-column: 1 / -1 }
nav { font-size: .85rem; max-height: 100vh; overflow: auto; position: sticky; top: 0 }
nav ul { list-style: none; padding-left: .75rem; margin: 0 }
nav > ul { padding-left: 0 }
nav a { overflow-wrap: anywhere }
article { border-top: 1px solid var(--line); padding: .5rem 0 1rem }
article:target { background: var(--soft) }
h3 { margin: .5rem 0; font-size: 1rem; overflow-wrap: anywhere }
h4 { margin: .75rem 0 .25rem; font-size: .9rem }
.method { display: inline-block; min-width: 4.5rem; font-weight: 700 }
code { background: var(--soft); padding: 0 .2rem; border-radius: .2rem; overflow-wrap: anywhere }
table { border-collapse: collapse; width: 100%; font-size: .9rem }
th, td { border: 1px solid var(--line); padding: .2rem .5rem; text-align: left; vertical-align: top }
dl { display: grid; grid-template-columns: 3.5rem minmax(0, 1fr); margin: 0 }
dt { font-weight: 700 }
dd { margin: 0 }
@media (max-width: 60rem) { body { display: block } nav { position: static; max-height: none } }
@media print { nav { display: none } body { display: block } }
`
