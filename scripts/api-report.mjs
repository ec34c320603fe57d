// What each package exports, as a text that a reviewer reads: packages/*/api/*.api.md. Without an
// argument it says where a report and the built declarations differ; with `--update` it writes the
// reports anew. In both cases it fails where a signature names a type of its package that no entry
// of the package exports: nobody could import it. Needs `pnpm run build`.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { devNull } from 'node:os'
import { join, relative } from 'node:path'
import {
  CompilerState,
  Extractor,
  ExtractorConfig,
  ExtractorLogLevel,
} from '@microsoft/api-extractor'
import { publishedPackages, requireBuild, root } from './workspaces.ts'

/** API Extractor's name for a type of a signature that the entry does not export. */
const forgotten = 'ae-forgotten-export'

const update = process.argv.includes('--update')
const published = publishedPackages()
requireBuild(published)

/** `@modelport/factory/node` → `factory-node.api.md` */
const reportName = (specifier) =>
  `${specifier.replace('@modelport/', '').replaceAll('/', '-')}.api.md`

const configOf = ({ dir, path }, { specifier, output }) => {
  const reportFolder = join(dir, 'api')
  mkdirSync(reportFolder, { recursive: true })
  return ExtractorConfig.prepare({
    packageJsonFullPath: join(dir, 'package.json'),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: dir,
      mainEntryPointFilePath: join(dir, output.replace(/\.js$/, '.d.ts')),
      compiler: {
        overrideTsconfig: {
          extends: join(root, 'tsconfig.base.json'),
          compilerOptions: { composite: false, paths: {}, types: ['node'] },
          files: [],
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: reportName(specifier),
        reportFolder,
        reportTempFolder: join(root, '.cache/api', path),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        extractorMessageReporting: {
          default: { logLevel: ExtractorLogLevel.None },
          [forgotten]: { logLevel: ExtractorLogLevel.Error },
        },
        tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
      },
    },
  })
}

const jobs = published.flatMap((workspace) =>
  workspace.entries.map((entry) => ({
    name: entry.specifier,
    folder: join(root, '.cache/api', workspace.path),
    config: configOf(workspace, entry),
  })),
)
// One program for all entries: each of its own would take as long as all together.
const compilerState = CompilerState.create(jobs[0].config, {
  additionalEntryPoints: jobs.slice(1).map(({ config }) => config.mainEntryPointFilePath),
})

/** Lines that differ, with what stands around them. */
const difference = ({ reportFilePath, reportTempFilePath }) =>
  spawnSync(
    'git',
    [
      'diff',
      '--no-index',
      '--no-color',
      '--unified=2',
      existsSync(reportFilePath) ? reportFilePath : devNull,
      reportTempFilePath,
    ],
    { encoding: 'utf8' },
  )
    .stdout.split('\n')
    .slice(4)
    .join('\n')

let wrong = 0
/** Types that an entry names in a signature and does not export itself. */
const named = []
for (const { name, folder, config } of jobs) {
  const { apiReportChanged, errorCount } = Extractor.invoke(config, {
    compilerState,
    localBuild: update,
    messageCallback: (message) => {
      if (message.messageId === forgotten) {
        const [, type] = /^The symbol "([^"]+)"/.exec(message.text) ?? []
        named.push({ name, folder, type })
        // It counts below, if no other entry exports the type either.
        message.logLevel = ExtractorLogLevel.None
      }
      message.handled = message.logLevel !== ExtractorLogLevel.Error
    },
  })
  if (update ? errorCount === 0 : !apiReportChanged) continue
  wrong++
  console.log(
    update
      ? `${name}: could not be reported`
      : `${name} exports something else than its report says:\n${difference(config)}`,
  )
}

/** What the entries of a package export: a type of one entry may stand in signatures of another. */
const exportsIn = (folder) =>
  readdirSync(folder).flatMap((file) =>
    [
      ...readFileSync(join(folder, file), 'utf8').matchAll(
        /^export (?:declare |default |abstract |const )*(?:class|enum|function|interface|namespace|type|const|let|var) (\w+)/gm,
      ),
    ].map(([, exported]) => exported),
  )
for (const { name, folder, type } of named) {
  if (exportsIn(folder).includes(type)) continue
  wrong++
  console.log(`${name} names the type ${type} in a signature, and no entry exports it: export it`)
}

const wanted = jobs.map(({ config }) => config.reportFilePath)
const left = published
  .flatMap(({ dir }) => readdirSync(join(dir, 'api')).map((file) => join(dir, 'api', file)))
  .filter((file) => !wanted.includes(file))
for (const file of left) {
  if (update) rmSync(file)
  else {
    wrong++
    console.log(`${relative(root, file)}: a report of no entry`)
  }
}
console.log(
  wrong
    ? `${wrong} faults. If a report is meant to differ: pnpm api:update, and commit packages/*/api`
    : `${jobs.length} API reports ${update ? 'written' : 'agree'}`,
)
process.exitCode = wrong ? 1 : 0
