/** What a job finds in its environment: exactly what was asked for. Source: architecture 4, reliability 3.1. */
import { expect } from 'chai'
import fc from 'fast-check'
import { ENVIRONMENT, launcherBench } from '../../support/executors/launched.ts'
import { ofAll } from '../../support/long.ts'

describe('launcher › environment', () => {
  const { launched } = launcherBench()

  describe('environment exactly as asked', () => {
    const environmentOf = async (env: Record<string, string>) => {
      const { stdout, stderr } = await launched({ argv: ['/usr/bin/env', '-0'], env })
      expect(stderr).to.equal('')
      const entries = stdout.split('\0').slice(0, -1)
      const found = entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)])
      // A bash that serves as sh counts itself in SHLVL.
      return Object.fromEntries(found.filter(([name = '']) => name in env || name !== 'SHLVL'))
    }

    const USED_BY_SHELLS =
      'IFS OPTIND PPID UID PS1 PS4 PATH HOME MAIL ENV LINENO PWD OLDPWD RANDOM SHLVL _ stat code stdout job state signaled'.split(
        ' '
      )

    it('names that a shell would not take, such as 1, and names that a shell uses itself', async () => {
      const env: Record<string, string> = { '1': 'one', 'a.b': 'dot', 'a b': 'blank', 'x-y': 'dash', "q'": 'quote' }
      for (const name of USED_BY_SHELLS) env[name] = `value of ${name}`
      expect(await environmentOf(env)).to.deep.equal(env)
    })

    it('nothing but what was asked for', async () => {
      expect(await environmentOf({})).to.deep.equal({})
      expect(await environmentOf({ LC_TROUPE: ENVIRONMENT.LC_TROUPE })).to.deep.equal({
        LC_TROUPE: ENVIRONMENT.LC_TROUPE
      })
    })

    const wellFormed = (text: string) => Buffer.from(text).toString() === text

    it('property: any value arrives unchanged under any name', async () => {
      const text = fc.string({ unit: 'grapheme', maxLength: 40 }).map((value) => value.replaceAll('\0', ''))
      const nasty = fc.string({
        unit: fc.constantFrom(
          "'",
          '"',
          '\\',
          '$',
          '`',
          '\n',
          ' ',
          '!',
          ';',
          '&',
          '|',
          '(',
          '*',
          '=',
          '\u0001',
          '\u0081'
        ),
        maxLength: 30
      })
      const name = fc
        .oneof(fc.stringMatching(/^[A-Za-z_]\w{0,10}$/), fc.stringMatching(/^[^=\0]{1,8}$/))
        .filter((name) => wellFormed(name))
      await fc.assert(
        fc.asyncProperty(
          fc.dictionary(name, fc.oneof(text, nasty).filter(wellFormed), { maxKeys: 8 }),
          async (given) => {
            const env = { ...given } // a null prototype differs
            expect(await environmentOf(env)).to.deep.equal(env)
          }
        ),
        { numRuns: ofAll(25, 100) }
      )
    })
  })
})
