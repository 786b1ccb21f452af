/** What a visitor loads before the first view is small; the editor and the layouts come when they are wanted. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'

const FOLDER = fileURLToPath(new URL('../../../page/', import.meta.url))
const MOST_BYTES = 60 * 1024

describe('page › its files', () => {
  it('the scripts of the first view are at most 60 KiB, compressed', () => {
    const index = readFileSync(`${FOLDER}index.html`, 'utf8')
    const scripts = [...index.matchAll(/<script[^>]* src="page\/([^"]+)"/g)].map(([, name = '']) => name)
    expect(scripts).to.have.length(2)
    const sizes = scripts.map((name) => gzipSync(readFileSync(FOLDER + name)).length)
    expect(sizes.reduce((sum, size) => sum + size, 0)).to.be.at.most(MOST_BYTES)
  })
  it('the font is at most 24 KiB, and asked for at once; its licence is named', () => {
    const [name = ''] = readdirSync(FOLDER).filter((name) => name.endsWith('.woff2'))
    expect(statSync(FOLDER + name).size).to.be.at.most(24 * 1024)
    expect(readFileSync(`${FOLDER}index.html`, 'utf8')).to.match(new RegExp(`rel="preload" as="font".*${name}`))
    expect(readFileSync(`${FOLDER}licenses.txt`, 'utf8')).to.match(/^Inter 4\.1\n\n.*SIL Open Font License/ms)
  })
  it('the editor is a file of its own, and so is each licence named', () => {
    expect(readdirSync(FOLDER).filter((name) => name.startsWith('editor-'))).to.have.length(1)
    expect(readFileSync(`${FOLDER}licenses.txt`, 'utf8'))
      .to.contain('@codemirror/view')
      .and.contain('style-mod')
  })
})
