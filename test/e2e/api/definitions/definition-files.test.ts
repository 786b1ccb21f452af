/** Definitions changed behind the engine's back: when that is seen. Source: api-semantics 3.2, 3.3. */
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../../../src/index.ts'
import { described, descriptionListed, namesListed, soon } from '../../../support/api/listed-definitions.ts'
import { liveApi } from '../../../support/api/live-api.ts'
import { temporaryFolder } from '../../../support/homes.ts'

describe('API › definitions changed behind its back', () => {
  const api = liveApi()
  const path = (file: string) => join(api.engine.config.dagsDir, file)

  it('a definitions folder that does not exist yet: reading makes none; one that somebody makes is seen at once', async () => {
    expect(await namesListed(api)).to.deep.equal([])
    expect(existsSync(api.engine.config.dagsDir)).to.equal(false)
    api.write('first', described('1'))
    expect(await namesListed(api)).to.deep.equal(['first'])
  })

  it('a file created, changed in place, replaced, renamed, deleted: seen within 1 s in the list, at once by its name', async () => {
    api.write('file', described('created'))
    await soon('the new file', async () => (await descriptionListed(api, 'file')) === 'created')
    for (const text of ['changed', 'changeD', 'longer than before']) {
      writeFileSync(path('file.yaml'), described(text))
      expect((await api.call('GET', '/dags/file')).json.dag.description).to.equal(text)
      await soon(text, async () => (await descriptionListed(api, 'file')) === text)
    }
    writeFileSync(path('tmp'), described('moved here'))
    renameSync(path('tmp'), path('file.yaml'))
    expect((await api.call('GET', '/dags/file/spec')).json.spec).to.equal(described('moved here'))
    await soon('the replacement', async () => (await descriptionListed(api, 'file')) === 'moved here')
    renameSync(path('file.yaml'), path('moved.yaml'))
    expect((await api.call('POST', '/dags/file/start')).status).to.equal(404)
    await soon('the rename', async () => (await namesListed(api)).join() === 'first,moved')
    rmSync(path('moved.yaml'))
    expect((await api.call('GET', '/dags/moved')).status).to.equal(404)
    await soon('the end of it', async () => (await namesListed(api)).join() === 'first')
  })

  it('a text of the same length and modification time is seen too', async () => {
    const at = new Date(1_700_000_000_000)
    for (const word of ['one', 'two', 'six']) {
      writeFileSync(path('same.yaml'), described(word))
      utimesSync(path('same.yaml'), at, at)
      await new Promise((resolve) => setTimeout(resolve, 150)) // longer than a young stamp is distrusted
      expect((await api.call('GET', '/dags/same')).json.dag.description).to.equal(word)
      await soon(word, async () => (await descriptionListed(api, 'same')) === word)
    }
  })

  it('a start runs the text that is there now', async () => {
    for (const word of ['red', 'fox']) {
      writeFileSync(path('now.yaml'), `steps: [echo ${word}]\n`)
      const id = await api.started('now')
      await api.ended('now', id)
      expect((await api.call('GET', `/dag-runs/now/${id}/steps/cmd_1/log`)).json.content).to.equal(word)
    }
  })

  it('the whole folder removed and made again, or another put in its place: seen, and so is what happens in it', async () => {
    const { dagsDir } = api.engine.config
    for (const replace of [
      () => {
        rmSync(dagsDir, { recursive: true })
        mkdirSync(dagsDir)
      },
      () => {
        renameSync(dagsDir, `${dagsDir}.old`)
        mkdirSync(dagsDir)
      }
    ]) {
      api.write('before', described('x'))
      await soon('the folder', async () => (await namesListed(api)).includes('before'))
      replace()
      await soon('the empty folder', async () => (await namesListed(api)).length === 0)
      api.write('after', described('1'))
      await soon('a file in it', async () => (await descriptionListed(api, 'after')) === '1')
      api.write('after', described('2'))
      await soon('a change in it', async () => (await descriptionListed(api, 'after')) === '2')
    }
    rmSync(dagsDir, { recursive: true })
    await soon('no folder', async () => (await namesListed(api)).length === 0)
    expect(
      (await api.call('POST', '/dags', { body: { name: 'anew' } })).status,
      'it is made when it is needed'
    ).to.equal(201)
    expect(await namesListed(api)).to.deep.equal(['anew'])
  })
})

describe('API › a definitions folder that is none', () => {
  it('is refused when the engine is opened', async () => {
    const file = join(temporaryFolder(), 'flow.yaml')
    writeFileSync(file, described('x'))
    const opening = createEngine({ home: temporaryFolder(), dagsDir: file })
    const error = await opening.then(
      () => undefined,
      (error) => error
    )
    expect(error).to.include({ code: 'bad_request' })
    expect(error.message).to.equal(`definitions folder: wanted a folder, found something else at ${file}`)
  })
})

describe('API › a definitions folder behind a link', () => {
  const place = temporaryFolder()
  const api = liveApi({ dagsDir: join(place, 'current') })

  it('the link turned to another folder (as checkouts are switched): seen within 1 s', async () => {
    for (const version of ['v1', 'v2']) {
      mkdirSync(join(place, version))
      writeFileSync(join(place, version, 'flow.yaml'), described(version))
      symlinkSync(version, join(place, 'next'))
      renameSync(join(place, 'next'), join(place, 'current'))
      await soon(version, async () => (await descriptionListed(api, 'flow')) === version)
    }
    expect((await api.call('GET', '/dags/flow')).json.dag.description).to.equal('v2')
  })
})
