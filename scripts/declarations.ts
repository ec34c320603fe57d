// The declarations of a package: one file per entry, and those that entries share.
import { isAbsolute } from 'node:path'
import { rolldown } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'
import ts from 'typescript'

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  strict: true,
  exactOptionalPropertyTypes: true,
  declaration: true,
  emitDeclarationOnly: true,
  isolatedModules: true,
  noResolve: true,
}

/**
 * What a file is declared with in place of the standard library: the types that the compiler needs,
 * and the symbols that name methods, since it declares a method of unknown name twice.
 */
const library = ts.createSourceFile(
  '/library.d.ts',
  `interface Array<T> { length: number; [index: number]: T }
  interface ReadonlyArray<T> { length: number; [index: number]: T }
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol
    readonly asyncIterator: unique symbol
    readonly dispose: unique symbol
    readonly iterator: unique symbol
    readonly toStringTag: unique symbol
  }
  interface Boolean {}
  interface CallableFunction {}
  interface Function {}
  interface IArguments {}
  interface NewableFunction {}
  interface Number {}
  interface Object {}
  interface RegExp {}
  interface String {}
  interface Symbol {}
  declare var Symbol: SymbolConstructor`,
  ts.ScriptTarget.ES2022,
)

/**
 * The declarations of one file, from this file alone: each export states its type
 * (`isolatedDeclarations`), and inferring types would take longer than the rest of the build.
 * `ts.transpileDeclaration` has no symbols, and Rolldown's own generator drops comments in unions.
 */
function declare(code: string, fileName: string): string {
  const source = ts.createSourceFile(fileName, code, ts.ScriptTarget.ES2022)
  const files = new Map([
    [fileName, source],
    [library.fileName, library],
  ])
  let declarations = ''

  const program = ts.createProgram({
    rootNames: [fileName],
    options,
    host: {
      getSourceFile: (name) => files.get(name),
      fileExists: (name) => files.has(name),
      readFile: () => undefined,
      writeFile: (_name, text) => {
        declarations = text
      },
      getDefaultLibFileName: () => library.fileName,
      getCurrentDirectory: () => '/',
      getCanonicalFileName: (name) => name,
      useCaseSensitiveFileNames: () => true,
      getNewLine: () => '\n',
    },
  })
  program.emit()

  return declarations
}

/** Writes the declarations of `entries`, whose keys are names of outputs, to `outDir`. */
export async function writeDeclarations(
  entries: Readonly<Record<string, string>>,
  outDir: string,
): Promise<void> {
  const bundle = await rolldown({
    input: entries,
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    plugins: [
      dts({
        dtsOnly: true,
        generator: { emit: (code, fileName) => ({ code: declare(code, fileName) }) },
        sourcemap: false,
        tsconfig: false,
      }),
    ],
    checks: { bundlerTimings: false },
  })

  await bundle.write({
    dir: outDir,
    format: 'es',
    entryFileNames: '[name].d.ts',
    chunkFileNames: '[name]-[hash].d.ts',
  })
  await bundle.close()
}
