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
   * The tools that the model sees in a step: those that are not deferred, then the search, if there
   * is anything to search, then those that were loaded.
   * @param added tools that are never deferred
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

  /** Tools that are not loaded. The result of a call has the schema, so that it can be repeated. */
  get hidden(): readonly Tool[] {
    return this.#deferred
      .filter(({ definition }) => !this.#loaded.includes(definition.name))
      .map(asHidden)
  }

  /**
   * Reads the result of a call. Tools that it found, or a hidden tool that was called, are loaded
   * from the next step on.
   */
  take(name: string, result: ToolResult): void {
    for (const tool of this.#toolsToLoad(name, result))
      if (!this.#loaded.includes(tool)) this.#loaded.push(tool)
  }

  #toolsToLoad(name: string, { content, isError }: ToolResult): readonly string[] {
    if (name === findTool && !isError)
      return [...textOf(content).matchAll(/^\{"name":"([\w-]+)"/gm)].map(([, tool = '']) => tool)

    const isHidden = this.#deferred.some(({ definition }) => definition.name === name)
    return isHidden ? [name] : []
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

/** How much a word counts in the name of a tool, its description, and its parameters' names. */
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
    .flatMap((position) => {
      const tool = tools[position]
      return tool ? [JSON.stringify(searchedFields(tool.definition))] : []
    })
  return lines.length
    ? ['These tools can be called now:', ...lines].join('\n')
    : 'No tool fits these words: try others.'
}

const searchedFields = ({ name, description, parameters }: ToolDefinition): object => ({
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
  // Any arguments pass, so that the model reads the schema and not what is wrong with them.
  validate: (value) => ({ ok: true, value }),
  execute: () => {
    const { name } = tool.definition
    throw new ToolFailure(
      `The tool "${name}" was not loaded, so it was not executed. It can be called now: ${JSON.stringify(searchedFields(tool.definition))}`,
    )
  },
  readOnly: true,
})
