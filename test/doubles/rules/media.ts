import { asText, type Fields, fieldsOf, listOf, type SentRequest } from '../sent-request.ts'
import { type Breach, breach, outside, type Rule } from './rule.ts'

const bodyOf = ({ body }: SentRequest): Fields => fieldsOf(body)

/** First characters of the base64 of each kind of image. */
const heads: readonly (readonly [string, string])[] = [
  ['image/png', 'iVBORw0KGgo'],
  ['image/jpeg', '/9j/'],
  ['image/gif', 'R0lGOD'],
  ['image/webp', 'UklGR'],
]
const kindOf = (base64: string): string | undefined =>
  heads.find(([, head]) => base64.startsWith(head))?.[0]
// No expression that matches all of a long text: it would need a stack as long.
const isBase64 = (text: string): boolean =>
  text !== '' && text.length % 4 === 0 && !/[^A-Za-z0-9+/=]|=[^=]|===/.test(text)

/**
 * The objects of some types in the messages of a request, those in results of tools included, each
 * with its path.
 */
function* blocksIn(
  items: unknown,
  types: readonly string[],
  path: string,
): Generator<readonly [Fields, string]> {
  for (const [index, item] of listOf(items).entries()) {
    const at = `${path}[${index}]`
    if (types.includes(asText(item['type']))) yield [item, at]
    for (const field of ['content', 'output']) yield* blocksIn(item[field], types, `${at}.${field}`)
  }
}

/** The addresses of images, as both APIs of OpenAI have them. */
const imageUrls = (request: SentRequest): readonly (readonly [string, string])[] => {
  const { messages, input } = bodyOf(request)
  const chat = [...blocksIn(messages, ['image_url'], 'messages')].map(
    ([block, path]) =>
      [asText(fieldsOf(block['image_url'])['url']), `${path}.image_url.url`] as const,
  )
  const responses = [...blocksIn(input, ['input_image'], 'input')].flatMap(([block, path]) =>
    block['image_url'] === undefined
      ? []
      : [[asText(block['image_url']), `${path}.image_url`] as const],
  )
  return [...chat, ...responses]
}

function dataUrlBreaches(url: string, path: string): readonly Breach[] {
  if (/^https?:\/\//.test(url)) return []
  const [, type, base64 = ''] = /^data:(image\/(?:png|jpeg|gif|webp));base64,(.*)$/s.exec(url) ?? []
  if (!type)
    return breach(
      true,
      path,
      'Expected a valid URL, or a base64-encoded data URL with an image MIME type: png, jpeg, gif, webp',
    )
  const actual = kindOf(base64)
  return breach(
    !isBase64(base64) || (actual && actual !== type),
    path,
    `The image data you provided is not a valid ${type}`,
  )
}

/** Rules about what is not text: pictures in messages, texts to embed. */
export const mediaRules: readonly Rule[] = [
  {
    name: 'openai-image-urls',
    dialects: ['responses', 'chat'],
    vendors: ['openai', 'azure'],
    says: 'a picture is an address of HTTP, or a `data:` URL of PNG, JPEG, GIF or WebP in base64, whose bytes are of that type',
    source: 'https://developers.openai.com/api/docs/guides/images-vision',
    check: (request) => imageUrls(request).flatMap(([url, path]) => dataUrlBreaches(url, path)),
  },
  {
    name: 'messages-image-data',
    dialects: ['messages'],
    says: 'a picture is base64 of the type that is named, of at most 5 MiB',
    source: 'https://platform.claude.com/docs/en/build-with-claude/vision',
    check: (request) =>
      [...blocksIn(bodyOf(request)['messages'], ['image'], 'messages')].flatMap(([block, path]) => {
        const { type, media_type: named, data } = fieldsOf(block['source'])
        if (type !== 'base64') return []
        const actual = kindOf(asText(data))
        return [
          ...breach(!isBase64(asText(data)), `${path}.source.data`, 'invalid base64 data'),
          ...breach(
            actual && actual !== named,
            `${path}.source.media_type`,
            `The image was specified using the ${asText(named)} media type, but the image appears to be a ${String(actual)} image`,
          ),
          ...breach(
            asText(data).length > 5 * 1024 * 1024,
            `${path}.source.data`,
            `image exceeds 5 MB maximum: ${asText(data).length} bytes > 5242880 bytes`,
          ),
        ]
      }),
  },
  {
    name: 'openai-embedding-input',
    dialects: ['other'],
    apis: ['openai-embeddings'],
    says: 'there are 1 to 2,048 texts to embed, none empty; `dimensions` is at least 1',
    source: 'https://developers.openai.com/api/reference/resources/embeddings',
    check: (request) => {
      const { input, dimensions } = bodyOf(request)
      const texts = [input].flat()
      return [
        ...outside(texts.length, 1, 2048, 'input'),
        ...breach(
          texts.includes(''),
          'input',
          "'$.input' is invalid: input cannot be an empty string",
        ),
        ...outside(dimensions, 1, Infinity, 'dimensions'),
      ]
    },
  },
  {
    name: 'anthropic-batch-ids',
    dialects: ['other'],
    apis: ['anthropic-batches'],
    says: 'each of 1 to 100,000 requests has a `custom_id` of its own, of 1 to 64 letters, digits, `_` or `-`',
    source: 'https://platform.claude.com/docs/en/build-with-claude/batch-processing',
    check: (request) => {
      const requests = listOf(bodyOf(request)['requests'])
      const seen = new Set<unknown>()
      return [
        ...outside(requests.length, 1, 100_000, 'requests'),
        ...requests.flatMap(({ custom_id: id }, index) => {
          const isTwice = seen.has(id)
          seen.add(id)
          return breach(
            isTwice || !/^[\w-]{1,64}$/.test(asText(id)),
            `requests[${index}].custom_id`,
            isTwice
              ? `duplicate custom_id: ${asText(id)}`
              : "String should match pattern '^[a-zA-Z0-9_-]{1,64}$'",
          )
        }),
      ]
    },
  },
]
