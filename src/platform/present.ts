/** Members that may be undefined are absent where something is stored or sent. */

/** Members that may be undefined become ones that may be absent. */
export type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** A new object with the members that are not `undefined`. */
export function present<T extends object>(object: T): Present<T> {
  const there: Partial<T> = {}
  for (const key in object) if (object[key] !== undefined) there[key] = object[key]
  return there as never // by the loop
}
