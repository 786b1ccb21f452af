/** The part of Eleventy that is used here; it has no types of its own. */
declare module '@11ty/eleventy' {
  export interface Template {
    /** Path of the template, with `./` in front. */
    inputPath: string
    /** Path of the file made of it; false: none. */
    outputPath: string | false
  }
  interface MarkdownToken {
    type: string
    tag: string
    info: string
    content: string
    children: MarkdownToken[] | null
    attrs: [name: string, value: string][] | null
    attrGet(name: string): string | null
    attrSet(name: string, value: string): void
  }
  type Rule = (tokens: MarkdownToken[], at: number) => string
  export interface Markdown {
    renderer: { rules: Record<string, Rule | undefined> }
    core: { ruler: { push(name: string, rule: (state: { tokens: MarkdownToken[]; env: unknown }) => void): void } }
  }
  export interface UserConfig {
    /** What is said of slow parts. */
    benchmarks: { config: { setIsVerbose(isVerbose: boolean): void } }
    addTemplate(path: string, content: string, data: Record<string, unknown>): void
    addTransform(name: string, transform: (this: { page: Template }, content: string) => string): void
    amendLibrary(engine: 'md', amend: (markdown: Markdown) => void): void
  }
  export default class Eleventy {
    constructor(
      input: string,
      output: string,
      options: { quietMode: boolean; configPath: false; config: (config: UserConfig) => void }
    )
    init(): Promise<unknown>
    setIsVerbose(isVerbose: boolean): void
    disableLogger(): void
    write(): Promise<unknown>
  }
}
