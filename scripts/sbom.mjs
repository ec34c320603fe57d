// One SBOM (CycloneDX 1.7, JSON) per published package: `node scripts/sbom.mjs FOLDER`. pnpm writes
// them from the lockfile; this adds what the lockfile does not know, licences and what a build
// holds of zod, and checks each against the schema of CycloneDX.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { publishedPackages, root } from './workspaces.ts'

/** pnpm 10, which builds this repository, has no such command; 11 reads the same lockfile. */
const pnpm = 'pnpm@11.28.11'
const options = {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 1 << 26,
  shell: process.platform === 'win32',
}

/** Licences of all dependencies, by `name@version`. */
function licences() {
  const list = execFileSync(
    'pnpm',
    ['--filter', './packages/*', 'licenses', 'list', '--json'],
    options,
  )
  return new Map(
    Object.values(JSON.parse(list))
      .flat()
      .flatMap(({ name, versions, license }) =>
        versions.map((version) => [`${name}@${version}`, license]),
      ),
  )
}

const licenceField = (licence) =>
  /^[\w.-]+$/.test(licence)
    ? [{ license: { id: licence } }]
    : [{ expression: licence.replace(/^\(|\)$/g, '') }]

/** What a build holds of a development dependency stands in a notice next to it. */
function bundled(dir) {
  if (!existsSync(join(dir, 'dist/zod-notice.txt'))) return []
  const { version, license } = JSON.parse(
    readFileSync(join(dir, 'node_modules/zod/package.json'), 'utf8'),
  )
  const purl = `pkg:npm/zod@${version}`
  const description = 'parts of it are inside the files of this package'
  return [
    {
      type: 'library',
      name: 'zod',
      version,
      purl,
      'bom-ref': purl,
      description,
      licenses: licenceField(license),
    },
  ]
}

/** @returns the files written, and what is wrong with any */
export async function writeSboms(folder) {
  mkdirSync(folder, { recursive: true })
  const out = ['--out', join(folder, '%s.cdx.json')]
  const sbom = [
    'sbom',
    '--sbom-format',
    'cyclonedx',
    '--lockfile-only',
    '--prod',
    '--split',
    ...out,
  ]
  // An npx around this one left its own command and packages in the environment.
  const env = { ...process.env, npm_config_call: '', npm_config_package: '' }
  execFileSync(
    'npx',
    ['-y', '--prefer-offline', pnpm, '--pm-on-fail=ignore', '--filter', './packages/*', ...sbom],
    {
      ...options,
      env,
    },
  )
  const known = licences()
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot7)
  const problems = []
  for (const { dir, shortName } of publishedPackages()) {
    const file = join(folder, `modelport-${shortName}.cdx.json`)
    const bom = JSON.parse(readFileSync(file, 'utf8'))
    for (const component of bom.components) {
      const name = [component.group, component.name].filter(Boolean).join('/')
      const licence = known.get(`${name}@${component.version}`)
      if (!component.licenses && licence) component.licenses = licenceField(licence)
      if (!component.licenses) problems.push(`${shortName}: ${name} has no licence`)
    }
    const more = bundled(dir).filter(({ purl }) =>
      bom.components.every((component) => component.purl !== purl),
    )
    bom.components.push(...more)
    for (const { purl } of more) {
      bom.dependencies
        .find(({ ref }) => ref === bom.metadata.component['bom-ref'])
        .dependsOn.push(purl)
      bom.dependencies.push({ ref: purl, dependsOn: [] })
    }
    const text = `${JSON.stringify(bom, undefined, 2)}\n`
    const wrong = await validator.validate(text)
    if (wrong) problems.push(`${shortName}: ${JSON.stringify(wrong)}`)
    writeFileSync(file, text)
  }
  return { files: readdirSync(folder).filter((name) => name.endsWith('.cdx.json')), problems }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = resolve(process.argv[2] ?? '.cache/sbom')
  const { files, problems } = await writeSboms(folder)
  for (const problem of problems) console.log(`FAILED ${problem}`)
  console.log(`${files.length} SBOMs in ${folder}`)
  process.exitCode = problems.length > 0 ? 1 : 0
}
