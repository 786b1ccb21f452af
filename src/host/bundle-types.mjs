/** Makes `dist/types/`: the declarations that a host sees, and those that they need, once for modules and once for CommonJS. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'

const SPECIFIER = /(\bfrom |\bimport\(|\bimport )(['"])(\.{1,2}\/[^'"]+?)\.(?:js|ts)\2/g

// D1097: declarations ship twice, and only those that a host sees
/** @param doors modules below `dist/src/` @param dist the folder `dist/` */
export async function writeTypes(doors, dist) {
  const found = new Map()
  const wanted = doors.map((door) => join(dist, 'src', door))
  for (const module of wanted) {
    if (found.has(module)) continue
    // The contract of the API is nested deeply: without its indentation it is half as long.
    const text = (await readFile(`${module}.d.ts`, 'utf8'))
      .replace(/^\/\/# sourceMappingURL=.*$/m, '')
      .replace(/^ +(?!\*)/gm, '')
    found.set(module, text)
    for (const [, , , path] of text.matchAll(SPECIFIER)) wanted.push(join(dirname(module), path))
  }
  const target = join(dist, 'types')
  await rm(target, { recursive: true, force: true })
  for (const [kind, type] of Object.entries({ esm: 'module', cjs: 'commonjs' })) {
    for (const [module, text] of found) {
      const file = join(target, kind, `${relative(dist, module)}.d.ts`)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, text.replace(SPECIFIER, '$1$2$3.js$2'))
    }
    await writeFile(join(target, kind, 'package.json'), `{"type":"${type}"}\n`)
  }
}
