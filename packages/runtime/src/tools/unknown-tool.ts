import { cut } from '../base/well-formed.js'

const mostNames = 50

/** Tells the model that a tool does not exist, and which ones do. */
export function unknownToolText(name: string, known: readonly string[]): string {
  const more = known.length > mostNames ? ` and ${known.length - mostNames} more` : ''
  const names = known.length
    ? `The tools are: ${known.slice(0, mostNames).join(', ')}${more}.`
    : 'There are no tools.'
  return `There is no tool "${cut(name, 100)}". ${names}`
}
