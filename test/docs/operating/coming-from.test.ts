/** What the pages about Dagu and cron show works as pasted, and the program prints what they say. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { RECORDED } from '../../import/dagu-home.ts'
import { program } from '../../support/cli/program.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { PROJECT } from '../../support/project.ts'

const pageOf = (name: string) => readFileSync(join(PROJECT, 'docs', 'operating', `${name}.md`), 'utf8')
const blocksOf = (text: string, language: string) =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, 'g'))].map(([, block = '']) => block)

/** Runs the commands of a page one after another; what each printed. */
async function printed(folder: string, text: string): Promise<string[]> {
  const all: string[] = []
  for (const line of blocksOf(text, 'sh').flatMap((block) => block.trim().split('\n'))) {
    const [, ...words] = line.replaceAll('~', folder).split(' ')
    const { code, written } = program(folder, { ENGINE_HOME: join(folder, 'home') }, ...words)
    expect(await code, `${line}: ${written.err}`).to.equal(0)
    all.push(written.out)
  }
  return all
}

describe('docs/operating', () => {
  it('coming-from-dagu: the commands work on a home of Dagu, and print what the page shows', async () => {
    const folder = temporaryFolder()
    cpSync(RECORDED, join(folder, '.dagu'), { recursive: true })
    const text = pageOf('coming-from-dagu')
    const [dry = '', , runs = '', logs = '', doctor = '', , queues = ''] = await printed(folder, text)
    for (const line of blocksOf(text, 'text').join('').trim().split('\n')) expect(dry.split('\n')).to.include(line)
    expect(runs).to.match(/succeeded +ok +ok-1 .* import\n/)
    expect(logs).to.contain('greet | hello').and.contain('onExit | the end')
    expect(doctor).to.contain('nothing is wrong')
    expect(queues).to.contain('long-q1').and.contain('ok-q1')
  })
  it('coming-from-cron: the crontab of the page becomes the definition of the page', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'home', 'dags'), { recursive: true })
    const text = pageOf('coming-from-cron')
    writeFileSync(join(folder, 'my.crontab'), blocksOf(text, 'crontab').join(''))
    const [dry = '', , plan = ''] = await printed(folder, text)
    const made = readFileSync(join(folder, 'home', 'dags', 'backup.yaml'), 'utf8')
    expect(made.replace(`${folder}/`, '')).to.equal(blocksOf(text, 'yaml').join(''))
    expect(dry).to.contain(made)
    expect(plan).to.contain('/opt/db/backup.sh --all')
  })
})
