/** A component that renders again only when one of its props changes. The set of props must not change. */
import { Component, type FunctionComponent } from 'preact'

export function memo<P extends object>(Drawn: FunctionComponent<P>): FunctionComponent<P> {
  class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      for (const key in next) if (next[key] !== this.props[key]) return true
      return false
    }
    override render() {
      return <Drawn {...(this.props as P)} /> // they are P and children
    }
  }
  return (props) => <Memo {...props} />
}
