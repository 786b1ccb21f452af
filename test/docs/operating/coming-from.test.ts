/** What the pages about Dagu and cron show works as pasted, and the program prints what they say. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { RECORDED } from '../../import/dagu-home.ts'
import { blocksOf } from '../../support/docs/blocks.ts'
import { shellIn } from '../../support/docs/pasting.ts'
import { temporaryFolder } from '../../support/homes.ts'

const pageOf = (name: string) => `docs/operating/${name}.md`

/** Runs the commands of a page, one block after another; what each printed. */
async function printed(folder: string, page: string): Promise<string[]> {
  const shell = shellIn(folder, [], { ENGINE_HOME: join(folder, 'home') })
  const all: string[] = []
  for (const block of blocksOf(page, 'sh')) {
    const { code, out } = await shell.paste(block)
    // 3: what is to be done is in the report, which the test of the page reads.
    expect(code, `${block}${out}`).to.be.oneOf(block.includes('troupe import') ? [0, 3] : [0])
    all.push(out)
  }
  return all
}

describe('docs/operating', () => {
  it('coming-from-dagu: the commands work on a home of Dagu, and print what the page shows', async () => {
    const folder = temporaryFolder()
    cpSync(RECORDED, join(folder, '.dagu'), { recursive: true })
    const page = pageOf('coming-from-dagu')
    const [dry = '', , come = '', queues = ''] = await printed(folder, page)
    for (const line of blocksOf(page, 'text').join('').trim().split('\n')) expect(dry.split('\n')).to.include(line)
    expect(come).to.match(/succeeded +ok +ok-1 .* import\n/)
    expect(come).to.contain('greet | hello').and.contain('onExit | the end').and.contain('nothing is wrong')
    expect(queues).to.contain('long-q1').and.contain('ok-q1')
  })
  it('coming-from-cron: the crontab of the page becomes the definition of the page', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'home', 'dags'), { recursive: true })
    const page = pageOf('coming-from-cron')
    writeFileSync(join(folder, 'my.crontab'), blocksOf(page, 'crontab').join(''))
    const [out = ''] = await printed(folder, page)
    const made = readFileSync(join(folder, 'home', 'dags', 'backup.yaml'), 'utf8')
    expect(made.replace(`${folder}/`, '')).to.equal(blocksOf(page, 'yaml').join(''))
    expect(out.split(made), 'shown first, and made only then').to.have.length(2)
    expect(out.split(made)[1]).to.contain('/opt/db/backup.sh --all')
  })
})
