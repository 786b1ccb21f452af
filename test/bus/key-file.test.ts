/** The file with a worker's key, and the list of those that have one. Source: distribution 6 (keys). */
import { chmodSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { changeEnrolment, enrolmentIn } from '../../src/bus/enrolment.ts'
import { checkSeed, keyFileText, newKey, readKeyFile } from '../../src/bus/key-file.ts'
import { temporaryFolder } from '../support/homes.ts'

describe('bus › key file', () => {
  const folder = temporaryFolder()
  const path = join(folder, 'wa.key')
  const refusal = (text: string, mode = 0o600) => {
    writeFileSync(path, text)
    chmodSync(path, mode)
    return refusalOf(path)
  }
  function refusalOf(at: string): string {
    try {
      readKeyFile(at)
      return ''
    } catch (error) {
      return (error as Error).message
    }
  }
  it('is read as it was written', async () => {
    const { seed } = await newKey()
    const key = { id: 'wa', home: 'aaaaaaaaaaaaaaaa', cluster: 'troupe', seed }
    expect(refusal(keyFileText(key))).to.equal('')
    expect(readKeyFile(path)).to.deep.equal(key)
    await checkSeed(key, path)
    const letter = seed[9] === 'A' ? 'B' : 'A'
    const damaged = await checkSeed({ ...key, seed: `${seed.slice(0, 9)}${letter}${seed.slice(10)}` }, path).catch(
      (error: Error) => error.message
    )
    expect(damaged).to.match(/is damaged, as if it was not copied whole/)
  })
  it('one that others may read, that is too long, missing or something else is refused: what was wanted, found, and what helps', async () => {
    const { seed } = await newKey()
    const text = keyFileText({ id: 'wa', home: 'aaaaaaaaaaaaaaaa', cluster: 'troupe', seed })
    const wanted = `worker.keyFile: wanted a file from troupe worker enroll at ${path}, found `
    expect(refusal(text, 0o644)).to.equal(
      `${wanted}one that others may read (mode 644): chmod 600 it, and if somebody may have read it, troupe worker revoke and enroll again`
    )
    expect(refusal('x'.repeat(5_000))).to.equal(`${wanted}5000 bytes, and a key file has at most 4096`)
    expect(refusal(seed)).to.equal(`${wanted}something else (it is no JSON)`)
    const short = refusal(text.replace(seed, seed.slice(1)))
    expect(short).to.equal(`${wanted}something else (key.seed: wanted the seed of a key, found something else)`)
    expect(refusal(text.replace('aaaaaaaaaaaaaaaa', '../../etc'))).to.match(/key\.home: wanted 16 hexadecimal digits/)
    expect(refusalOf(join(folder, 'none'))).to.match(/found none$/)
    expect(refusalOf(folder)).to.match(/found a folder$/)
  })
})

describe('bus › enrolment', () => {
  const one = { id: 'wa', home: 'aaaaaaaaaaaaaaaa', publicKey: `U${'A'.repeat(55)}`, enrolledAt: 1 }
  it('counts its changes, for its user only; half of one changes nothing', () => {
    const path = join(temporaryFolder(), 'data', 'enrolled.json')
    expect(enrolmentIn(path)).to.equal(undefined)
    expect(changeEnrolment(path, Date.now(), () => [one]).revision).to.equal(1)
    expect(changeEnrolment(path, Date.now(), (all) => [...all]).revision).to.equal(2)
    expect(statSync(path).mode & 0o777).to.equal(0o600)
    const fails = () =>
      changeEnrolment(path, Date.now(), () => {
        throw new Error('no')
      })
    expect(fails).to.throw('no')
    expect(enrolmentIn(path)).to.deep.equal({ revision: 2, workers: [one] })
    writeFileSync(`${path}.new`, '')
    expect(() => changeEnrolment(path, Date.now(), () => [])).to.throw(/another command is enrolling/)
    utimesSync(`${path}.new`, 1, 1) // whoever began it was killed
    expect(changeEnrolment(path, Date.now(), () => []).revision).to.equal(3)
  })
  it('a damaged list lets nobody in, and says what helps', () => {
    const path = join(temporaryFolder(), 'enrolled.json')
    for (const text of [
      '',
      '{}',
      JSON.stringify({ revision: 1, workers: [{ ...one, publicKey: 'U" }, { user: x' }] })
    ]) {
      writeFileSync(path, text)
      expect(() => enrolmentIn(path), text).to.throw(/cannot be read: .*Restore it from a backup/)
    }
    expect(readFileSync(path, 'utf8')).to.contain('user: x')
    mkdirSync(`${path}.d`)
    expect(() => enrolmentIn(`${path}.d`)).to.throw(/cannot be read/)
  })
})
