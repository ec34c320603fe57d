// What an installation brings, and what a bundler takes of it.

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { Mishap } from './visitor.mjs'

/** Names of all packages in a node_modules folder, nested ones included. */
const installed = (folder) => {
  const modules = join(folder, 'node_modules')
  if (!existsSync(modules)) return []
  return readdirSync(modules)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@')
        ? readdirSync(join(modules, name)).map((inner) => `${name}/${inner}`)
        : [name],
    )
    .flatMap((name) => [name, ...installed(join(modules, name))])
    .sort()
}

async function inputsOfBundle(contents, resolveDir) {
  // The repository's own paths to sources are not those of an application: they are not read.
  const options = {
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    metafile: true,
    logLevel: 'error',
    tsconfigRaw: {},
  }
  const { metafile } = await build({ stdin: { contents, resolveDir }, ...options })
  return Object.keys(metafile.inputs)
}

/**
 * Installs one package: these packages and no others come, it loads, and a bundle for a browser has
 * nothing of Node.
 */
export async function installAlone(visitor, name, expected) {
  const command = `npm install ${name}`
  await visitor.install(command)
  const found = installed(visitor.folder)
  if (found.join() !== [...expected].sort().join())
    throw new Mishap(command, found.join('\n'), expected.sort().join('\n'))
  await visitor.run(`node --input-type=module -e "await import('${name}')"`)
  const inputs = await inputsOfBundle(`export * from '${name}'`, visitor.folder)
  if (inputs.some((path) => path.includes('node_modules/undici/')))
    throw new Mishap(`a bundle of ${name} for a browser`, inputs.join('\n'), 'no undici')
  return `${found.length} packages, loads, bundles for a browser`
}

/**
 * What a manifest's `browser` replaces must not be in a bundle, nor the SDK that only this imports.
 */
export async function bundleForBrowser({ shortName, dir, manifest }) {
  const inputs = await inputsOfBundle("export * from './dist/index.js'", dir)
  const unwanted = inputs.filter(
    (path) =>
      !path.startsWith('(disabled)') &&
      // Signatures and frames of AWS are made by these, in a browser too.
      ((path.includes('node_modules/') &&
        !/node_modules\/(?:@smithy|@aws-crypto|@aws-sdk\/(?:util|types)|tslib)/.test(path)) ||
        Object.keys(manifest.browser).some((file) =>
          path.endsWith(`${shortName}${file.slice(1)}`),
        )),
  )
  if (inputs.length < 2 || unwanted.length > 0)
    throw new Mishap(
      `a bundle of ${shortName} for a browser`,
      inputs.join('\n'),
      'no SDK and no undici',
    )
  return 'bundles without SDK and undici'
}
