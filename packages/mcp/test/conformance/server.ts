// The server that the conformance suite of the protocol calls: all that it offers goes through
// `serveMcp`.
import process from 'node:process'
import { serve } from '@hono/node-server'
import { toImagePart, toMediaSource } from '@modelport/core'
import { serveMcp } from '@modelport/mcp/server'
import { defineTool } from '@modelport/runtime'

const png = toImagePart(
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
)
const wav = {
  type: 'audio' as const,
  source: toMediaSource('data:audio/wav;base64,UklGRiQAAABXQVZFZm10IBAAAAABAAEA'),
}
const textFile = (uri: string, mediaType: string, content: string) => ({
  type: 'file' as const,
  name: uri,
  source: toMediaSource(new TextEncoder().encode(content), mediaType),
})
const tool = (name: string, execute: () => unknown) =>
  defineTool({ name, description: `The tool ${name} of the suite`, execute })
const pause = () => new Promise((resolve) => setTimeout(resolve, 60))
const text = { type: 'string' }

/** Tools that ask their user, each with the fields of its questions. */
const person = { username: text, email: text }
const choice = (titled: boolean) => ({
  type: 'string',
  ...(titled
    ? {
        oneOf: [
          { const: 'value1', title: 'First Option' },
          { const: 'value2', title: 'Second Option' },
          { const: 'value3', title: 'Third Option' },
        ],
      }
    : { enum: ['option1', 'option2', 'option3'] }),
})
const several = (titled: boolean) => ({
  type: 'array',
  items: titled
    ? {
        anyOf: [
          { const: 'value1', title: 'First Choice' },
          { const: 'value2', title: 'Second Choice' },
          { const: 'value3', title: 'Third Choice' },
        ],
      }
    : { type: 'string', enum: ['option1', 'option2', 'option3'] },
})
const questions: Readonly<Record<string, readonly Record<string, object>[]>> = {
  test_elicitation: [person],
  test_elicitation_sep1034_defaults: [
    {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    },
  ],
  test_elicitation_sep1330_enums: [
    {
      untitledSingle: choice(false),
      titledSingle: choice(true),
      legacyEnum: {
        type: 'string',
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['Option One', 'Option Two', 'Option Three'],
      },
      untitledMulti: several(false),
      titledMulti: several(true),
    },
  ],
  test_input_required_result_elicitation: [{ name: text }],
  test_input_required_result_request_state: [{ ok: { type: 'boolean' } }],
  test_input_required_result_tampered_state: [{ ok: { type: 'boolean' } }],
  test_input_required_result_multi_round: [{ name: text }, { color: text }],
  test_missing_capability: [{ name: text }],
}
const asking = Object.entries(questions).map(([name, forms]) =>
  defineTool({
    name,
    description: 'Asks its user',
    parameters: { type: 'object', properties: { message: text } },
    execute: async ({ message = 'What is it?' }, { ask }) => {
      const answers = []
      for (const properties of forms) {
        const schema = { type: 'object' as const, properties }
        answers.push(await ask({ message: String(message), schema }))
      }
      return `state-ok: ${JSON.stringify(answers)}`
    },
  }),
)

const server = serveMcp({
  name: 'modelport',
  version: '1.0.0',
  tools: [
    tool('test_simple_text', () => 'This is a simple text response for testing.'),
    tool('test_image_content', () => png),
    tool('test_audio_content', () => wav),
    tool('test_embedded_resource', () =>
      textFile('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
    ),
    tool('test_multiple_content_types', () => [
      { type: 'text', text: 'Multiple content types test:' },
      png,
      textFile('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ]),
    // It sends no log messages, and asks for nothing in the middle of a response.
    tool('test_logging_tool', () => 'done'),
    tool('test_streaming_elicitation', () => 'done'),
    ...asking,
    tool('test_error_handling', () => {
      throw new Error('This tool intentionally returns an error for testing')
    }),
    tool('test_tool_with_progress', async function* () {
      for (const progress of [0, 50, 100]) {
        yield { progress, total: 100 }
        await pause()
      }
      return 'done'
    }),
    defineTool({
      name: 'json_schema_2020_12_tool',
      description: 'A schema with references',
      parameters: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        $defs: {
          address: {
            $anchor: 'addressDef',
            type: 'object',
            properties: { street: text, city: text },
          },
        },
        properties: {
          name: text,
          address: { $ref: '#/$defs/address' },
          contactMethod: text,
          phone: text,
          email: text,
        },
        allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
        if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
        then: { required: ['phone'] },
        else: { required: ['email'] },
        additionalProperties: false,
      },
      execute: () => 'fits',
    }),
    defineTool({
      name: 'test_custom_headers',
      description: 'Arguments that are sent as headers too',
      parameters: {
        type: 'object',
        properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
      },
      execute: () => 'done',
    }),
  ],
  prompts: [
    {
      name: 'test_simple_prompt',
      description: 'A text',
      fill: () => 'This is a simple prompt for testing.',
    },
    {
      name: 'test_prompt_with_arguments',
      description: 'A text with two arguments',
      arguments: [
        { name: 'arg1', description: 'First test argument', required: true },
        { name: 'arg2', description: 'Second test argument', required: true },
      ],
      fill: ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
    },
    {
      name: 'test_prompt_with_embedded_resource',
      description: 'A resource',
      arguments: [{ name: 'resourceUri', description: 'Its address', required: true }],
      fill: ({ resourceUri = '' }) => [
        {
          role: 'user',
          content: [textFile(resourceUri, 'text/plain', 'Embedded resource content for testing.')],
        },
        { role: 'user', content: 'Please process the embedded resource above.' },
      ],
    },
    {
      name: 'test_prompt_with_image',
      description: 'An image',
      fill: () => [
        { role: 'user', content: [png] },
        { role: 'user', content: 'Please analyze the image above.' },
      ],
    },
  ],
  resources: [
    {
      uri: 'test://static-text',
      name: 'Static text',
      mimeType: 'text/plain',
      read: () => 'This is the content of the static text resource.',
    },
    {
      uri: 'test://static-binary',
      name: 'Static binary',
      mimeType: 'image/png',
      read: () => new Uint8Array([137, 80, 78, 71]),
    },
    {
      uri: 'test://template/{id}/data',
      name: 'Template',
      mimeType: 'application/json',
      read: ({ id }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
    },
  ],
})

serve({ fetch: server.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  console.log(`http://127.0.0.1:${port}/mcp`)
})
process.on('SIGTERM', () => process.exit(0))
