// Which files name a vendor that are not its own. A new vendor is its package, its row, its page,
// and a line in each file of `listings`; anything else that has to know it is a defect here.
import { vendors } from '@modelport/catalog'
import type { Exception } from '../../scripts/exception.ts'
import { readText, repositoryFiles } from './repository.js'

/** Files with a line for each vendor, which a new one adds. */
export const listings: readonly Exception[] = [
  { where: 'README.md', why: 'the sentence that lists the functions' },
  { where: 'docs/configuration.md', why: 'written by `pnpm vendors`, and the fields of clouds' },
  { where: 'docs/README.md', why: 'written by `pnpm vendors`' },
  { where: 'docs/semver.md', why: 'written by `pnpm vendors`' },
  { where: 'packages/catalog/src/index.ts', why: 'written by `pnpm vendors`' },
  { where: 'packages/catalog/src/vendors.ts', why: 'written by `pnpm vendors`' },
  { where: 'packages/catalog/src/chat-vendors.ts', why: 'written by `pnpm vendors`' },
  { where: 'packages/catalog/src/vendor-models.ts', why: 'written by `pnpm vendors`' },
  {
    where: 'packages/factory/src/create/vendor-packages.ts',
    why: 'written by `pnpm vendors`: a bundler follows only an import whose name is written',
  },
  { where: 'scripts/kept-exports.json', why: 'reasons, by package' },
  { where: 'test/tested-apis.ts', why: 'written by `pnpm vendors`' },
  { where: 'test/grid/apis.ts', why: 'a column for each model with which an API differs' },
  { where: 'test/formats/index.ts', why: 'the exports of the wire formats' },
]

/** The vendors that the exceptions are for. A new one is not added: it needs none of them. */
export const settled: readonly string[] = [
  'anthropic',
  'bedrock',
  'google',
  'llamacpp',
  'ollama',
  'openai',
]

/** Files that name some of these for what only they have. */
export const exceptions: readonly Exception[] = [
  { where: 'SECURITY.md', why: 'links from each threat to the tests that prove its answer' },
  { where: 'knip.config.ts', why: 'packages of the AI SDK that its examples import' },
  { where: 'docs/compare.md', why: 'what peers have of each vendor' },
  { where: 'docs/hosts.md', why: 'the variables that replace addresses' },
  { where: 'docs/not-here.md', why: 'what of each vendor is missing, and why' },
  { where: 'docs/runtimes.md', why: 'which packages run in a browser' },
  { where: 'docs/which-function.md', why: 'which provider to take' },
  { where: 'docs/providers/', why: 'a page says what a vendor shares with another one' },
  { where: 'docs/guides/', why: 'names of the AI SDK; models for small machines' },
  { where: 'docs/runtime.md', why: 'models in this process have grammars' },
  { where: 'docs/cli.md', why: 'what the command line asks of a file in this process' },
  { where: 'examples/', why: 'a demonstration calls every API; local models are in a process' },
  { where: 'bench/', why: 'what is measured' },
  { where: 'eslint.config.js', why: 'binaries of node-llama-cpp are data' },
  { where: 'vitest.config.ts', why: 'tests of a model in the process take turns' },
  { where: 'packages/ai-sdk/', why: "the AI SDK's own names of vendors, and their options" },
  { where: 'packages/catalog/src/vendors/', why: 'vendors of Chat Completions, and clouds' },
  { where: 'packages/chat-completions/src/decoder.ts', why: 'fields that its servers add' },
  { where: 'packages/cli/src/init/running-servers.ts', why: 'servers on this machine' },
  { where: 'packages/cli/src/models/', why: 'what servers on this machine say of a model' },
  { where: 'packages/cli/src/studio/cassette-model.ts', why: 'the form of a recorded address' },
  { where: 'packages/cli/test/', why: 'a model in this process, and its server' },
  { where: 'packages/conformance/src/', why: 'the suite serves five APIs to any client' },
  { where: 'packages/dialog/test/', why: 'small models in the process' },
  { where: 'packages/factory/src/clouds/', why: 'a cloud is a file, and its field' },
  { where: 'packages/factory/src/config/model-string.ts', why: 'names with a slash' },
  { where: 'packages/factory/src/create/creation.ts', why: 'who takes batches and files' },
  {
    where: 'packages/factory/src/create/load-creators.ts',
    why: 'a package that many vendors share has their name in its own',
  },
  { where: 'packages/factory/src/file/', why: 'forms of `OLLAMA_HOST`, and names of old files' },
  { where: 'packages/factory/src/index.ts', why: 'the types of the fields of clouds' },
  { where: 'packages/factory/src/static.ts', why: 'the types of the fields of clouds' },
  { where: 'packages/factory/src/providers/', why: 'rows: what the factory does with a vendor' },
  { where: 'packages/factory/test/', why: 'one vendor in the clouds of others; a file as a model' },
  { where: 'packages/provider-anthropic/', why: 'Claude in the clouds of others' },
  { where: 'packages/provider-bedrock/', why: 'Claude and OpenAI in a cloud' },
  { where: 'packages/provider-openai-compatible/', why: 'presets for servers, and its name' },
  { where: 'packages/runtime/test/', why: 'small models in the process' },
  { where: 'packages/serve/src/wire/error-forms.ts', why: 'the types of errors that A2A names' },
  { where: 'packages/studio/test/', why: 'real models in the process' },
  { where: 'scripts/lint/boundaries.ts', why: 'a model in the process imports what Node has' },
  { where: 'scripts/size-limits.json', why: 'what each weighs in a browser' },
  { where: 'scripts/shape-sources.ts', why: "shapes from the vendors' own types" },
  { where: 'scripts/trial.mjs', why: 'a model in the process is installed apart' },
  { where: 'test/capabilities.test.ts', why: 'embedders and files are made next to a provider' },
  { where: 'test/doubles/', why: "rules of each API, with its vendor's own pages" },
  { where: 'test/support/', why: 'hosts of clouds; a model in the process and its server' },
  { where: 'test/backends.test.ts', why: 'servers on this machine' },
  { where: 'test/egress.test.ts', why: 'a model in the process contacts nothing' },
  { where: 'test/provider-pages.test.ts', why: 'a model in the process has no server' },
  { where: 'test/vendor-files.test.ts', why: 'the counts' },
  { where: 'test/vendor-model.test.ts', why: 'a file is a model' },
]

/** Vendors that pages and tests take as their example, since readers know them. */
const familiar: readonly string[] = ['anthropic', 'google', 'mock', 'ollama', 'openai']

const isWritten = (path: string): boolean =>
  /\.(?:ts|tsx|mts|mjs|js|json|md)$/.test(path) &&
  !/(?:^|\/)(?:CHANGELOG\.md|package\.json|tsconfig[\w.]*\.json)$/.test(path) &&
  !/^(?:\.changeset|evidence|test\/corpus|test\/live|packages\/[^/]+\/api)\//.test(path)

/** The code of a file without its comments, or the text of a page. */
function contentOf(path: string): string {
  const text = readText(path)
  return path.endsWith('.md')
    ? text
    : text.replace(/\/\*[^]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
}

/** True for the package, the row, the page and any file or folder with the name of the vendor. */
const isOwn = (vendor: string, path: string): boolean =>
  path.split('/').some((part) => part.startsWith(vendor) || part === `provider-${vendor}`)

const isInPackage = (path: string): boolean => /^packages\/[^/]+\/src\//.test(path)

/** The vendors that have a package: its name without `@modelport/provider-`. */
export const packagedVendors: readonly string[] = [
  ...new Set(
    vendors.flatMap(({ package: name }) => name?.replace('@modelport/provider-', '') ?? []),
  ),
].filter((name) => name !== 'mock')

/** The files that are looked at, each with its code or its text. */
export const readFiles = (): ReadonlyMap<string, string> =>
  new Map(
    repositoryFiles()
      .filter(isWritten)
      .map((path) => [path, contentOf(path).toLowerCase()]),
  )

/** Every file that names a vendor that it does not belong to, listings and exceptions included. */
export const foreignFiles = (
  vendor: string,
  files: ReadonlyMap<string, string>,
): readonly string[] =>
  [...files]
    .filter(([path]) => !isOwn(vendor, path))
    .filter(([path]) => !familiar.includes(vendor) || isInPackage(path))
    .filter(([, text]) => text.includes(vendor))
    .map(([path]) => path)

/** True if the file is the one of the exception, or in its folder. */
export const isIn = ({ where }: Exception, path: string): boolean =>
  where.endsWith('/') ? path.startsWith(where) : path === where

/** The files among them that nothing excuses. */
export const unexcusedFiles = (
  vendor: string,
  files: ReadonlyMap<string, string>,
): readonly string[] => {
  const rows = settled.includes(vendor) ? [...listings, ...exceptions] : listings
  return foreignFiles(vendor, files).filter((path) => !rows.some((row) => isIn(row, path)))
}
