import { configError, type JsonObject, LlmError, type ToolDefinition } from '@modelport/core'
import { namesOf } from '@modelport/core/settings'
import { checkToolSettings } from '../base/check-request.js'
import type { Ask } from './question.js'
import type { EffectDeclaration, ReconcileOutcome } from './reconcile.js'
import type { Tool, ToolContext } from './tool.js'
import { compileParameters, type ToolArguments, type ToolParameters } from './tool-parameters.js'
import { resultOf } from './tool-progress.js'

/** Fields of a tool that go to the vendor as they are. */
export type ToolHints = {
  readonly [Name in keyof Pick<
    ToolDefinition,
    'strict' | 'deferred' | 'callers' | 'cache' | 'vendor'
  >]?: ToolDefinition[Name] | undefined
}

const hints: readonly (keyof ToolHints)[] = ['strict', 'deferred', 'callers', 'cache', 'vendor']

/**
 * The settings of a tool. `strict`, `deferred`, `callers`, `cache` and `vendor` are those of
 * `ToolDefinition`.
 */
export interface ToolSettings<Parameters extends ToolParameters>
  extends EffectDeclaration<ToolArguments<Parameters>>,
    ToolHints {
  /** Name the model calls it by: 1 to 64 letters, digits, `_` and `-`. */
  readonly name: string
  /** When and how to use it; the model reads this. */
  readonly description: string
  /** The arguments, an object. Unset: the tool takes none. */
  readonly parameters?: Parameters | undefined
  /**
   * Does the work: see {@link Tool.execute}. Called only with arguments that fit. Of an async
   * generator, the yielded values are progress, and the value that it returns is the result.
   */
  execute(args: ToolArguments<Parameters>, context: ToolContext & { readonly ask: Ask }): unknown
  /** Cancels work that a call left pending: see {@link Tool.cancelPending}. */
  cancelPending?(taskId: string, context: { readonly signal: AbortSignal }): void | Promise<void>
  /** Maximum milliseconds one call may take; `Infinity` for no limit. Default 120,000. */
  readonly timeoutMs?: number | undefined
  /** True if it must not run next to another call of its step. Default false. */
  readonly exclusive?: boolean | undefined
  /** See {@link Tool.eager}. Default false. */
  readonly eager?: boolean | undefined
}

/**
 * Makes a tool. The schema checks the arguments before `execute` is called; if they do not fit, the
 * model reads why.
 * @throws {TypeError} a setting is not known.
 * @throws {LlmError} `config` — the name, the description, `execute` or the time limit is not
 * valid, or the parameters do not describe an object that a model can be shown; `unsupported` — the
 * JSON Schema has a keyword that is not understood.
 * @example
 * ```ts
 * import { defineTool } from '@modelport/runtime'
 * import { z } from 'zod'
 *
 * export const add = defineTool({
 *   name: 'add',
 *   description: 'Adds two numbers',
 *   parameters: z.object({ a: z.number(), b: z.number() }),
 *   execute: ({ a, b }) => a + b,
 * })
 * ```
 */
export function defineTool<const Parameters extends ToolParameters = JsonObject>(
  settings: ToolSettings<Parameters>,
): Tool {
  checkToolSettings(settings, settingNames)
  const { name, description, parameters, timeoutMs, exclusive, eager, idempotent, readOnly, once } =
    settings
  if (!/^[\w-]{1,64}$/.test(name)) {
    throw configError(
      `tool name ${JSON.stringify(name)} must be 1 to 64 letters, digits, "_" or "-"`,
    )
  }
  if (timeoutMs !== undefined && !(timeoutMs > 0))
    throw configError(`tool "${name}": timeoutMs must be a number above 0, not ${timeoutMs}`)
  if (eager && (!readOnly || exclusive))
    throw configError(
      `tool "${name}": eager needs readOnly: true and not exclusive, since the call of a reply that fails is dropped`,
    )
  const where = `tool "${name}": parameters`
  const { schema, validate } = compileParameters(parameters ?? noArguments, where)
  return {
    definition: {
      name,
      description,
      ...(parameters !== undefined && { parameters: schema }),
      ...Object.fromEntries(
        hints.flatMap((hint) => (settings[hint] === undefined ? [] : [[hint, settings[hint]]])),
      ),
    },
    validate,
    // Validation returned the output of the schema.
    execute: (value, context) => {
      const { ask = cannotAsk(name) } = context
      return resultOf(
        // eslint-disable-next-line no-restricted-syntax -- what a tool is made of
        settings.execute(value as ToolArguments<Parameters>, { ...context, ask }),
        context,
      )
    },
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(exclusive !== undefined && { exclusive }),
    ...(eager !== undefined && { eager }),
    ...(idempotent !== undefined && { idempotent }),
    ...(readOnly !== undefined && { readOnly }),
    ...(once !== undefined && { once }),
    ...(settings.reconcile && {
      reconcile: (value, context) =>
        settings.reconcile?.(value as ToolArguments<Parameters>, context) ?? unknownOutcome,
    }),
    ...(settings.cancelPending && {
      cancelPending: (taskId, context) => settings.cancelPending?.(taskId, context),
    }),
  }
}

const cannotAsk = (tool: string) => (): Promise<never> =>
  Promise.reject(
    new LlmError('unsupported', `tool "${tool}" asks its user, and this call is not one of a run`),
  )

const noArguments: JsonObject = { type: 'object', additionalProperties: false }
const unknownOutcome: ReconcileOutcome = { outcome: 'unknown' }

const settingNames = namesOf<ToolSettings<JsonObject>>({
  name: true,
  description: true,
  parameters: true,
  execute: true,
  timeoutMs: true,
  exclusive: true,
  eager: true,
  strict: true,
  deferred: true,
  callers: true,
  cache: true,
  vendor: true,
  idempotent: true,
  readOnly: true,
  once: true,
  reconcile: true,
  cancelPending: true,
})
