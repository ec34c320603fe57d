import type { ToolDefinition, ToolResult } from '@modelport/core'
import { textOf } from '@modelport/core'
import { defineTool } from '../../tools/define-tool.js'
import type { Tool } from '../../tools/tool.js'
import { ToolFailure } from '../../tools/tool-content.js'
import { WordIndex } from '../../tools/word-index.js'

/** Name of the tool that finds the deferred ones. */
const findTool = 'find_tools'
/** Maximum tools that one search loads. */
const mostFound = 5

/**
 * The deferred tools of a run, and those that were loaded: in the order in which they were found,
 * so that the list of tools only grows at its end.
 */
export class FoundTools {
  readonly #loaded: string[]
  #deferred: readonly Tool[] = []

  /** @param loaded those that were loaded before a resume */
  constructor(loaded: readonly string[] = []) {
    this.#loaded = [...loaded]
  }

  /** Names of the tools that were loaded. */
  get loaded(): readonly string[] {
    return [...this.#loaded]
  }

  /**
   * Takes the tools of a step; returns those that are not deferred, then the search, if there is
   * anything to search, then those that were loaded.
   */
  show(tools: readonly Tool[], added: readonly Tool[]): readonly Tool[] {
    this.#deferred = tools.filter(({ definition }) => definition.deferred)
    if (!this.#deferred.length) return [...tools, ...added]
    const loaded = this.#loaded.flatMap(
      (name) => this.#deferred.find(({ definition }) => definition.name === name) ?? [],
    )
    const plain = tools.filter(({ definition }) => !definition.deferred)
    return [...plain, ...added, this.#search(), ...loaded.map(asLoaded)]
  }

  /** Tools that are not loaded: a call is answered with what it needs to be made again. */
  get hidden(): readonly Tool[] {
    return this.#deferred
      .filter(({ definition }) => !this.#loaded.includes(definition.name))
      .map(asHidden)
  }

  /**
   * Takes the result of a call: tools that were found, or called without being loaded, are there
   * from the next step on.
   */
  take(name: string, { content, isError }: ToolResult): void {
    const isHidden = this.#deferred.some(({ definition }) => definition.name === name)
    const found =
      name === findTool && !isError
        ? [...textOf(content).matchAll(/^\{"name":"([\w-]+)"/gm)].map(([, one = '']) => one)
        : [...(isHidden ? [name] : [])]
    for (const one of found) if (!this.#loaded.includes(one)) this.#loaded.push(one)
  }

  #search(): Tool {
    return defineTool({
      name: findTool,
      description:
        'There are more tools than are listed. Finds those that fit a few words; they can be called afterwards',
      parameters: {
        type: 'object',
        properties: { query: { type: 'string' } },
        required: ['query'],
        additionalProperties: false,
      },
      readOnly: true,
      execute: ({ query }) => searchTools(this.#deferred, query),
    })
  }
}

/** What a word counts in the name of a tool, in its description, and in those of its parameters. */
const boosts = [2, 1, 1]

function searchTools(tools: readonly Tool[], query: string): string {
  const index = new WordIndex(boosts)
  for (const { definition } of tools) {
    const { name, description, parameters } = definition
    index.add([name, description, Object.keys(parameters?.['properties'] ?? {}).join(' ')])
  }
  const lines = index
    .search(query)
    .slice(0, mostFound)
    .flatMap((at) => {
      const tool = tools[at]
      return tool ? [JSON.stringify(shownOf(tool.definition))] : []
    })
  return lines.length
    ? ['These tools can be called now:', ...lines].join('\n')
    : 'No tool fits these words: try others.'
}

const shownOf = ({ name, description, parameters }: ToolDefinition): object => ({
  name,
  description,
  parameters,
})

const asLoaded = ({ definition: { deferred: _, ...definition }, ...tool }: Tool): Tool => ({
  ...tool,
  definition,
})

const asHidden = (tool: Tool): Tool => ({
  ...tool,
  validate: (value) => ({ ok: true, value }),
  execute: () => {
    const { name } = tool.definition
    throw new ToolFailure(
      `The tool "${name}" was not loaded, so it was not executed. It can be called now: ${JSON.stringify(shownOf(tool.definition))}`,
    )
  },
  readOnly: true,
})
