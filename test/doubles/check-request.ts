import { type Api, apiOf, type Dialect, modelOf, vendorOf } from './apis.ts'
import { withoutExtras } from './extra-fields.ts'
import { batchLines } from './rules/uploads.ts'
import { rules } from './rules.ts'
import { fieldsOf, isFields, listOf, type Problem, type SentRequest } from './sent-request.ts'
import { shapeProblems } from './validators.ts'

/**
 * What a vendor would refuse of a request, and whose API it is for; nothing where the request is
 * for no API that is known.
 */
export function checkRequest(
  request: SentRequest,
): { readonly api: Api; readonly problems: readonly Problem[] } | undefined {
  const api = apiOf(request)
  return api && { api, problems: problemsOf(api, request) }
}

function problemsOf(api: Api, request: SentRequest): readonly Problem[] {
  if (api.dialect === 'form' && request.headers['content-type']?.includes('json'))
    return [{ rule: 'form', path: '', message: 'the body is JSON, not a form' }]
  if (!isFields(request.body))
    return api.dialect === 'form'
      ? [{ rule: 'form', path: '', message: String(request.body) }]
      : [{ rule: 'json', path: '', message: 'the body is not a JSON object' }]
  const vendor = vendorOf(request)
  const body = withoutExtras(inMessages(api, request), api.name, vendor)
  const wrong = shapeProblems(api.shape(request), body)
  if (wrong.length) return wrong
  const found = [
    { dialect: api.dialect, request, prefix: '' },
    ...innerRequests(api, request),
  ].flatMap((one) =>
    rules.flatMap((rule) =>
      rule.dialects.includes(one.dialect) &&
      (!rule.vendors || (vendor !== undefined && rule.vendors.includes(vendor))) &&
      (!rule.apis || rule.apis.includes(api.name))
        ? rule
            .check(one.request)
            .map(({ path, message }) => ({ rule: rule.name, path: one.prefix + path, message }))
        : [],
    ),
  )
  return api.name === 'openai-files' && !found.length ? lineProblems(request) : found
}

/**
 * On Vertex AI the model is in the path and the version in the body; all else has the shape of the
 * Messages API.
 */
function inMessages({ name }: Api, request: SentRequest): SentRequest {
  if (!name.startsWith('anthropic-vertex')) return request
  const { anthropic_version: _, ...body } = fieldsOf(request.body)
  return { ...request, body: { model: modelOf(request), ...body } }
}

/** What is wrong with the requests in the file of a batch: each is one to an API of its own. */
const lineProblems = (request: SentRequest): readonly Problem[] =>
  batchLines(request).flatMap(({ line = {}, path }) => {
    const inner = {
      ...request,
      url: new URL(String(line['url']), new URL(request.url, 'http://127.0.0.1')).href,
      body: line['body'],
    }
    const api = apiOf(inner)
    return api
      ? problemsOf(api, inner).map((one) => ({ ...one, path: `${path}.body.${one.path}` }))
      : []
  })

/** A request that stands in another one. */
interface InnerRequest {
  readonly dialect: Dialect
  readonly request: SentRequest
  readonly prefix: string
}

/**
 * The requests in a batch, and the one whose tokens are counted. Their shapes are part of the shape
 * of the whole.
 */
function innerRequests({ name }: Api, request: SentRequest): readonly InnerRequest[] {
  const body = fieldsOf(request.body)
  const inner = (dialect: Dialect, one: unknown, prefix: string): InnerRequest => ({
    dialect,
    request: { ...request, body: one },
    prefix,
  })
  if (name === 'anthropic-batches')
    return listOf(body['requests']).map(({ params }, index) =>
      inner('messages', params, `requests[${index}].params.`),
    )
  if (name === 'gemini-batches') {
    const path = 'batch.input_config.requests.requests'
    const requests = fieldsOf(fieldsOf(fieldsOf(body['batch'])['input_config'])['requests'])[
      'requests'
    ]
    return listOf(requests).map((one, index) =>
      inner('gemini', one['request'], `${path}[${index}].request.`),
    )
  }
  const counted = body['generateContentRequest']
  return name === 'gemini-count-tokens' && counted !== undefined
    ? [inner('gemini', counted, 'generateContentRequest.')]
    : []
}
