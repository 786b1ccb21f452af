/** Whether what readers are told to install is this package: while it is not published, anybody may take its name in the registry. */
import type { Check } from '../release.ts'

/** Up to the end of a command. */
const WORDS = String.raw`(?:(?:[ \t]|\\\n)+[^\s\x60'"|&;()#]+)*?(?:[ \t]|\\\n)+['"]?`
const INSTALLERS = String.raw`(?:npx|pnpx|bunx|(?:npm|pnpm|yarn|bun)(?:[ \t]+-\S+)*[ \t]+(?:install|i|add|global|exec|x|dlx))`
const PLACES = String.raw`(?:npmjs\.com/package|unpkg\.com|cdn\.jsdelivr\.net/npm|esm\.sh)/`

export const installing: Check = ({ manifest, texts }) => {
  if (manifest.private !== true) return [] // D1636: npm's own mark of a package that is not published
  const found = new RegExp(
    [
      String.raw`\b${INSTALLERS}${WORDS}${manifest.name}(?:@[^\s\x60'"|&;()]+)?(?=[\s\x60'"|&;().,]|$)`,
      String.raw`\b${PLACES}${manifest.name}(?![\w-])`,
      String.raw`"${manifest.name}"\s*:\s*"(?:\*|latest|[\^~<>=v ]*\d)[^"]*"`
    ].join('|'),
    'g'
  )
  return texts.flatMap(({ path, text }) =>
    Array.from(text.matchAll(found), ({ 0: what, index }) => {
      const line = text.slice(0, index).split('\n').length
      return `${path}, line ${line}: wanted the packed file, found "${what}": the name ${manifest.name} in the registry is not ours until package.json is without "private"`
    })
  )
}
