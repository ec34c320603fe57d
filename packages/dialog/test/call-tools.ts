import {
  createMock,
  type MockConfig,
  type MockProvider,
  type MockResponse,
} from '@modelport/provider-mock'
import { defineTool, type Tool } from '@modelport/runtime'
import {
  AgentCallError,
  type CallerSettings,
  createDialogCaller,
  type DialogCaller,
} from '../src/index.js'

/** An agent over a scripted model, which makes each request once. */
export function callerOf(
  responses: readonly MockResponse[],
  settings: Partial<CallerSettings> = {},
  mock: Partial<MockConfig> = {},
): { readonly caller: DialogCaller; readonly provider: MockProvider } {
  const provider = createMock({ responses, defaults: { retry: { attempts: 1 } }, ...mock })
  return {
    provider,
    caller: createDialogCaller({ name: 'tester', provider, recallDelayMs: () => 0, ...settings }),
  }
}

/** A tool that remembers what it was called with. */
export function recordingTool(
  name: string,
  execute: (args: Readonly<Record<string, unknown>>) => unknown,
) {
  const calls: Readonly<Record<string, unknown>>[] = []
  const tool: Tool = defineTool({
    name,
    description: `Does ${name}`,
    parameters: { type: 'object', properties: { value: { type: 'string' } } },
    execute: (args) => {
      calls.push(args)
      return execute(args)
    },
  })
  return { tool, calls }
}

/** A turn of the model that calls a tool. */
export const asks = (name: string, args: Readonly<Record<string, unknown>> = {}): MockResponse => ({
  toolCalls: [{ name, arguments: args }],
})

/** The error of a call that fails. */
export async function failureOf(call: Promise<unknown>): Promise<AgentCallError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof AgentCallError) return error
  throw new Error(`expected an AgentCallError, found ${String(error)}`, { cause: error })
}

/** The messages a provider was asked with, as role and text. */
export const sentTo = ({ requests }: MockProvider, index = -1): readonly string[] =>
  (requests.at(index)?.messages ?? []).map(
    ({ role, content }) =>
      `${role}: ${typeof content === 'string' ? content : JSON.stringify(content)}`,
  )
