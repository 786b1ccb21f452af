/** What is suggested can be pasted: names in it are words, and nothing in them is executed. Source: decision D1591. */
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { commands } from '../../../src/cli/input/commands.ts'
import { command, refusal, scene } from '../../support/cli/cli-scene.ts'
import { program } from '../../support/cli/program.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

const NAMES = [
  'a$(touch PWNED)',
  'b`touch PWNED`',
  'c d\'e"f',
  'g;touch PWNED;',
  'h&touch PWNED|x>PWNED',
  'i*{x,y}~$HOME'
]
const known = new Set(commands.map(({ name }) => name))

/** Has bash execute each command that a text suggests. @returns the words with which `troupe` was started, in the order of the text */
function pasted(text: string): string[][] {
  const folder = temporaryFolder()
  const [bin, cwd] = [join(folder, 'bin'), join(folder, 'cwd')]
  for (const path of [bin, cwd]) mkdirSync(path)
  writeFileSync(
    join(bin, 'troupe'),
    `#!/bin/sh\nprintf '%s\\0' "$@" >> '${folder}/got'\nprintf '\\n' >> '${folder}/got'\n`
  )
  chmodSync(join(bin, 'troupe'), 0o755)
  for (const part of text.split(/(?=\btroupe )/).filter((part) => known.has(part.split(' ')[1] ?? ''))) {
    const line = part.replace(/(\)| lists them| removes it| shows that\)?)*\n?$/, '')
    execFileSync('bash', ['-c', line], {
      cwd,
      env: { PATH: `${bin}:${process.env.PATH}`, HOME: folder },
      stdio: 'ignore'
    })
  }
  expect(readdirSync(cwd), text).to.deep.equal([])
  const got = existsSync(join(folder, 'got')) ? readFileSync(join(folder, 'got'), 'utf8') : ''
  return got
    .split('\0\n')
    .slice(0, -1)
    .map((words) => words.split('\0'))
}

describe('command line › suggested commands', () => {
  for (const name of NAMES)
    it(`are pasted as they are: ${name}`, async () => {
      const { here } = scene()
      expect(pasted(await refusal('versions', here, name, '--show', 'x'))).to.deep.equal([['versions', name]])
    })
  it('an editor gets the path of a definition as one word', async () => {
    for (const name of ["a b'c", 'd$(touch PWNED)', 'e"f`touch PWNED`', 'g;touch PWNED;']) {
      const folder = temporaryFolder()
      mkdirSync(join(folder, 'home', 'dags'), { recursive: true })
      writeFileSync(join(folder, 'editor'), `#!/bin/sh\nprintf '%s\\0' "$@" > '${folder}/got'\n`)
      chmodSync(join(folder, 'editor'), 0o755)
      const path = join(folder, `${name}.yaml`)
      writeFileSync(path, 'steps:\n  - command: "true"\n')
      const tmp = join(folder, `tmp ${name}`)
      mkdirSync(tmp)
      const environment = { ENGINE_HOME: join(folder, 'home'), EDITOR: join(folder, 'editor'), TMPDIR: tmp }
      const { code, written } = program(folder, environment, 'edit', path)
      await code
      const [first = '', ...more] = readFileSync(join(folder, 'got'), 'utf8').split('\0')
      expect(more, written.err).to.deep.equal([''])
      expect(first.startsWith(tmp) || first === path, first).to.equal(true)
      expect(readdirSync(folder)).to.not.include('PWNED')
    }
  })
  it('the address that open leaves to the desktop is one word of no shell', async () => {
    const folder = temporaryFolder()
    for (const opener of ['xdg-open', 'open']) {
      writeFileSync(
        join(folder, opener),
        `#!/bin/sh\nprintf '%s\\0' "$@" > '${folder}/got.part'; mv '${folder}/got.part' '${folder}/got'\n`
      )
      chmodSync(join(folder, opener), 0o755)
    }
    const url = `http://127.0.0.1:1/$(touch ${folder}/PWNED);'"x y`
    const { here } = scene({ columns: 80, rows: 24 })
    const { PATH } = process.env
    process.env.PATH = `${folder}:${PATH}`
    try {
      expect(await command('open', Object.assign(here, { remote: { url, baseUrl: url } }))).to.equal(0)
    } finally {
      process.env.PATH = PATH
    }
    await eventually('the desktop is asked', () => existsSync(join(folder, 'got')) || undefined)
    expect(readFileSync(join(folder, 'got'), 'utf8')).to.equal(`${url}/\0`)
    expect(readdirSync(folder)).to.not.include('PWNED')
  })
})
