/** Tests of what only root can do: skipped, to be seen, for anybody else. */
export const isRoot = process.getuid?.() === 0

export const describeRoot = (title: string, tests: (this: Mocha.Suite) => void) =>
  (isRoot ? describe : describe.skip)(title, tests)
