// Whether each package resolves for whoever installs it, as publint and attw see its tarball: every
// package is packed once, as a release packs it. `--into FOLDER` leaves the tarballs there. Needs
// `pnpm run build`.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { packAll } from './trial/pack.mjs'
import { publishedPackages, requireBuild } from './workspaces.ts'

/** Packages are ESM only: TypeScript's older resolution and `require` of Node 16 do not apply. */
const ignored = ['node10', 'node16-cjs']

const { values } = parseArgs({ options: { into: { type: 'string' } } })
const packages = publishedPackages()
requireBuild(packages)
const folder = values.into ?? mkdtempSync(join(tmpdir(), 'modelport-packed-'))
mkdirSync(folder, { recursive: true })

async function problemsOf({ shortName }, { file, problems }) {
  const data = readFileSync(file)
  const tarball = data.buffer.slice(data.byteOffset, data.byteOffset + data.length)
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true })
  const { types, problems: wrong = [] } = await checkPackage(
    createPackageFromTarballData(new Uint8Array(tarball)),
  )
  return [
    ...problems,
    ...messages
      .filter(({ type }) => type === 'error')
      .map((message) => `publint: ${formatMessage(message, pkg)}`),
    ...wrong
      .filter(({ resolutionKind }) => !ignored.includes(resolutionKind))
      .map((problem) => `attw: ${JSON.stringify(problem)}`),
    ...(types ? [] : ['attw: it has no types']),
  ].map((text) => `FAILED ${shortName}: ${text}`)
}

try {
  const packed = await packAll(packages, folder)
  for (const workspace of packages) {
    const problems = await problemsOf(workspace, packed.get(workspace.shortName))
    if (problems.length > 0) process.exitCode = 1
    console.log(problems.join('\n') || `ok     ${workspace.shortName}`)
  }
} finally {
  if (!values.into) rmSync(folder, { recursive: true, force: true })
}
