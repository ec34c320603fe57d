import { InvalidArgumentError } from 'commander'

/** Collects the values of an option of the form `name=value`. */
export function addArg(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('write it as name=value.')
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) }
}
