/** `troupe edit`: in the editor of the user, checked before it is saved, and never lost. Source: docs/cli.md. */
import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { called } from '../../support/cli/called.ts'
import { program, runningServer } from '../../support/cli/program.ts'
import { temporaryFolder } from '../../support/homes.ts'

const BEFORE = 'steps:\n  - name: a\n    command: echo before\n'

describe('troupe edit', () => {
  const folder = temporaryFolder()
  let count = 0
  /** A definition, and an editor that runs this text with the copy as `$1`; copies are made below `tmp`. */
  function scene(script: string) {
    const name = `d${++count}`
    const file = join(folder, `${name}.yaml`)
    const editor = join(folder, `${name}.sh`)
    const tmp = temporaryFolder()
    writeFileSync(file, BEFORE)
    writeFileSync(editor, `${script}\n`)
    const environment = { ENGINE_HOME: folder, TMPDIR: tmp, EDITOR: `sh '${editor}'`, DEFINITION: file }
    return {
      name,
      file,
      tmp,
      text: () => readFileSync(file, 'utf8'),
      async edit(more: Record<string, string> = {}, ...argv: string[]) {
        return called(folder, { ...environment, ...more }, 'edit', name, ...argv)
      },
      /** What is kept: folder by folder. */
      kept: () => readdirSync(tmp).filter((entry) => entry.startsWith('troupe-edit-'))
    }
  }
  const keptIn = (err: string) => /what you wrote is kept in (\S+)\n/.exec(err)?.[1] ?? ''

  it('what has no problems is saved as a whole, with the permissions and the link that are there; nothing is left', async () => {
    const at = scene(`sed -i s/before/after/ "$1"`)
    chmodSync(at.file, 0o640)
    symlinkSync(at.file, join(folder, 'link.yaml'))
    expect(await at.edit()).to.deep.equal({ code: 0, out: `${at.name}.yaml is saved\n`, err: '' })
    expect(at.text()).to.contain('echo after')
    expect(statSync(at.file).mode & 0o777).to.equal(0o640)
    expect(at.kept()).to.deep.equal([])
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).to.deep.equal([])
  })
  it('VISUAL comes before EDITOR; an editor may have flags; unchanged text is not saved', async () => {
    const at = scene('exit 9')
    expect(await at.edit({ VISUAL: 'test -f' })).to.deep.equal({
      code: 0,
      out: `${at.name}.yaml was not changed\n`,
      err: ''
    })
    expect(at.kept()).to.deep.equal([])
  })
  it('problems are shown with their lines, nothing is saved, and the text is kept and named', async () => {
    const at = scene(`printf 'steps:\\n  - name: a\\n    comand: echo\\n' > "$1"`)
    const { code, err } = await at.edit()
    expect(code).to.equal(1)
    expect(err).to.contain(`- ${at.name}.yaml:3:`).and.contain('comand').and.contain('is not saved: it has problems')
    expect(at.text()).to.equal(BEFORE)
    expect(readFileSync(keptIn(err), 'utf8')).to.contain('comand')
    expect(statSync(keptIn(err)).mode & 0o077).to.equal(0)
  })
  it('what somebody else has saved meanwhile stays; the text is kept and named', async () => {
    const at = scene('sed -i s/before/mine/ "$1"; sed -i s/before/theirs/ "$DEFINITION"')
    const { code, err } = await at.edit()
    expect(code).to.equal(1)
    expect(err).to.contain('somebody else has saved it meanwhile')
    expect(at.text()).to.contain('theirs')
    expect(readFileSync(keptIn(err), 'utf8')).to.contain('mine')
  })
  it('an editor that fails saves nothing: a text that was written is kept, one that was not is none', async () => {
    const at = scene(`sed -i s/before/half/ "$1"; kill -9 $$`)
    const { code, err } = await at.edit()
    expect([code, at.text()]).to.deep.equal([1, BEFORE])
    expect(readFileSync(keptIn(err), 'utf8')).to.contain('half')
    const none = scene('exit 3')
    const failed = await none.edit()
    expect(failed.err).to.contain('has failed: exit code 3; VISUAL or EDITOR names another one').and.not.contain('kept')
    expect(none.kept()).to.deep.equal([])
    expect((await none.edit({ EDITOR: 'no-such-editor' })).err).to.contain('the editor no-such-editor has failed')
  })
  it('a place that takes no file: nothing is lost', async () => {
    const at = scene('sed -i s/before/after/ "$1"; rm "$DEFINITION"; mkdir "$DEFINITION"')
    const { code, err } = await at.edit()
    expect(code).to.equal(1)
    expect(readFileSync(keptIn(err), 'utf8')).to.contain('after')
  })
  it('--json; a definition that is not there', async () => {
    const at = scene(`sed -i s/before/after/ "$1"`)
    const { code, out } = await at.edit({}, '--json')
    expect([code, JSON.parse(out)]).to.deep.equal([0, { file: `${at.name}.yaml`, saved: true, warnings: [] }])
    const none = program(folder, { ENGINE_HOME: folder, EDITOR: 'true' }, 'edit', 'nobody')
    expect(await none.code).to.equal(1)
    expect(none.written.err).to.contain('found no nobody.yaml')
  })
  it('on a server elsewhere: saved there, refused with its problems, and not over what was saved meanwhile', async () => {
    const there = temporaryFolder()
    writeFileSync(join(there, 'far.yaml'), BEFORE)
    const server = await runningServer({ ENGINE_DAGS_DIR: there }, { folder: there })
    const edit = async (script: string) => {
      const at = scene(script)
      const environment = { ENGINE_HOME: folder, TMPDIR: at.tmp, EDITOR: `sh '${join(folder, `${at.name}.sh`)}'` }
      return called(folder, environment, 'edit', 'far', '--url', server.address)
    }
    try {
      const text = () => readFileSync(join(there, 'far.yaml'), 'utf8')
      expect((await edit(`sed -i s/before/after/ "$1"`)).out).to.equal(`far on ${server.address} is saved\n`)
      expect(text()).to.contain('after')
      const wrong = await edit(`sed -i s/command/comand/ "$1"`)
      expect(wrong.err).to.match(/comand.*\(line 3, column \d+\)/)
      expect(readFileSync(keptIn(wrong.err), 'utf8')).to.contain('comand')
      const late = await edit(`sed -i s/after/mine/ "$1"; sed -i s/after/theirs/ '${join(there, 'far.yaml')}'`)
      expect(late.err).to.contain('somebody else has saved it meanwhile')
      expect(text()).to.contain('theirs')
    } finally {
      await server.end()
    }
  })
})
