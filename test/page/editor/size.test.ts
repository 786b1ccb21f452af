/** What a visitor loads before the first view is small; the editor and the layouts come when they are wanted. */
import { readdirSync, readFileSync } from 'node:fs'
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
  it('the editor is a file of its own, and so is each licence named', () => {
    expect(readdirSync(FOLDER).filter((name) => name.startsWith('editor-'))).to.have.length(1)
    expect(readFileSync(`${FOLDER}licenses.txt`, 'utf8'))
      .to.contain('@codemirror/view')
      .and.contain('style-mod')
  })
})
