/** What is about to be released, as the checks see it. */
export interface Manifest {
  name: string
  version: string
  /** Not published: npm refuses to. */
  private?: boolean
  license?: string
  repository?: string | { url?: string; directory?: string }
  homepage?: string
  bugs?: string | { url?: string }
  engines?: Record<string, string>
  bin?: Record<string, string>
  main?: string
  types?: string
  exports?: unknown
  files?: string[]
  publishConfig?: { access?: string; provenance?: boolean }
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

export interface Lock {
  version?: string
  packages: Record<string, LockedPackage>
}
export interface LockedPackage {
  version?: string
  license?: string
  integrity?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/** A file of the tarball; `path` without `package/`. */
export interface Packed {
  path: string
  mode: number
  content: Buffer
}

export interface Text {
  path: string
  text: string
}

export interface Component {
  name: string
  version: string
}

export interface Release {
  manifest: Manifest
  lock: Lock
  changelog: string
  /** What git says of the checkout: changed files, and the version tags that it has. */
  git: { changed: string[]; tags: string[]; commit: string }
  /** The commit on which `make test-long` has passed; empty: there is none. */
  tested: string
  files: Packed[]
  /** SHA-256 of the tarball. */
  digest: string
  /** The same, built from nothing in other folders. */
  again: { digest: string; files: Packed[] }[]
  /** What the checkout has for its readers: pages, messages of programs, files for operators, examples. */
  texts: Text[]
  /** Folders of this machine that nothing in the tarball may name. */
  folders: string[]
  /** Folders of `fixtures/` with what this version stores and its program, as far as they are there. */
  recorded: string[]
  /** What the bundles have inside, and what the package depends on. */
  components: Component[]
  /** Those inside the bundles. */
  bundled: Component[]
  sbom: Sbom
  /** What the registry knows of all packages of the project. */
  audit: Audit
}

/** As far as it is looked at. Source: CycloneDX 1.5. */
export interface Sbom {
  bomFormat: string
  specVersion: string
  serialNumber?: string
  metadata: { timestamp?: string; component: { name: string; version: string; purl: string; 'bom-ref': string } }
  components: SbomComponent[]
  dependencies: { ref: string; dependsOn?: string[] }[]
}
export interface SbomComponent {
  'bom-ref': string
  name: string
  version: string
  purl: string
  scope?: string
  licenses?: { license?: { id?: string; name?: string }; expression?: string }[]
  hashes?: { alg: string; content: string }[]
  properties?: { name: string; value: string }[]
}

/** What `npm audit --json` prints, as far as it is looked at. */
export interface Audit {
  /** By name of the package. */
  vulnerabilities?: Record<string, Vulnerable>
  /** It failed. */
  message?: string
}
interface Vulnerable {
  severity: string
  /** Names of packages that it has it from, or the vulnerability itself. */
  via: (string | { title: string; url: string; severity: string })[]
  /** Where it is installed, such as `node_modules/a`. */
  nodes: string[]
}

/** Each problem is a sentence that says what was wanted, what was found, and what helps. */
export type Check = (release: Release) => string[] | Promise<string[]>
