/** Secrets stay out of texts that become command lines and scripts. Source: execution-semantics 3.3.3. */
import { expect } from 'chai'
import type { Lookup } from '../../../src/definition/text/lookup.ts'
import { expandField, expandRawText, expandShellText, withVariables } from '../../../src/definition/text/variables.ts'

const values: Record<string, string> = { PLAIN: 'plain', OUT: 'a-s3cr3t', JSON: '{"a": "s3cr3t", "b": "plain"}' }
const look: Lookup = {
  variable: (name) => values[name],
  isSecret: (value) => value.includes('s3cr3t'),
  substitute: async (command) => (command.includes('leak') ? 's3cr3t' : `<${command}>`)
}
const failure = (expanded: Promise<string>): Promise<string> =>
  expanded.then(
    (text) => `no failure: ${text}`,
    ({ message }: Error) => message
  )

describe('variables › secrets (3.3.3)', () => {
  it('a shell finds a variable that holds a secret in its environment: the reference stays', async () => {
    const text = 'echo $OUT "${OUT} ${PLAIN}" $(echo ${OUT}) <<E\n$OUT\nE\n'
    expect(await expandShellText(text, look)).to.equal(text.replace('${PLAIN}', 'plain'))
  })

  it('it stays in a backtick command too, whose shell has it in the environment', async () => {
    expect(await expandField('`echo ${OUT} ${PLAIN}`', look)).to.equal('<echo ${OUT} plain>')
  })

  it('a part of a JSON value that is no secret is put in', async () => {
    expect(await expandShellText('echo ${JSON.b}', look)).to.equal('echo plain')
  })

  it('where the shell could not put it in, it is an error that names the reference and how to fix it', async () => {
    const mend = 'holds a secret, which cannot be put into a command line or script: set an `env` entry'
    for (const [text, written] of [
      ['echo ${JSON.a}', '${JSON.a}'],
      ["echo '-$OUT-'", '$OUT'],
      ["echo $'-$OUT-'", '$OUT'],
      ["cat <<'E'\n${OUT}\nE\n", '${OUT}'],
      ['echo `leak`', '`leak`']
    ] as const) {
      const message = await failure(expandShellText(text, look))
      expect(message, text).to.contain(`${written} ${mend}`)
      expect(message).to.not.contain('s3cr3t')
    }
    expect(await failure(expandRawText('print("${OUT}")', look))).to.contain(`\${OUT} ${mend}`)
    expect(await failure(expandRawText('print("`leak`")', look))).to.contain(`\`leak\` ${mend}`)
  })

  it('fields that no other process reads hold the value', async () => {
    expect(await expandField('${OUT} ${JSON.a}', look)).to.equal('a-s3cr3t s3cr3t')
    expect(await expandShellText('$OUT', withVariables(look, new Map([['X', 'y']]), new Set()))).to.equal('$OUT')
  })
})
