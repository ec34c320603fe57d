// The site: every export of every package, and the pages of docs/. `pnpm check:docs` checks it,
// `pnpm site` writes it to .cache/site.
import { readdirSync, readFileSync } from 'node:fs'
import { publishedPackages } from './scripts/workspaces.ts'

const published = publishedPackages()

const menu = readFileSync('docs/README.md', 'utf8')
const linked = [...menu.matchAll(/\(([\w/-]+\.md)\)/g)].map(([, path]) => `docs/${path}`)
const stored = ['docs', 'docs/guides', 'docs/decisions', 'docs/providers'].flatMap((folder) =>
  readdirSync(folder).flatMap((name) => (name.endsWith('.md') ? [`${folder}/${name}`] : [])),
)

/** Every page, first those of the menu, in its order: the order in which a user meets them. */
const pages = [...new Set([...linked, ...stored])]

/** @type {Partial<import('typedoc').TypeDocOptions>} */
export default {
  name: 'modelport',
  entryPoints: published.flatMap(({ path, entries }) =>
    entries.map(({ source }) => `${path}/${source}`),
  ),
  tsconfig: 'scripts/site/tsconfig.json',
  skipErrorChecking: true, // `pnpm typecheck` does that
  // Types that signatures name and no package exports have a page as well, below their package.
  plugin: ['./scripts/site/plugin.mjs', 'typedoc-plugin-missing-exports'],
  internalModule: 'Types of signatures',
  excludeExternals: true,
  packagesRequiringDocumentation: ['modelport', ...published.map(({ name }) => name)],
  validation: {
    notExported: true,
    invalidLink: true,
    invalidPath: true,
    rewrittenLink: true,
    notDocumented: true,
    unusedMergeModuleWith: true,
  },
  treatValidationWarningsAsErrors: true,
  projectDocuments: [...pages, 'CONTRIBUTING.md', 'AGENTS.md', 'SECURITY.md'],
  groupOrder: ['Guides', 'Reference', 'Providers', 'Modules', 'Decisions', 'Project', '*'],
  // Full-text search: the pages and the comments, not names only.
  searchInComments: true,
  searchInDocuments: true,
  customCss: 'scripts/site/site.css',
  sort: ['source-order'],
  navigation: { includeGroups: true },
  sourceLinkTemplate: 'https://github.com/modelport/modelport/blob/main/{path}#L{line}',
  disableGit: true,
  gitRevision: 'main',
  out: '.cache/site',
}
