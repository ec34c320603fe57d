// For typedoc: a module is called as it is imported, a page by its heading, and what documents
// itself needs no comment.
import { Converter, ReflectionKind } from 'typedoc'
import { publishedPackages } from '../workspaces.ts'

const groups = [
  [/\/docs\/guides\//, 'Guides'],
  [/\/docs\/providers\//, 'Providers'],
  [/\/docs\/decisions\//, 'Decisions'],
  [/\/docs\//, 'Reference'],
  [/./, 'Project'],
]

const repository = 'https://github.com/modelport/modelport'
const outside = /^(?:\.\.\/)*(examples\/[\w-]+|evidence\/[\w-]+\.md(?:#[\w-]+)?)\/?$/

/** `core/src` → `@modelport/core`, `runtime/src/ui/ui` → `@modelport/runtime/ui` */
const specifiers = new Map(
  publishedPackages().flatMap(({ shortName, entries }) =>
    entries.map(({ specifier, source }) => [
      `${shortName}/${source.replace(/\.ts$/, '').replace(/\/index$/, '')}`,
      specifier,
    ]),
  ),
)

/** A page's first line is its name. */
function nameDocument(document, path) {
  // A heading with code in it comes in several parts.
  const [, title] = /^# (.+)\n/.exec(document.content.map(({ text }) => text).join('')) ?? []
  if (!title) return
  document.name = title.replaceAll('`', '')
  document.frontmatter.group ??= groups.find(([pattern]) => pattern.test(path))[1]
}

/**
 * `type: 'text'` says all there is to say; fields of an object type within another are told by the
 * comment of what holds them.
 */
const needsNone = (reflection) =>
  reflection.kind === ReflectionKind.Property &&
  (reflection.type?.type === 'literal' || reflection.parent?.kind === ReflectionKind.TypeLiteral)

/** Part of a function's type: not asked for a comment at all. */
const inSignature = ({ parent }) =>
  parent !== undefined && (parent.kindOf(ReflectionKind.SomeSignature) || inSignature(parent))

/** Below the module of types that signatures name and no package exports. */
const isInternal = ({ name, parent }) =>
  parent !== undefined && (name === 'Types of signatures' || isInternal(parent))

/**
 * What typedoc asks for a comment: signatures in place of methods and accessors, and no function
 * type.
 */
const documented =
  ReflectionKind.Interface |
  ReflectionKind.Class |
  ReflectionKind.TypeAlias |
  ReflectionKind.Property |
  ReflectionKind.CallSignature |
  ReflectionKind.GetSignature
const isAsked = (reflection) =>
  reflection.kindOf(documented) &&
  !(
    reflection.kind === ReflectionKind.CallSignature &&
    reflection.parent?.kind === ReflectionKind.TypeLiteral
  )

/** Part of what a function takes. */
const inParameter = ({ parent }) =>
  parent !== undefined && (parent.kind === ReflectionKind.Parameter || inParameter(parent))

/** A signature goes by the name of its method: `run`, not `run.run`. */
const nameOf = (reflection) => reflection.getFullName().replace(/\.(\w+)\.\1(?=\.|$)/g, '.$1')

const hasComment = (reflection) =>
  reflection.hasComment() || reflection.signatures?.every((signature) => signature.hasComment())

/**
 * A folder cannot be copied, and evidence is not a page of the site: a link to either is marked,
 * and `linkRepository` finds it.
 */
function markOutside(files) {
  const register = files.register.bind(files)
  files.register = (source, relative) =>
    outside.test(relative) ? { target: -1, anchor: undefined } : register(source, relative)
}

/** A link to what is not on the site leads to the repository. */
function linkRepository(parts) {
  for (const part of parts) {
    if (part.kind === 'relative-link' && outside.test(part.text))
      Object.assign(part, {
        kind: 'text',
        text: part.text.replace(outside, `${repository}/tree/main/$1`),
      })
  }
}

export function load(app) {
  markOutside(app.files)
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context, document) => {
    nameDocument(document, app.files.getReflectionPath(document) ?? '')
  })
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getReflectionsByKind(ReflectionKind.Module))
      module.name = specifiers.get(module.name) ?? module.name
    for (const document of project.getReflectionsByKind(ReflectionKind.Document))
      linkRepository(document.content)
    linkRepository(project.readme ?? [])
    // The theme puts the project's name over its first page.
    if (project.readme?.[0]) project.readme[0].text = project.readme[0].text.replace(/^# .+\n+/, '')
  })
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    const reflections = Object.values(project.reflections)
    const itself = reflections.filter(
      (reflection) =>
        !reflection.hasComment() &&
        (isInternal(reflection)
          ? isAsked(reflection) && !inParameter(reflection)
          : needsNone(reflection) && !inSignature(reflection)),
    )
    const required = app.options.getValue('packagesRequiringDocumentation')
    const isRequired = (name) =>
      required.some((one) => name.startsWith(`${one}.`) || name.startsWith(`${one}/`))
    app.options.setValue('intentionallyNotDocumented', [
      ...new Set(itself.map(nameOf).filter(isRequired)),
    ])
    const exported = reflections.filter(
      (reflection) =>
        reflection.parent?.kind === ReflectionKind.Module &&
        reflection.kind !== ReflectionKind.Reference &&
        !isInternal(reflection),
    )
    console.log(
      `${exported.filter(hasComment).length} of ${exported.length} exports have a comment`,
    )
  })
}
