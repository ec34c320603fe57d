import { type ChatMessage, LlmError } from '@modelport/core'
import type { RunCheckpoint } from '../../journal/checkpoint.js'
import type { StepChoice } from '../../journal/step-choice.js'
import type { Action } from '../../reply/action.js'
import { defineTool } from '../../tools/define-tool.js'
import type { Tool } from '../../tools/tool.js'
import { checkChoice } from '../request/check-choice.js'
import { type Handoff, handoffTool } from '../request/handoff.js'
import type { InferRequest } from '../request/run-request.js'

/** The agent in control of a run: the request's own settings, or one of its `handoffs`. */
export class RunControl {
  readonly #handoffs: Readonly<Record<string, Handoff>>
  readonly #own: string
  readonly #isAlone: boolean
  /** Unset: the request's own settings hold. */
  #name: string | undefined
  #tool: Tool | undefined

  /** @throws {LlmError} `config` — one of `handoffs` is not valid, or `agent` names nobody. */
  constructor(
    { handoffs = {}, agent, observe, models = {} }: InferRequest,
    resume: RunCheckpoint | undefined,
  ) {
    this.#handoffs = handoffs
    this.#isAlone = Object.keys(handoffs).length === 0
    this.#own = observe?.agentName ?? 'main'
    for (const [name, handoff] of Object.entries(handoffs))
      checkChoice(`handoffs.${name}`, toChoice(handoff), Object.keys(models))
    if (Object.hasOwn(handoffs, this.#own))
      throw new LlmError(
        'config',
        `handoffs: "${this.#own}" is the name of the run's own settings; choose another`,
      )
    if (agent !== undefined && !this.#names.includes(agent))
      throw new LlmError(
        'config',
        `agent: "${agent}" is not in handoffs; known: ${this.#names.join(', ')}`,
      )
    this.pass(resume ? resume.agent : agent)
  }

  /** The name of the agent in control. Unset: there is no other. */
  get agent(): string | undefined {
    return this.#isAlone ? undefined : (this.#name ?? this.#own)
  }

  get handoff(): Handoff | undefined {
    return this.#name === undefined ? undefined : this.#handoffs[this.#name]
  }

  get choice(): StepChoice {
    return this.handoff ? toChoice(this.handoff) : {}
  }

  get tools(): readonly Tool[] {
    return this.handoff?.tools?.filter((tool) => typeof tool !== 'string') ?? []
  }

  /** The tool by which control passes to another agent. */
  get tool(): Tool | undefined {
    if (this.#isAlone || this.#tool) return this.#tool
    const others = this.#names.filter((name) => name !== this.agent)
    const list = others.map(
      (name) =>
        `${name} (${this.#handoffs[name]?.description ?? 'who had the conversation first'})`,
    )
    this.#tool = defineTool({
      name: handoffTool,
      description: `Hands the conversation over to another agent, who answers from the next message on: ${list.join('; ')}.`,
      parameters: {
        type: 'object',
        properties: { to: { type: 'string', enum: others }, reason: { type: 'string' } },
        required: ['to'],
      },
      idempotent: true,
      execute: ({ to }) => `${to} has the conversation now.`,
    })
    return this.#tool
  }

  take(action: Action): void {
    if (action.type === 'tool_call' && action.tool === handoffTool)
      this.pass(String(action.args['to']))
  }

  pass(name: string | undefined): void {
    this.#tool = undefined
    this.#name = name === undefined || !Object.hasOwn(this.#handoffs, name) ? undefined : name
  }

  /** Control stays with the agent that the messages name. */
  follow(messages: readonly ChatMessage[]): void {
    const made = new Set(
      messages.flatMap((each) => (each.role === 'tool' && !each.isError ? [each.toolCallId] : [])),
    )
    const calls = messages.flatMap((message) =>
      message.role === 'assistant' ? (message.toolCalls ?? []) : [],
    )
    const last = calls.findLast(({ id, name }) => name === handoffTool && made.has(id))
    if (last) this.pass(String(last.arguments['to']))
  }

  get #names(): readonly string[] {
    return [this.#own, ...Object.keys(this.#handoffs)]
  }
}

function toChoice({ description: _, authorize: __, tools, ...rest }: Handoff): StepChoice {
  const nameOf = (tool: string | Tool): string =>
    typeof tool === 'string' ? tool : tool.definition.name
  return { ...rest, ...(tools && { tools: tools.map(nameOf) }) }
}
