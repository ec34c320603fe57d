import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

/** A value of a declared option, and the texts by which it is known on the wire. */
export interface Sample {
  readonly value: unknown
  readonly marks: readonly string[]
}

const wrapper = 'declared-options.ts'

/**
 * The values of each option that a package of the AI SDK declares, by the name of the type and of
 * the option: one for each form that the type allows.
 */
export function samplesOf(
  packageName: string,
  typeNames: readonly string[],
): ReadonlyMap<string, ReadonlyMap<string, readonly Sample[]>> {
  const imports = typeNames.map(
    (name, index) => `import type { ${name} as T${index} } from '${packageName}'`,
  )
  const uses = typeNames.map((_, index) => `export type U${index} = T${index}`)
  return new Map(
    readTypes([...imports, ...uses].join('\n'), typeNames.length).map(
      ({ checker, type }, index) => [
        typeNames[index] ?? '',
        new Map(
          propertiesOf(type, checker).map(({ name, type: inner }) => [
            name,
            valuesOf(inner, checker, name, 0),
          ]),
        ),
      ],
    ),
  )
}

/** The arguments of each tool that a package of the AI SDK makes, in each declared form. */
export function toolSamplesOf(
  packageName: string,
  provider: string,
): ReadonlyMap<string, readonly Sample[]> {
  const source = `import { ${provider} } from '${packageName}'\nexport type U0 = typeof ${provider}.tools`
  const [found] = readTypes(source, 1)
  if (!found) return new Map()
  const { checker, type } = found
  return new Map(
    propertiesOf(type, checker).map(({ name, type: factory }) => {
      const parameter = factory.getCallSignatures()[0]?.parameters[0]
      const declared = parameter && checker.getTypeOfSymbol(parameter)
      const args = declared && checker.getNonNullableType(declared)
      // What runs a tool in the application does not go to the vendor.
      const local = new Set(['execute', 'needsApproval', 'toModelOutput', 'inputExamples'])
      return [name, args ? valuesOf(args, checker, name, 0, local) : [{ value: {}, marks: [] }]]
    }),
  )
}

interface Found {
  readonly checker: ts.TypeChecker
  readonly type: ts.Type
}

/** The types `U0` and so on of a module. */
function readTypes(source: string, count: number): readonly Found[] {
  const file = join(dirname(fileURLToPath(import.meta.url)), wrapper)
  const options: ts.CompilerOptions = {
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    types: [],
  }
  const host = ts.createCompilerHost(options)
  const readFile = host.readFile.bind(host)
  const fileExists = host.fileExists.bind(host)
  const getSourceFile = host.getSourceFile.bind(host)
  host.fileExists = (name) => name === file || fileExists(name)
  host.readFile = (name) => (name === file ? source : readFile(name))
  host.getSourceFile = (name, language, ...rest) =>
    name === file
      ? ts.createSourceFile(name, source, language)
      : getSourceFile(name, language, ...rest)
  const program = ts.createProgram([file], options, host)
  const checker = program.getTypeChecker()
  const sourceFile = program.getSourceFile(file)
  const module = sourceFile && checker.getSymbolAtLocation(sourceFile)
  const exported = module ? checker.getExportsOfModule(module) : []
  return Array.from({ length: count }, (_, index) => {
    const symbol = exported.find(({ name }) => name === `U${index}`)
    if (!symbol) throw new Error(`no type U${index} in:\n${source}`)
    const type = checker.getDeclaredTypeOfSymbol(symbol)
    if (type.flags & ts.TypeFlags.Any) throw new Error(`U${index} is not declared by its package`)
    return { checker, type }
  })
}

/** The properties of a type; of a union, those of all its members. */
function propertiesOf(
  type: ts.Type,
  checker: ts.TypeChecker,
): readonly { readonly name: string; readonly type: ts.Type }[] {
  const members = type.isUnion() ? type.types : [type]
  const properties = new Map(
    members.flatMap((member) =>
      checker
        .getPropertiesOfType(member)
        .map((symbol): [string, ts.Type] => [
          symbol.name,
          checker.getNonNullableType(checker.getTypeOfSymbol(symbol)),
        ]),
    ),
  )
  return [...properties].map(([name, inner]) => ({ name, type: inner }))
}

let count = 4000

/** One value for each form of a type. `marks` are texts and numbers that stand in nothing else. */
function valuesOf(
  type: ts.Type,
  checker: ts.TypeChecker,
  name: string,
  depth: number,
  without: ReadonlySet<string> = new Set(),
): readonly Sample[] {
  const { flags } = type
  const plain = (value: unknown, ...marks: readonly string[]): readonly Sample[] => [
    { value, marks },
  ]
  if (depth > 6) return plain({})
  if (type.isUnion()) {
    const isFalse = (member: ts.Type): boolean => checker.typeToString(member) === 'false'
    const members = type.types.filter((member) => !isFalse(member))
    return members.flatMap((member) => valuesOf(member, checker, name, depth + 1))
  }
  // `string & {}` is how a type suggests texts and takes others.
  if (type.isIntersection()) {
    const [text] = type.types.filter(({ flags: kind }) => kind & ts.TypeFlags.String)
    if (text) return valuesOf(text, checker, name, depth + 1)
  }
  if (type.isStringLiteral()) return plain(type.value, `"${type.value}"`)
  if (type.isNumberLiteral()) return plain(type.value, String(type.value))
  if (flags & ts.TypeFlags.BooleanLiteral) return plain(true)
  if (flags & (ts.TypeFlags.String | ts.TypeFlags.TemplateLiteral)) {
    const text = `mark-${name}-${count++}`
    return plain(text, text)
  }
  // Small enough for every option that counts something.
  if (flags & ts.TypeFlags.Number) return plain(7)
  if (flags & ts.TypeFlags.Boolean) return plain(true)
  if (flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined | ts.TypeFlags.Never)) return []
  if (checker.isArrayType(type)) {
    const [element] = checker.getTypeArguments(type as ts.TypeReference)
    return element
      ? valuesOf(element, checker, name, depth + 1).map(({ value, marks }) => ({
          value: [value],
          marks,
        }))
      : plain([])
  }
  const properties = checker
    .getPropertiesOfType(type)
    .filter(({ name: key }) => !without.has(key) && !key.startsWith('__'))
  if (!properties.length) {
    const index = checker.getIndexInfoOfType(type, ts.IndexKind.String)
    if (!index) return plain(flags & ts.TypeFlags.Object ? {} : 'x')
    const [inner] = valuesOf(index.type, checker, name, depth + 1)
    // Ids at the vendors, by their names.
    if (name === 'providerReference')
      return plain({ openai: `id-${count}`, anthropic: `id-${count}` }, `id-${count++}`)
    const key = `key${count++}`
    return plain({ [key]: inner?.value ?? 'x' }, `"${key}"`, ...(inner?.marks ?? []))
  }
  // The first form of each field, and then each other form of one field.
  const forms = properties.map((property) => ({
    key: property.name,
    samples: valuesOf(
      checker.getNonNullableType(checker.getTypeOfSymbol(property)),
      checker,
      property.name,
      depth + 1,
    ),
  }))
  const most = Math.max(1, ...forms.map(({ samples }) => samples.length))
  return Array.from({ length: most }, (_, at) => {
    const chosen = forms.flatMap(({ key, samples }) => {
      const sample = samples[at] ?? samples[0]
      return sample ? [{ key, ...sample }] : []
    })
    return {
      value: Object.fromEntries(chosen.map(({ key, value }) => [key, value])),
      marks: chosen.flatMap(({ marks }) => marks),
    }
  })
}
