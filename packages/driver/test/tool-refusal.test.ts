import { describe, expect, test } from 'vitest'
import { toProviderError } from '../src/failure/http-failure.js'

const codeOf = (status: number, message: string): string =>
  toProviderError(
    'x',
    { status, headers: new Headers(), body: undefined, text: message, inBand: false },
    { message },
  ).code

describe('a message that refuses tools', () => {
  // As servers were seen to write them.
  test.each([
    [400, 'stablelm2:latest does not support tools'],
    [
      404,
      'No endpoints found that support tool use. To learn more about provider routing, visit: https://example.com',
    ],
    [404, 'No endpoints found that support tool use. Try disabling "question".'],
    [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
    [500, 'tools param requires --jinja flag'],
    [500, 'Unsupported param: tools'],
    [
      400,
      'tools is not supported in this model. For a list of supported models, refer to https://example.com',
    ],
    [405, 'Tool calling is not supported for model: Hermes-3'],
    [400, '`tool calling` is not supported with this model'],
    [400, 'Function calling is not enabled for models/gemma-3-27b-it'],
    [400, 'Unrecognized request argument supplied: tools'],
    [400, "Unknown parameter: 'tools'."],
    [400, "This model doesn't support tool use."],
    [422, 'body.tools: Extra inputs are not permitted'],
    [400, 'This model does not support function calling'],
  ])(
    'a message that refuses tools is the code unsupported, and is not tried again (%d, %j)',
    (status, message) => {
      expect(codeOf(status, message)).toBe('unsupported')
    },
  )

  test.each([
    [
      400,
      "Invalid schema for function 'get_weather': 'additionalProperties' is required to be false",
      'invalid-request',
    ],
    [400, "Unknown parameter: 'tools[0].function.foo'.", 'invalid-request'],
    [404, "No endpoints found that support the provided 'tool_choice' value.", 'not-found'],
    [
      400,
      "Invalid value: 'tool_choice' is only allowed when 'tools' are specified.",
      'invalid-request',
    ],
    [
      400,
      "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'",
      'invalid-request',
    ],
    [400, 'tools: too many; at most 128 are allowed', 'invalid-request'],
    [400, 'This model does not support parallel tool calls', 'invalid-request'],
    [400, 'response_format json_schema is not supported with this model', 'invalid-request'],
    [429, 'm does not support tools', 'rate-limit'],
  ])(
    'a message that refuses tools is not a complaint about one tool or something else (%d, %j)',
    (status, message, code) => {
      expect(codeOf(status, message)).toBe(code)
    },
  )
})

describe('a message that refuses images', () => {
  // As servers were seen to write them.
  test.each([
    [
      500,
      'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
    ],
    [500, 'image input is not supported by this server'],
    [404, 'No endpoints found that support image input'],
    [400, 'This model does not support images'],
    [400, 'my-model does not support image input.'],
  ])(
    'a message that refuses images is the code unsupported, is not tried again, and says that the model takes none (%d, %j)',
    (status, message) => {
      const error = toProviderError(
        'x',
        { status, headers: new Headers(), body: undefined, text: '', inBand: false },
        { message },
      )
      expect(error).toMatchObject({
        code: 'unsupported',
        retryable: false,
        message: `x: ${status} unsupported: this model takes no images: ${message}`,
      })
    },
  )

  test.each([
    [400, 'This model does not support images larger than 20 MB', 'invalid-request'],
    [400, 'image format image/tiff is not supported', 'invalid-request'],
    [400, 'This API does not support images by URL', 'invalid-request'],
    [500, 'failed to process image', 'server'],
    [429, 'image input is not supported', 'rate-limit'],
  ])(
    'a message that refuses images is not a complaint about one image or something else (%d, %j)',
    (status, message, code) => {
      expect(codeOf(status, message)).toBe(code)
    },
  )
})
