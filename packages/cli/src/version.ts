import { readFileSync } from 'node:fs'

interface Manifest {
  readonly version: string
  readonly repository: { readonly url: string }
}

/**
 * The manifest of this package. The file stays directly in src: the bundle in dist reads it by the
 * same relative path.
 */
const manifest = (): Manifest =>
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as Manifest

/** The version of this package. */
export const packageVersion = (): string => manifest().version

/** Where everyone can read a page of the repository. */
export const pageAddress = (path: string): string =>
  `${manifest().repository.url.replace(/^git\+|\.git$/g, '')}/blob/main/${path}`
