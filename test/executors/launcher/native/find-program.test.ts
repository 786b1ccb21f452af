/** Which file a name means: what a folder of PATH holds against the search. Source: execution-semantics 4.1. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { programFinder } from '../../../../src/executors/launcher/native/find-program.ts'
import { temporaryFolder } from '../../../support/homes.ts'

describe('launcher › which file a name means', () => {
  const place = temporaryFolder()
  const folder = (name: string) => {
    mkdirSync(join(place, name))
    return join(place, name)
  }
  const closed: string[] = []
  const close = (path: string) => {
    closed.push(path)
    chmodSync(path, 0)
  }
  after(() => {
    for (const path of closed) chmodSync(path, 0o700)
  })
  /** As a user who is not root, whom every folder is open to. */
  function asUser<T>(work: () => T): T {
    if (process.getuid?.() !== 0) return work()
    process.seteuid?.('nobody')
    try {
      return work()
    } finally {
      process.seteuid?.(0)
    }
  }

  it('the first that may be executed; a folder that cannot be looked into is passed over', () => {
    const good = folder('good')
    writeFileSync(join(good, 'tool'), '', { mode: 0o755 })
    chmodSync(place, 0o755)
    const loop = folder('loop')
    symlinkSync('tool', join(loop, 'tool'))
    const others = folder('of-others')
    close(others)
    const path = [others, loop, join(good, 'tool'), `/${'long'.repeat(2_000)}`, join(place, 'none'), good].join(':')
    const find = programFinder()
    for (const name of ['tool', 'no-such'])
      expect(asUser(() => find(name, path, place))).to.equal(name === 'tool' ? join(good, 'tool') : '')
  })
  it('a shell that is known is looked for again when its folder has been closed', () => {
    const first = folder('first')
    const second = folder('second')
    for (const at of [first, second]) writeFileSync(join(at, 'sh'), '', { mode: 0o755 })
    const find = programFinder()
    const path = `${first}:${second}`
    expect(asUser(() => find('sh', path, place))).to.equal(join(first, 'sh'))
    close(first)
    expect(asUser(() => find('sh', path, place))).to.equal(join(second, 'sh'))
  })
})
