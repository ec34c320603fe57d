import { configError } from '@modelport/core'
import { suggest } from '@modelport/core/settings'
import { checkHandler, type HandlerName, handlerNames } from './handlers.js'
import type { AnyPrompt, Prompt } from './prompt.js'

/** One thing that `check` found. */
export interface PromptProblem {
  /** Path of the prompt. */
  readonly path: string
  /** What is wrong and what to do. */
  readonly message: string
}

/** A function that finds prompts below a path. */
export type PromptScope = (name: string) => Prompt

/** Prompts by their path. The caller owns it: there is no global one. */
export class PromptRegistry {
  readonly #prompts = new Map<string, Prompt>()

  /** @param prompts registered at once, in order */
  constructor(prompts: readonly AnyPrompt[] = []) {
    this.register(...prompts)
  }

  /**
   * Adds prompts.
   * @throws {LlmError} `config` — a path is registered already, and nothing of this call is added.
   */
  register(...prompts: readonly AnyPrompt[]): this {
    const paths = prompts.map(({ path }) => path)
    const twice = paths.find(
      (path, index) => this.#prompts.has(path) || paths.indexOf(path) !== index,
    )
    if (twice !== undefined)
      throw configError(`a prompt "${twice}" is registered already; give one of them another path`)
    // Its arguments are checked when they are filled in.
    for (const prompt of prompts) this.#prompts.set(prompt.path, prompt as Prompt)
    return this
  }

  /** True when a prompt of this path is registered. */
  has(path: string): boolean {
    return this.#prompts.has(path)
  }

  /**
   * The prompt of this path. Its types are those of any prompt; keep what `definePrompt` returns
   * where types matter.
   * @throws {LlmError} `config` — there is none; the message names the nearest path.
   */
  get(path: string): Prompt {
    const prompt = this.#prompts.get(path)
    if (prompt) return prompt
    throw configError(`there is no prompt "${path}"${suggest(path, [...this.#prompts.keys()])}`)
  }

  /** Finds prompts below a path: `scope('research')('ask')` is `get('research/ask')`. */
  scope(path: string): PromptScope {
    return (name) => this.get(`${path}/${name}`)
  }

  /** All prompts, or those below a path, in the order of their registration. */
  list(below?: string): readonly Prompt[] {
    const all = [...this.#prompts.values()]
    return below === undefined ? all : all.filter(({ path }) => path.startsWith(`${below}/`))
  }

  /**
   * Everything that would go wrong in the middle of a call: handlers with placeholders that nothing
   * fills, or that show nothing; tools without a schema.
   */
  check(): readonly PromptProblem[] {
    return this.list().flatMap((prompt) =>
      checkPrompt(prompt).map((message) => ({ path: prompt.path, message })),
    )
  }
}

function checkPrompt(prompt: Prompt): readonly string[] {
  const problems: string[] = []
  for (const name of Object.keys(handlerNames) as HandlerName[]) {
    const handler = prompt[name]
    if (handler === undefined || handler === false) continue
    problems.push(...checkHandler(prompt, name, handler))
    if (typeof handler === 'string') continue
    for (const inner of Object.keys(handlerNames) as HandlerName[])
      if (handler[inner] !== undefined)
        problems.push(
          `prompt "${prompt.path}", ${name}: the handler "${handler.path}" has a handler of its own, ${inner}, which is never used`,
        )
  }
  for (const { definition } of prompt.tools ?? [])
    if (!definition.parameters)
      problems.push(
        `prompt "${prompt.path}": the tool "${definition.name}" has no schema, so it takes no arguments`,
      )
  return problems
}
