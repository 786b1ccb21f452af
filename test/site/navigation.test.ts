/** How the map of the documentation becomes the navigation of the site. */
import { expect } from 'chai'
import { navigation } from '../../src/site/map.ts'
import { linkOf, slugs } from '../../src/site/markdown.ts'
import { pageOf, relativePath, shortTitle } from '../../src/site/page.ts'

const MAP = `# Documentation
Look at [none](none.md).
## Tutorial
- [First](first.md)
- [Second](ssh.md#later): in a program
## How to
### Run
| Task | Page |
|---|---|
| over SSH | [ssh](ssh.md), [first](first.md) |
| alone | [the terminal](cli.md) |
### Operate
| watch | [watching](operating/watching.md) |
## Reference
- Executors: [ssh](ssh.md),
  [docker](docker.md)
- [Errors](errors.md): and [watching](operating/watching.md#metrics)
## Explanation
- [Decisions](decisions/README.md)
`
const page = (name: string, title: string) => pageOf(`docs/${name}.md`, `${name}.html`, `# ${title}\n`)
const pages = [
  page('first', 'First steps'),
  page('ssh', '`ssh`: far away'),
  page('cli', 'The terminal'),
  page('docker', '`docker`'),
  page('errors', 'Errors'),
  page('operating/watching', 'Watching'),
  page('decisions/README', 'Decisions'),
  page('decisions/store', 'The store')
]

describe('site › navigation', () => {
  it('has each page once, below the headings of the map: a how-to page that is a reference, too, is one of those', () => {
    const found = navigation(MAP, pages).map(({ title, groups }) => [
      title,
      groups.map((group) => [group.title, group.entries.map(({ title, anchor }) => title + anchor)])
    ])
    expect(found).to.deep.equal([
      ['Tutorial', [['', ['First steps', 'Second#later']]]],
      [
        'How to',
        [
          ['Run', ['The terminal']],
          ['Operate', ['Watching']]
        ]
      ],
      [
        'Reference',
        [
          ['Executors', ['ssh', 'docker']],
          ['', ['Errors', 'watching#metrics']]
        ]
      ],
      [
        'Explanation',
        [
          ['', ['Decisions']],
          ['Decisions', ['The store']]
        ]
      ]
    ])
  })
  it('a title is what stands before the colon, without marks', () => {
    expect(shortTitle('`ssh`: a command on another machine')).to.equal('ssh')
  })
})

describe('site › links', () => {
  const places = {
    pages: new Map(pages.map((one) => [one.source, one])),
    files: new Map([['docs/operating/alerts.yaml', 'operating/alerts.yaml']])
  }
  const [first = page('first', '')] = pages
  const watching = places.pages.get('docs/operating/watching.md') ?? first
  it('lead to the file of a page, wherever both are, with the anchor', () => {
    expect(linkOf(places, watching, '../ssh.md#keys')).to.equal('../ssh.html#keys')
    expect(linkOf(places, first, 'operating/watching.md')).to.equal('./operating/watching.html')
    expect(linkOf(places, watching, 'alerts.yaml')).to.equal('./alerts.yaml')
  })
  it('to other servers and on the page stay as they are, and those into the sources are none', () => {
    expect(linkOf(places, first, 'https://example.org/a')).to.equal('https://example.org/a')
    expect(linkOf(places, first, '#here')).to.equal('#here')
    expect(linkOf(places, first, '../src/doctor/README.md')).to.equal(undefined)
  })
  it('are relative, so that the site works below any path', () => {
    expect(relativePath('index.html', 'a.html')).to.equal('./a.html')
    expect(relativePath('a/b.html', 'a/c.html')).to.equal('./c.html')
    expect(relativePath('a/b.html', 'd/c.html')).to.equal('../d/c.html')
    expect(relativePath('a/b.html', '')).to.equal('../')
  })
})

describe('site › anchors', () => {
  it('are those of GitHub: small letters, dashes for blanks, a number for one that is there already', () => {
    const slugOf = slugs()
    expect(['The file', 'D59 A `start`, twice?', 'each_item', 'The file', 'Größe'].map(slugOf)).to.deep.equal([
      'the-file',
      'd59-a-start-twice',
      'each_item',
      'the-file-1',
      'größe'
    ])
  })
})
