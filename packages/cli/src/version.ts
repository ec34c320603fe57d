import { readFileSync } from 'node:fs'

/** The version of this package. The file stays directly in src: the bundle in dist reads the manifest by the same relative path. */
export function packageVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    readonly version: string
  }
  return manifest.version
}
