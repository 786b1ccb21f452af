/** Loads a script of the page when it is first wanted, and once. */
import { Refusal } from '../api.ts'

// D923: the page's script is not a module
/**
 * Not an `import()`: browsers send Origin for modules, which a server behind a proxy refuses.
 * @param file its name @param found what it has left behind @param what what cannot be shown without it, as a sentence begins
 */
export function fileLoader<T>(file: string, found: () => T | undefined, what: string): () => Promise<T> {
  let loading: Promise<T> | undefined
  return () => {
    loading ??= new Promise<T>((resolve, reject) => {
      const script = document.createElement('script')
      const failed = () => {
        // The next request tries again.
        loading = undefined
        script.remove()
        reject(new Refusal(0, `${what} cannot be shown: page/${file} could not be loaded. Reload the page.`))
      }
      script.addEventListener('load', () => {
        const there = found()
        if (there === undefined) failed()
        else resolve(there)
      })
      script.addEventListener('error', failed)
      script.src = `page/${file}`
      document.head.append(script)
    })
    return loading
  }
}
