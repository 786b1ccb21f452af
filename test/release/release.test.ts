/** What the release check must find: each fault is planted in a release that has none. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { PROJECT } from '../support/project.ts'
import { checked } from './checked.ts'
import { installing } from './checks/installing.ts'
import { installed, together } from './components.ts'
import type { Manifest, Packed, Release, Sbom, SbomComponent } from './release.ts'
import { sbomOf } from './sbom.ts'
import { textsOf } from './texts.ts'

const file = (path: string, content = ''): Packed => ({ path, mode: 0o644, content: Buffer.from(content) })
const sum = (content: string) => createHash('sha256').update(content).digest('hex')

const component = (name: string, version: string, id = 'MIT'): SbomComponent => ({
  'bom-ref': `${name}@${version}`,
  name,
  version,
  purl: `pkg:npm/${name}@${version}`,
  licenses: [{ license: { id } }],
  properties: [{ name: 'cdx:npm:package:development', value: 'true' }]
})
const SAID: Sbom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  serialNumber: 'urn:uuid:of-this-hour',
  metadata: {
    timestamp: '2026-01-01T00:00:00Z',
    component: { name: 'folder', version: '1.2.0', purl: 'pkg:npm/engine@1.2.0', 'bom-ref': 'engine@1.2.0' }
  },
  components: [
    component('tool', '9.0.0'),
    component('inside', '2.0.0', '(MIT OR GPL-3.0)'),
    component('beside', '1.0.0')
  ],
  dependencies: [
    { ref: 'inside@2.0.0', dependsOn: ['tool@9.0.0'] },
    { ref: 'engine@1.2.0', dependsOn: ['tool@9.0.0', 'beside@1.0.0'] }
  ]
}

function release(): Release {
  const manifest = {
    name: 'engine',
    version: '1.2.0',
    license: 'Apache-2.0',
    bin: { engine: 'dist/bin/engine.js' },
    repository: { url: 'git+https://forge.example/engine.git' },
    bugs: { url: 'https://forge.example/engine/bugs' },
    publishConfig: { provenance: true },
    engines: { node: '>=20.19' },
    exports: { '.': { import: './dist/lib/index.mjs' } },
    dependencies: { beside: '1.0.0' }
  }
  const lock = {
    version: '1.2.0',
    packages: {
      '': { version: '1.2.0' },
      'node_modules/beside': { version: '1.0.0' },
      'node_modules/inside': { version: '2.0.0' },
      'node_modules/tool': { version: '9.0.0' }
    }
  }
  const bundled = [{ name: 'inside', version: '2.0.0' }]
  const components = together(bundled, installed(manifest, lock))
  const launchers = ['linux-x64', 'linux-arm64'].map((name) => file(`dist/launcher/${name}/troupe-launcher`, name))
  return {
    manifest,
    lock,
    bundled,
    components,
    audit: { vulnerabilities: {} },
    sbom: sbomOf(SAID, manifest, components),
    changelog: '# Changelog\n\n## 1.2.0 - 2026-01-01\n\n## 1.1.0 - 2025-12-01\n',
    git: { changed: [], tags: ['v1.1.0'], commit: 'c0ffee' },
    tested: 'c0ffee',
    digest: 'ab',
    again: [{ digest: 'ab', files: [] }],
    texts: [{ path: 'docs/a.md', text: 'npm install /path/to/engine-VERSION.tgz\n' }],
    folders: ['/home/somebody/engine'],
    recorded: ['store', 'releases'],
    files: [
      ...['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'SECURITY.md', 'dist/lib/index.mjs'].map((path) =>
        file(path)
      ),
      file('dist/bin/engine.js', '#!/usr/bin/env node\n'),
      file('dist/bin/LICENSES.txt', 'inside 2.0.0\n\nMIT License\n'),
      file(
        'dist/launcher/SHA256SUMS',
        ['linux-x64', 'linux-arm64'].map((name) => `${sum(name)}  ${name}/troupe-launcher\n`).join('')
      ),
      ...launchers
    ]
  }
}
const problems = async (change: (release: Release) => void) => {
  const one = release()
  change(one)
  return (await checked(one)).flatMap(({ problems }) => problems)
}
const replaced = (files: Packed[], path: string, content?: string) => [
  ...files.filter((one) => one.path !== path),
  ...(content === undefined ? [] : [file(path, content)])
]

/** What is planted, and what must be said of it. */
const PLANTED: [string, (release: Release) => void, RegExp][] = [
  [
    'another version in the lock file',
    ({ lock }) => (lock.version = '1.1.0'),
    /^package-lock.json: wanted version 1\.2\.0, found 1\.1\.0/
  ],
  [
    'changes without a version',
    (one) => (one.changelog = `# \n\n## Unreleased\n\n- more\n${one.changelog}`),
    /there is more under "Unreleased"/
  ],
  [
    'a changelog that ends before',
    (one) => (one.changelog = '## 1.1.0 - 2025-12-01\n'),
    /wanted "## 1\.2\.0 - YYYY-MM-DD"/
  ],
  [
    'the version of a checkout between two releases',
    ({ manifest }) => (manifest.version = '1.3.0-dev'),
    /^package.json: 1\.3\.0-dev is what a checkout says between two releases/
  ],
  ['a version that is out already', ({ git }) => git.tags.push('v1.2.0'), /the tag v1\.2\.0 is there/],
  [
    'a version that is not recorded',
    (one) => one.recorded.pop(),
    /^fixtures\/releases: wanted 1\.2\.0, .*run make record/
  ],
  [
    'tests of an earlier commit',
    (one) => (one.tested = 'bad'),
    /^make test-long: wanted that it has passed on c0ffee, found bad: run make test-long/
  ],
  ['a change that is not committed', ({ git }) => git.changed.push(' M src/a.ts'), /found {2}M src\/a\.ts/],
  [
    'a file that package.json names',
    (one) => (one.files = replaced(one.files, 'dist/lib/index.mjs')),
    /dist\/lib\/index\.mjs is missing/
  ],
  ['a test', ({ files }) => files.push(file('dist/test/a.test.js')), /dist\/test\/a\.test\.js does not belong there/],
  [
    'a launcher of this machine',
    ({ files }) => files.push(file('dist/launcher/local-linux-x64/troupe-launcher')),
    /local-linux-x64.* does not belong/
  ],
  [
    'a folder of this machine',
    ({ files }) => files.push(file('docs/a.md', 'see /home/somebody/engine/a')),
    /docs\/a\.md names the folder/
  ],
  [
    'a launcher that is another one',
    (one) => (one.files = replaced(one.files, 'dist/launcher/linux-x64/troupe-launcher', 'x')),
    /wanted the checksum/
  ],
  [
    'a program without its interpreter',
    (one) => (one.files = replaced(one.files, 'dist/bin/engine.js', 'x')),
    /wanted #! in its first line/
  ],
  [
    'a page that installs a name of nobody',
    ({ manifest, texts }) => {
      manifest.private = true
      texts.push({ path: 'docs/b.md', text: 'First:\n\nnpm install engine zod\n' })
    },
    /^docs\/b\.md, line 3: wanted the packed file, found "npm install engine": .* without "private"$/
  ],
  [
    'a licence that binds',
    ({ sbom }) => (sbom.components[0] = component('beside', '1.0.0', 'GPL-3.0')),
    /licence of beside@1\.0\.0: wanted a permissive one, found GPL-3\.0/
  ],
  [
    'a package without a licence',
    ({ sbom }) => (sbom.components[0] = { ...component('beside', '1.0.0'), licenses: [] }),
    /found none/
  ],
  [
    'a package that npm does not know',
    ({ components }) => components.push({ name: 'odd', version: '0.0.1' }),
    /SBOM: odd@0\.0\.1/
  ],
  [
    'a bundle without a licence',
    (one) => (one.files = replaced(one.files, 'dist/bin/LICENSES.txt', '')),
    /no LICENSES\.txt has the licence of inside@2\.0\.0/
  ],
  ['no repository', ({ manifest }) => (manifest.repository = ''), /repository\.url: wanted the https address/],
  [
    'no provenance',
    ({ manifest }) => delete manifest.publishConfig,
    /publishConfig\.provenance: wanted true, found nothing/
  ],
  [
    'builds that differ',
    (one) => (one.again = [{ digest: 'cd', files: replaced(one.files, 'dist/lib/index.mjs', 'x') }]),
    /found dist\/lib\/index\.mjs different/
  ],
  ['one build only', (one) => (one.again = []), /built once only/],
  [
    'a vulnerability',
    ({ audit }) => {
      const via = [{ title: 'reads beyond', url: 'https://advisories.example/1', severity: 'high' }]
      audit.vulnerabilities = {
        inside: { severity: 'high', via, nodes: ['node_modules/inside'] },
        tool: { severity: 'high', via, nodes: ['node_modules/tool'] }
      }
    },
    /^inside@2\.0\.0 has a known vulnerability \(high\): reads beyond, https:/
  ],
  [
    'a registry that is silent',
    (one) => (one.audit = { message: '405 Method Not Allowed' }),
    /found 405 Method Not Allowed/
  ]
]

describe('release › the check', () => {
  it('finds nothing in a release as it should be', async () => {
    expect(await problems(() => {})).to.deep.equal([])
  })
  for (const [what, plant, said] of PLANTED)
    it(`finds ${what}`, async () => {
      const found = await problems((one) => void plant(one))
      expect(found, found.join('\n')).to.have.length(1)
      expect(found[0]).to.match(said)
    })
  describe('while package.json has "private"', () => {
    const NAMED = [
      'npm install engine',
      'npm i --save engine@1.2.0',
      'npm install --global --prefix /usr/local engine',
      'npm install --omit=optional \\\n  engine other',
      'npm --silent install zod "engine"',
      'npx engine start',
      'npm exec -- engine start',
      'pnpm add engine',
      'yarn global add engine',
      'see https://www.npmjs.com/package/engine',
      "import 'https://esm.sh/engine@1'",
      '{"dependencies": {"engine": "^1.2.0"}}'
    ]
    for (const text of NAMED)
      it(`a page must not say ${JSON.stringify(text)}`, async () => {
        const found = await problems(({ manifest, texts }) => {
          manifest.private = true
          texts.push({ path: 'docs/b.md', text })
        })
        expect(found, found.join('\n')).to.have.length(1)
      })
    const OTHERS = [
      'npm install /path/to/engine-VERSION.tgz',
      'npm install --omit=optional ./engine-1.2.0.tgz zod',
      'npm install engine-other @engine/other',
      'npm install && engine start',
      '`npm install` brings engine and others',
      'npm ls engine',
      "import { createEngine } from 'engine'",
      '{"bin": {"engine": "dist/bin/engine.js"}, "dependencies": {"engine": "file:../.."}}'
    ]
    it('a page may say what takes nothing of that name from the registry', async () => {
      const texts = OTHERS.map((text, at) => ({ path: `docs/${at}.md`, text }))
      expect(
        await problems((one) => Object.assign(one, { texts, manifest: { ...one.manifest, private: true } }))
      ).to.deep.equal([])
    })
    it('a page of a package that is published may name it', async () => {
      expect(await problems(({ texts }) => texts.push({ path: 'docs/b.md', text: NAMED.join('\n') }))).to.deep.equal([])
    })
    it('nothing in this checkout installs a name of nobody', async () => {
      const manifest: Manifest = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'))
      expect(await installing({ ...release(), manifest, texts: await textsOf(PROJECT) })).to.deep.equal([])
    })
  })
  it('the bill of materials has what is inside and what is installed, is equal for equal releases, and has no time', () => {
    const { sbom } = release()
    expect(sbom.components.map(({ 'bom-ref': ref }) => ref)).to.deep.equal(['beside@1.0.0', 'inside@2.0.0'])
    expect(sbom.dependencies).to.deep.equal([
      { ref: 'engine@1.2.0', dependsOn: ['beside@1.0.0', 'inside@2.0.0'] },
      { ref: 'inside@2.0.0', dependsOn: [] }
    ])
    expect(sbom.metadata).to.deep.equal({ component: { ...SAID.metadata.component, name: 'engine' } })
    expect(sbom.serialNumber).to.match(/^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect(release().sbom.serialNumber).to.equal(sbom.serialNumber)
    expect(sbom.components.flatMap(({ properties = [] }) => properties)).to.deep.equal([])
  })
  it('a package whose licence npm does not know has the one that it says itself', () => {
    const { manifest, components } = release()
    const silent = { ...SAID, components: SAID.components.map((one) => ({ ...one, licenses: [] })) }
    const licencesOf = ({ components: found }: Sbom) => found.flatMap(({ licenses = [] }) => licenses)
    expect(licencesOf(sbomOf(silent, manifest, components))).to.deep.equal([])
    expect(licencesOf(sbomOf(silent, manifest, components, () => 'MIT'))).to.deep.equal([
      { expression: 'MIT' },
      { expression: 'MIT' }
    ])
    expect(licencesOf(sbomOf(SAID, manifest, components, () => 'ISC')), 'npm first').not.to.deep.include({
      expression: 'ISC'
    })
  })
  it('of a package that is there twice, each version counts where it is used', () => {
    const manifest = { name: 'engine', version: '1.0.0', dependencies: { a: '1', b: '1' } }
    const packages = {
      'node_modules/a': { version: '1.0.0', dependencies: { b: '2' } },
      'node_modules/a/node_modules/b': { version: '2.0.0', dependencies: { c: '1' } },
      'node_modules/b': { version: '1.0.0' },
      'node_modules/c': { version: '1.0.0', optionalDependencies: { none: '1', a: '1' } },
      'node_modules/unused': { version: '1.0.0' }
    }
    const found = installed(manifest, { packages }).map(({ name, version }) => `${name}@${version}`)
    expect(found.sort()).to.deep.equal(['a@1.0.0', 'b@1.0.0', 'b@2.0.0', 'c@1.0.0'])
  })
})
