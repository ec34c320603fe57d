import { anthropicMessages, type WireFormat, type WireRequest } from '@modelport/conformance'
import { brokenRules } from '../../packages/conformance/src/formats/body-form.ts'

const asked =
  /^\/v1\/projects\/[a-z0-9-]+\/locations\/[a-z0-9-]+\/publishers\/anthropic\/models\/([\w.@-]+):(stream)?[rR]awPredict$/

/**
 * The same request as the Messages API has it: with the model in the body and the version in a
 * header.
 */
function plain(request: WireRequest): WireRequest {
  const { anthropic_version: _, ...body } = request.body as Readonly<Record<string, unknown>>
  const model = asked.exec(request.path)?.[1]
  return {
    ...request,
    path: '/v1/messages',
    headers: { ...request.headers, 'anthropic-version': '2023-06-01' },
    body: { model, ...body },
  }
}

/**
 * The Messages API on Vertex AI.
 * @see https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai (read 2026-11-28)
 */
export const anthropicVertex: WireFormat = {
  ...anthropicMessages,
  matches: ({ method, path }) => method === 'POST' && asked.test(path),
  respond: (turn, request) => anthropicMessages.respond(turn, plain(request)),
  respondThenFail: (turn, request, message) =>
    anthropicMessages.respondThenFail(turn, plain(request), message),
  read: (request) => anthropicMessages.read(plain(request)),
  violations: (request) => {
    const body = request.body as Readonly<Record<string, unknown>>
    const streams = asked.exec(request.path)?.[2] !== undefined
    const { authorization, ...headers } = request.headers
    return [
      ...brokenRules([
        [body['anthropic_version'] !== 'vertex-2023-10-16', 'anthropic_version: Field required'],
        ['model' in body, 'model: Extra inputs are not permitted'],
        [(body['stream'] === true) !== streams, 'stream: does not fit the method of the path'],
        [!authorization?.startsWith('Bearer '), 'authorization: no access token'],
        [
          headers['x-api-key'] !== undefined || headers['anthropic-version'] !== undefined,
          'a header of the other API',
        ],
      ]),
      ...anthropicMessages.violations(plain(request)),
    ]
  },
}
