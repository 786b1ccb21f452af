/** The documentation as a site: every page is there, every link leads somewhere, and nothing comes from elsewhere. Source: src/site/README.md. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { expect } from 'chai'
import { buildSite, type Site } from '../../src/site/build-site.ts'
import { temporaryFolder } from '../support/homes.ts'
import { PROJECT } from '../support/project.ts'

const BUILT = join(PROJECT, 'dist/docs-site')
/** Written by the build beside the site. */
const ASIDE = 'licenses.txt'

const filesIn = (folder: string): Map<string, Buffer> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map((one) => join(one.parentPath, one.name))
      .sort()
      .map((path) => [path.slice(folder.length + 1), readFileSync(path)])
  )

describe('the site', function () {
  this.timeout(120_000)
  let site: Site
  let files: Map<string, Buffer>
  let pages: [string, string][]
  before(async () => {
    const folder = temporaryFolder()
    site = await buildSite(folder)
    files = filesIn(folder)
    pages = [...files].filter(([path]) => path.endsWith('.html')).map(([path, content]) => [path, content.toString()])
  })

  it('is the same whenever it is built: the one of `make build` has not a byte else', () => {
    const before = filesIn(BUILT)
    before.delete(ASIDE)
    expect([...before.keys()]).to.deep.equal([...files.keys()])
    const other = [...files].filter(([path, content]) => !before.get(path)?.equals(content)).map(([path]) => path)
    expect(other, 'make docs').to.deep.equal([])
  })

  it('the navigation has every page', () => {
    expect(site.lost, 'wanted a link to each in docs/README.md').to.deep.equal([])
  })

  it('every page of docs/ is a page of it, and so is every subject of the API', () => {
    const names = readdirSync(join(PROJECT, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => name.replace(/README\.md$/, 'index.md').replace(/md$/, 'html'))
    expect([...files.keys()]).to.include.members([...names, 'charts.html', 'security.html', 'changelog.html'])
    expect([...files.keys()]).to.include.members(['api/definitions.html', 'api/sub-dag-runs.html', 'api/objects.html'])
  })

  it('every link and every anchor leads somewhere', () => {
    const ids = new Map(pages.map(([path, html]) => [path, new Set(valuesOf(html, 'id'))]))
    const broken = pages.flatMap(([path, html]) =>
      [...valuesOf(html, 'href'), ...valuesOf(html, 'src')]
        .filter((link) => !/^https?:/.test(link))
        .filter((link) => {
          const [place = '', anchor] = link.split('#', 2)
          const target = place === '' ? path : posix.join(posix.dirname(path), place)
          return !files.has(target) || (anchor !== undefined && !ids.get(target)?.has(decodeURIComponent(anchor)))
        })
        .map((link) => `${path}: ${link}`)
    )
    expect(pages.length).to.be.greaterThan(80)
    expect(broken).to.deep.equal([])
  })

  it('no page has two places of the same name, a script or a style in it, or a part from another server', () => {
    for (const [path, html] of pages) {
      const ids = valuesOf(html, 'id')
      expect(
        ids.filter((id, at) => ids.indexOf(id) !== at),
        path
      ).to.deep.equal([])
      expect(html, path).not.to.match(/<style|<script(?! (?:defer )?src="\.)|\sstyle="|\son\w+="/)
      expect(html, path).not.to.match(/<(?:img|script|link|iframe)[^>]+(?:src|href)="(?:https?:)?\/\//)
    }
  })

  it('headings of a page miss no level', () => {
    const jumps = pages.flatMap(([path, html]) => {
      const levels = Array.from(html.slice(html.indexOf('<article>')).matchAll(/<h([1-6])[ >]/g), ([, level]) =>
        Number(level)
      )
      return levels.filter((level, at) => level > (levels[at - 1] ?? 0) + 1).map((level) => `${path}: h${level}`)
    })
    expect(jumps).to.deep.equal([])
  })

  it('shows what the tables of the code have', () => {
    const of = (path: string) => files.get(path)?.toString() ?? ''
    expect(of('definition-format.html')).to.contain('<code>retryPolicy</code>')
    expect(of('cli.html')).to.contain('id="troupe-start-all"')
    expect(of('configuration.html')).to.contain('ENGINE_HEADLESS')
    expect(of('errors.html')).to.contain('<code>not_found</code>')
    expect(of('operating/watching.html')).to.contain('engine_dag_runs_ended_total')
    expect(of('api/starting.html')).to.contain('POST /api/v2/dags/{fileName}/start')
  })
})

const valuesOf = (html: string, attribute: string): string[] =>
  Array.from(html.matchAll(new RegExp(` ${attribute}="([^"]*)"`, 'g')), ([, value = '']) =>
    value.replaceAll('&amp;', '&')
  )
