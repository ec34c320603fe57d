// What people who come from other libraries write first, and the message that says what to write.
// Where the types say it too, they do.
import { createAgent, createLocalClient } from '@modelport/agent'
import { newProvider } from '@modelport/factory'
import { toDeno } from '@modelport/factory/sandbox'
import { createAnthropic } from '@modelport/provider-anthropic'
import { createMock } from '@modelport/provider-mock'
import { createOpenAI } from '@modelport/provider-openai'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
import { defineTool, generateObject, infer } from '@modelport/runtime'
import { createAgentClient, createAgentServer } from '@modelport/serve'
import { serve } from '@modelport/serve/node'
import { tool } from 'ai'
import { expect, test } from 'vitest'
import { z } from 'zod'

const mock = createMock({ defaultResponse: 'Hello' })
const provider = createOpenAICompatible({ baseUrl: 'http://127.0.0.1:9/v1', model: 'm' })
const query = 'Is it warm in Rome?'
const agent = createAgent({ card: { name: 'a', description: 'd' }, provider: mock })
const weather = defineTool({ name: 'weather', description: 'd', execute: () => 1 })
const messages = [{ role: 'user', content: query }] as const
const aiTool = tool({ description: 'd', inputSchema: z.object({}), execute: () => 1 })

// biome-ignore format: a mistake a line, under what the types say of it
test.each<[mistake: string, program: () => unknown, message: string]>([
  // @ts-expect-error -- it stands in limits
  ['maxSteps in the request', () => infer(mock, { query, maxSteps: 5 }), 'unknown setting "maxSteps"; set limits.maxSteps'],
  // @ts-expect-error -- another library's name
  ['prompt for query', () => infer(mock, { prompt: query }), 'unknown setting "prompt"; did you mean "query"?'],
  // @ts-expect-error -- another library's name
  ['instructions for system', () => infer(mock, { query, instructions: 'Be brief.' }), 'did you mean "system"?'],
  // @ts-expect-error -- it stands in options
  ['maxTokens in the request', () => infer(mock, { query, maxTokens: 5 }), 'set options.maxTokens'],
  // @ts-expect-error -- the wire's name
  ['max_tokens in options', () => infer(mock, { query, options: { max_tokens: 5 } }), 'did you mean "maxTokens"?'],
  // @ts-expect-error -- a condition is a function
  ['a number for stopWhen', () => infer(mock, { query, stopWhen: 5 }), 'stopWhen must be a function such as stepCountIs(5)'],
  // @ts-expect-error -- tools are a list
  ['tools by name', () => infer(mock, { query, tools: { weather: {} } }), 'tools must be a list of tools; make them with defineTool'],
  // @ts-expect-error -- a tool of another library
  ['a tool of the AI SDK', () => infer(mock, { query, tools: [aiTool] }), 'pass such tools by name'],
  // @ts-expect-error -- a name is not a provider
  ['a model by its name', () => infer('openai:gpt-5.4', { query }), 'make one with a provider package or with newProvider'],
  // @ts-expect-error -- a promise is not a provider
  ['a provider without await', () => infer(Promise.resolve(mock), { query }), 'this is a promise: await it'],
  // @ts-expect-error -- the provider comes first
  ['the model in the request', () => infer({ model: mock, prompt: query }), 'it comes first: infer(provider, { query })'],
  // @ts-expect-error -- the provider comes first
  ['the model in the request of an object', () => generateObject({ model: mock, schema: {}, prompt: query }), 'it comes first: generateObject(provider, { schema, prompt })'],
  // @ts-expect-error -- the provider comes first
  ['the model next to the query', () => infer(mock, { query, model: 'm' }), 'the provider comes first: infer(provider, { … })'],
  // @ts-expect-error -- another library's name
  ['maxTurns of a run', () => infer(mock, { query, maxTurns: 5 }), 'set limits.maxSteps'],
  // @ts-expect-error -- another library's name
  ['timeout of a run', () => infer(mock, { query, timeout: 5 }), 'set limits.budget.maxRuntimeMs'],
  // @ts-expect-error -- another library's name
  ['timeout of a call', () => provider.complete(query, { timeout: 5 }), 'did you mean "deadlineMs"?'],
  // @ts-expect-error -- another library's name
  ['onStepFinish of a run', () => infer(mock, { query, onStepFinish: () => {} }), 'set observe.onEvent'],
  // @ts-expect-error -- the wire's name
  ['frequency_penalty of a call', () => provider.complete(query, { frequency_penalty: 1 }), 'did you mean "vendor"?'],
  // @ts-expect-error -- another library's name
  ['modelName of a provider', () => createOpenAI({ modelName: 'm', apiKey: 'x' }), 'did you mean "model"?'],
  // @ts-expect-error -- the function comes in the settings
  ['a tool as LangChain makes it', () => defineTool(() => 1, { name: 'x', schema: {} }), 'an object: { name, description, parameters, execute }'],
  ['a tool with the shape of its schema', () => defineTool({ name: 'x', description: 'd', parameters: { city: z.string() }, execute: () => 1 }), 'z.object({ city })'],
  // @ts-expect-error -- another library's name
  ['inputSchema of a tool', () => defineTool({ name: 'x', description: 'd', inputSchema: {}, execute: () => 1 }), 'did you mean "parameters"?'],
  // @ts-expect-error -- another library's name
  ['run of a tool', () => defineTool({ name: 'x', description: 'd', run: () => 1 }), 'did you mean "execute"?'],
  // @ts-expect-error -- a tool has a name
  ['a tool without a name', () => defineTool({ description: 'd', execute: () => 1 }), 'the name of a tool must be a text'],
  // @ts-expect-error -- there is no schema
  ['an object without a schema', () => generateObject(mock, { prompt: query }), 'schema: expected a schema or a JSON Schema object'],
  // @ts-expect-error -- messages in place of text
  ['messages to complete', () => provider.complete([{ role: 'user', content: query }]), 'for messages use generate or streamWithHistory'],
  // @ts-expect-error -- text in place of messages
  ['text to generate', () => provider.generate(query), 'messages must be a list of messages, not string'],
  // @ts-expect-error -- the wire's form
  ['an image as on the wire', () => provider.generate([{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }]), "write { type: 'image', source: { type: 'url', url } }"],
  // @ts-expect-error -- another library's role
  ['the role human', () => provider.generate([{ role: 'human', content: 'Hello' }]), 'for "human" write "user"'],
  // @ts-expect-error -- another library's role
  ['the role model', () => provider.generate([{ role: 'model', content: 'Hello' }]), 'for "model" write "assistant"'],
  // @ts-expect-error -- another library's message
  ['a message as a pair', () => provider.generate([['user', 'Hello']]), 'write { role, content }'],
  // @ts-expect-error -- the name of the media type at a vendor
  ['an image as at Anthropic', () => provider.generate([{ role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } }] }]), "source: toMediaSource(bytes, 'image/png')"],
  // @ts-expect-error -- the wire's role
  ['the role developer', () => provider.generate([{ role: 'developer', content: 'Be brief.' }]), 'for "developer" write "system"'],
  // @ts-expect-error -- the wire's name
  ['a result with tool_call_id', () => provider.generate([{ role: 'tool', tool_call_id: 'a', content: 'x' }]), 'the result needs toolCallId'],
  // @ts-expect-error -- the result of defineTool, in place of its definition
  ['tools with their functions', () => provider.generate(messages, { tools: [weather] }), 'tools[0] is the result of defineTool: give its .definition'],
  // @ts-expect-error -- tools are a list
  ['one tool without a list', () => provider.streamWithTools(messages, weather.definition), 'tools must be a list of tool definitions'],
  // @ts-expect-error -- the wire's form
  ['a tool as on the wire', () => provider.streamWithTools(messages, [{ type: 'function', function: weather.definition }]), 'give the fields of its .function'],
  // @ts-expect-error -- options of the calls of another place
  ['options next to the schema', () => generateObject(mock, { schema: {}, prompt: query, maxTokens: 5 }), 'set options.maxTokens'],
  // @ts-expect-error -- a schema of a library
  ['a schema as the format', () => provider.complete(query, { responseFormat: z.object({}) }), 'for a schema of a library use generateObject'],
  // @ts-expect-error -- another spelling
  ['baseURL', () => createOpenAICompatible({ baseURL: 'http://127.0.0.1:9/v1', model: 'm' }), 'did you mean "baseUrl"?'],
  ['no key', () => createAnthropic({ model: 'claude-sonnet-4-6' }), 'reads it from ANTHROPIC_API_KEY'],
  // @ts-expect-error -- the wire's name
  ['contextId of a message to an agent', () => createLocalClient(agent).send('Hello', { contextId: 'c' }), 'did you mean "sessionId"?'],
  // @ts-expect-error -- the wire's name
  ['contextId to an agent elsewhere', () => createAgentClient('http://127.0.0.1:9').send('Hello', { contextId: 'c' }), 'did you mean "sessionId"?'],
  // @ts-expect-error -- another name
  ['allowEnv of toDeno', () => toDeno([], { allowEnv: ['A'] }), 'unknown setting "allowEnv"; known: env, program, args'],
  // @ts-expect-error -- the wire's name
  ['tool_calls of a reply of the mock', () => createMock({ responses: [{ tool_calls: [{ name: 'x' }] }] }), 'a response: unknown setting "tool_calls"; did you mean "toolCalls"?'],
  // @ts-expect-error -- another name
  ['args of a call of the mock', () => createMock({ responses: [{ toolCalls: [{ name: 'x', args: {} }] }] }), 'a call of a response: unknown setting "args"; did you mean "arguments"?'],
  // @ts-expect-error -- the wire's name
  ['tool_calls that a function of the mock makes', () => createMock({ defaultResponse: () => ({ tool_calls: [] }) }).complete(query), 'did you mean "toolCalls"?'],
  // @ts-expect-error -- the wire's name
  ['tool_calls among the parts of a reply of the mock', () => createMock({ defaultResponse: async function* () { yield { tool_calls: [] } } }).complete(query), 'did you mean "toolCalls"?'],
  // @ts-expect-error -- another name
  ['replies of the mock', () => createMock({ replies: ['Hello'] }), 'did you mean "responses"?'],
  // @ts-expect-error -- it stands in limits.budget
  ['maxCalls in limits', () => infer(mock, { query, limits: { maxCalls: 5 } }), 'unknown setting "maxCalls"; set limits.budget.maxCalls'],
  // @ts-expect-error -- it stands in limits.budget
  ['maxCost in the request', () => infer(mock, { query, maxCost: 5 }), 'set limits.budget.maxCost'],
  // @ts-expect-error -- agents are a list
  ['serve of one agent', () => serve(agent), 'agents must be a list of at least one agent: serve([agent])'],
  // @ts-expect-error -- agents are a list
  ['a server of one agent', () => createAgentServer(agent), 'createAgentServer([agent])'],
  ['serve of no agent', () => serve([]), 'agents must be a list of at least one agent: serve([agent])'],
  // @ts-expect-error -- it is part of auth
  ['a token of an agent elsewhere', () => createAgentClient('http://127.0.0.1:9', { token: 'x' }), 'unknown setting "token"; did you mean "auth"?'],
  // @ts-expect-error -- another library's name
  ['needsApproval of a tool', () => defineTool({ name: 'x', description: 'd', needsApproval: true, execute: () => 1 }), 'calls are approved by authorize of infer, or by the policy of an agent'],
  // @ts-expect-error -- it stands in limits
  ['maxSteps of a message to an agent', () => createLocalClient(agent).send('Hello', { maxSteps: 5 }), 'send: unknown setting "maxSteps"; set limits.maxSteps'],
  // @ts-expect-error -- the wire's name
  ['contextId of a stream of an agent', () => createLocalClient(agent).stream('Hello', { contextId: 'c' }).next(), 'stream: unknown setting "contextId"; did you mean "sessionId"?'],
  ['no key of OpenAI', () => createOpenAI({ model: 'gpt-5.4' }), 'pass apiKey; only newProvider reads it from OPENAI_API_KEY'],
  ['a model as gateways write it', () => newProvider('openai/gpt-5.4'), 'write "openai:gpt-5.4"'],
  ['a misspelled vendor', () => newProvider('opnai:gpt-5.4'), 'did you mean "openai"?'],
  // @ts-expect-error -- a hand-off has settings of its own
  ['an agent to hand off to', () => createAgent({ card: { name: 'b', description: 'd' }, provider: mock, handoffs: [agent] }), 'handoffs must be an object of settings by name'],
  // @ts-expect-error -- it is a provider
  ['the model of an agent', () => createAgent({ card: { name: 'b', description: 'd' }, model: mock }), 'did you mean "provider"?'],
  // @ts-expect-error -- another library's name
  ['the prompt of an agent', () => createAgent({ card: { name: 'b', description: 'd' }, provider: mock, prompt: 'Be brief.' }), 'did you mean "system"?'],
  // @ts-expect-error -- a card is needed
  ['an agent without a card', () => createAgent({ name: 'x', provider: mock }), 'set card: { name, description }'],
])('%s is refused with the cure', async (_mistake, program, message) => {
  await expect((async () => program())()).rejects.toThrow(message)
})
