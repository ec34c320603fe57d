// The site: every export of every package, and the pages of docs/. `pnpm docs:check` checks it, `pnpm site` writes it to .cache/site.
import { publishedPackages } from './scripts/workspaces.mjs'

const published = publishedPackages()

/** New packages: lint asks for a comment on every export, but not all their fields have one yet. */
const symbolsOnly = ['agent', 'durable'].map((name) => `@modelport/${name}`)

/** @type {Partial<import('typedoc').TypeDocOptions>} */
export default {
  name: 'modelport',
  entryPoints: published.flatMap(({ path, entries }) => entries.map(({ source }) => `${path}/${source}`)),
  tsconfig: 'scripts/site/tsconfig.json',
  skipErrorChecking: true, // `pnpm typecheck` does that
  plugin: ['./scripts/site/plugin.mjs'],
  packagesRequiringDocumentation: [
    'modelport',
    ...published.map(({ name }) => name).filter((name) => !symbolsOnly.includes(name)),
  ],
  validation: {
    notExported: true,
    invalidLink: true,
    invalidPath: true,
    rewrittenLink: true,
    notDocumented: true,
    unusedMergeModuleWith: true,
  },
  treatValidationWarningsAsErrors: true,
  projectDocuments: [
    'docs/*.md',
    'docs/guides/*.md',
    'docs/decisions/*.md',
    'docs/providers/*.md',
    'CONTRIBUTING.md',
    'AGENTS.md',
    'SECURITY.md',
  ],
  groupOrder: ['Modules', 'Guides', 'Reference', 'Providers', 'Project', '*'],
  sort: ['source-order'],
  navigation: { includeGroups: true },
  sourceLinkTemplate: 'https://github.com/modelport/modelport/blob/main/{path}#L{line}',
  disableGit: true,
  gitRevision: 'main',
  out: '.cache/site',
}
